import { textAt, valueAtPath } from '../../../judge/evidence/json.ts';
import { where } from '../../../judge/evidence/selectors/answers.ts';
import { inEvent, inEvents } from '../../../judge/mutations/mutations.ts';
import { frameWithData } from '../../../judge/mutations/streams.ts';
import { setValue } from '../../../judge/mutations/values.ts';
import { section } from '../../../judge/requirements/define.ts';
import {
  dropRunEvents,
  duplicateRunEvents,
  editRunEvents,
  eventsNamed,
  inEachOperation,
} from './mutations.ts';
import { runStreams } from './run-stream.ts';

const { stated } = section('1 Events');
const THREAD = '{"id":"thread_new","object":"thread","created_at":1,"metadata":{}}';

export const runsStreamThreadCreatedOnce = stated('runs.stream.thread-created-once', {
  says: 'A stream that creates a thread contains thread.created, once.',
  selector: where(runStreams(), ({ call, ended }) => ended && call.operation.id === 'createThreadAndRun'),
  check: ({ events }) => {
    const created = events.filter(({ subject }) => subject === 'thread');
    const [first] = events;
    if (created.length === 0 && first !== undefined)
      return [{ at: first.at, expected: 'thread.created in the stream', actual: first.name }];
    return created.slice(1).map(({ at, name }) => ({ at, expected: 'no second one', actual: name }));
  },
  mutations: {
    'never told': dropRunEvents(eventsNamed('thread.created')),
    'told twice': duplicateRunEvents(eventsNamed('thread.created')),
  },
});

export const runsStreamNoThreadMade = stated('runs.stream.no-thread-made', {
  says: 'The stream of a run on a thread that exists does not contain thread.created.',
  selector: where(runStreams(), ({ call }) => call.operation.id === 'createRun'),
  check: ({ unlisted }) =>
    unlisted
      .filter(({ name }) => name === 'thread.created')
      .map(({ at, name }) => ({ at, expected: 'no thread is made here', actual: name })),
  mutations: {
    'told first': inEachOperation(['createRun'], (operation) =>
      inEvents(operation, (frames) => [frameWithData('thread.created', THREAD), ...frames]),
    ),
    'told last': inEachOperation(['createRun'], (operation) =>
      inEvents(operation, (frames) => [...frames, frameWithData('thread.created', THREAD)]),
    ),
  },
});

export const runsStreamThreadOfRun = stated('runs.stream.thread-of-run', {
  says: 'The run of a stream is on the thread in thread.created.',
  selector: where(
    runStreams(),
    ({ events, runs }) => runs.length > 0 && events.some(({ subject }) => subject === 'thread'),
  ),
  check: ({ events, runs: [run] }) => {
    const made = events.find(({ subject }) => subject === 'thread');
    const id = textAt(made?.data, 'id');
    if (run === undefined || valueAtPath(run.data, 'thread_id') === id) return [];
    return [{ at: `${run.at} /thread_id`, expected: String(id), actual: valueAtPath(run.data, 'thread_id') }];
  },
  mutations: {
    'another thread': inEachOperation(['createThreadAndRun'], (operation) =>
      inEvent(operation, eventsNamed('thread.created'), setValue('/id', 'thread_other')),
    ),
    'a run elsewhere': editRunEvents(
      eventsNamed('thread.run.created'),
      setValue('/thread_id', 'thread_other'),
    ),
  },
});
