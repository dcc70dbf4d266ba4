import { inEvents, setInEvent } from '../../vocabulary/changes.ts';
import { frameWithData } from '../../vocabulary/exchanges.ts';
import { textAt, valueAtPath } from '../../vocabulary/json.ts';
import { that, where } from '../../vocabulary/selectors.ts';
import { section, violation } from '../../vocabulary/statements.ts';
import {
  dropRunEvents,
  duplicateRunEvents,
  eventsNamed,
  inEachOperation,
  setInRunEvents,
} from './mutations.ts';
import { type RunStream, runStreams, withRun } from './run-stream.ts';

const { stated } = section('1 Events');
const THREAD = '{"id":"thread_new","object":"thread","created_at":1,"metadata":{}}';

const toItsEnd = that<RunStream>('that was not interrupted', ({ ended }) => ended);

export const runsStreamThreadCreatedOnce = stated('runs.stream.thread-created-once', {
  says: 'A stream that creates a thread contains thread.created, once.',
  selector: where(runStreams, of('createThreadAndRun'), toItsEnd),
  check: ({ events }) => {
    const created = events.filter(({ subject }) => subject === 'thread');
    if (created.length > 0)
      return created.slice(1).map(({ at, name }) => violation(at, 'no second one', name));
    return events.slice(0, 1).map(({ at, name }) => violation(at, 'thread.created in the stream', name));
  },
  mutations: {
    'never told': dropRunEvents(eventsNamed('thread.created')),
    'told twice': duplicateRunEvents(eventsNamed('thread.created')),
  },
});

export const runsStreamNoThreadMade = stated('runs.stream.no-thread-made', {
  says: 'The stream of a run on a thread that exists does not contain thread.created.',
  selector: where(runStreams, of('createRun')),
  check: ({ unlisted }) =>
    unlisted
      .filter(({ name }) => name === 'thread.created')
      .map(({ at, name }) => violation(at, 'no thread is made here', name)),
  mutations: {
    'told first': inEachOperation(['createRun'], (operation) =>
      inEvents(operation, (frames) => [frameWithData('thread.created', THREAD), ...frames]),
    ),
    'told last': inEachOperation(['createRun'], (operation) =>
      inEvents(operation, (frames) => [...frames, frameWithData('thread.created', THREAD)]),
    ),
  },
});

const withThread = that<RunStream>('with thread.created', ({ events }) =>
  events.some(({ subject }) => subject === 'thread'),
);

export const runsStreamThreadOfRun = stated('runs.stream.thread-of-run', {
  says: 'The run of a stream is on the thread in thread.created.',
  selector: where(runStreams, withRun, withThread),
  check: ({ events, runs: [run] }) => {
    const made = events.find(({ subject }) => subject === 'thread');
    const id = textAt(made?.data, 'id');
    if (run === undefined || valueAtPath(run.data, 'thread_id') === id) return [];
    return [violation(`${run.at} /thread_id`, String(id), valueAtPath(run.data, 'thread_id'))];
  },
  mutations: {
    'another thread': inEachOperation(['createThreadAndRun'], (operation) =>
      setInEvent(operation, eventsNamed('thread.created'), '/id', 'thread_other'),
    ),
    'a run elsewhere': setInRunEvents('thread.run.created', '/thread_id', 'thread_other'),
  },
});

function of(operation: string) {
  return that<RunStream>(`of ${operation}`, ({ call }) => call.operation.id === operation);
}
