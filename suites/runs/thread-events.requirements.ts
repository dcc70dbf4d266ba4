import { inEvent, inFrames } from '../../judge/edit/breaks.ts';
import { frameWith } from '../../judge/edit/streams.ts';
import { put } from '../../judge/edit/values.ts';
import { get, text } from '../../judge/json.ts';
import { only } from '../../judge/selectors/answers.ts';
import { requirement } from '../../judge/write.ts';
import { doubled, dropped, inEach, named, retold } from './breaking.ts';
import { tales } from './tale.ts';

const EVENTS = '1 Events';
const THREAD = '{"id":"thread_new","object":"thread","created_at":1,"metadata":{}}';

export const threadOnce = requirement({
  id: 'runs.stream.thread-created-once',
  level: 'MUST',
  basis: 'stated',
  spec: EVENTS,
  says: 'A stream that makes a thread tells thread.created, once.',
  on: only(tales(), ({ call, ended }) => ended && call.operation.id === 'createThreadAndRun'),
  check: ({ told }) => {
    const created = told.filter(({ subject }) => subject === 'thread');
    const [first] = told;
    if (created.length === 0 && first !== undefined)
      return [{ at: first.at, expected: 'thread.created in the stream', actual: first.name }];
    return created.slice(1).map(({ at, name }) => ({ at, expected: 'no second one', actual: name }));
  },
  breaks: {
    'never told': dropped(named('thread.created')),
    'told twice': doubled(named('thread.created')),
  },
});

export const noThread = requirement({
  id: 'runs.stream.no-thread-made',
  level: 'MUST',
  basis: 'stated',
  spec: EVENTS,
  says: 'The stream of a run on a thread that exists does not tell thread.created.',
  on: only(tales(), ({ call }) => call.operation.id === 'createRun'),
  check: ({ unlisted }) =>
    unlisted
      .filter(({ name }) => name === 'thread.created')
      .map(({ at, name }) => ({ at, expected: 'no thread is made here', actual: name })),
  breaks: {
    'told first': inEach(['createRun'], (operation) =>
      inFrames(operation, (frames) => [frameWith('thread.created', THREAD), ...frames]),
    ),
    'told last': inEach(['createRun'], (operation) =>
      inFrames(operation, (frames) => [...frames, frameWith('thread.created', THREAD)]),
    ),
  },
});

export const threadOfRun = requirement({
  id: 'runs.stream.thread-of-run',
  level: 'MUST',
  basis: 'stated',
  spec: EVENTS,
  says: 'The run of a stream is on the thread that thread.created tells.',
  on: only(tales(), ({ told, runs }) => runs.length > 0 && told.some(({ subject }) => subject === 'thread')),
  check: ({ told, runs: [run] }) => {
    const made = told.find(({ subject }) => subject === 'thread');
    const id = text(made?.data, 'id');
    if (run === undefined || get(run.data, 'thread_id') === id) return [];
    return [{ at: `${run.at} /thread_id`, expected: String(id), actual: get(run.data, 'thread_id') }];
  },
  breaks: {
    'another thread': inEach(['createThreadAndRun'], (operation) =>
      inEvent(operation, named('thread.created'), put('/id', 'thread_other')),
    ),
    'a run elsewhere': retold(named('thread.run.created'), put('/thread_id', 'thread_other')),
  },
});
