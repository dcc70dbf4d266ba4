import type { Json } from '../../exchange/body.ts';
import { frameWith } from '../../judge/edit/streams.ts';
import { put, remove } from '../../judge/edit/values.ts';
import { get, list, text } from '../../judge/json.ts';
import { only } from '../../judge/selectors/answers.ts';
import { choice } from '../../judge/write.ts';
import { inTurn } from '../generate/in-turn.ts';
import { dropped, firstNamed, followed, moved, named, renamed, retold, rewritten } from './breaking.ts';
import { joinedCalls } from './deltas.ts';
import { type Tale, type Thing, tales, talesOf, WAITING } from './tale.ts';

const EVENTS = '1 Events';
const DELTA = 'thread.message.delta';
const STEP_DELTA = 'thread.run.step.delta';
const OUTPUT = '/delta/step_details/tool_calls/*/function/output';
const ANNOTATIONS = '/delta/content/*/text/annotations';

export const firstEvent = choice({
  id: 'runs.stream.first-event',
  spec: EVENTS,
  says: 'Which event comes first where a thread is made with its run.',
  alternatives: ['thread.created', 'thread.run.created'],
  on: only(tales(), ({ call }) => call.operation.id === 'createThreadAndRun'),
  taken: ({ told: [first] }) => first?.name ?? null,
  examples: { 'thread.run.created': moved(named('thread.created'), 'back') },
});

export const doneAfterWaiting = choice({
  id: 'runs.stream.done-after-requires-action',
  spec: EVENTS,
  says: 'Whether the event done follows thread.run.requires_action.',
  alternatives: ['done', 'no done'],
  on: only(talesOf(WAITING), ({ ended }) => ended),
  taken: ({ told }) => (told.at(-1)?.subject === 'done' ? 'done' : 'no done'),
  examples: { 'no done': dropped(named('done')) },
});

export const stepOfCalls = choice({
  id: 'runs.stream.step-of-waiting-calls',
  spec: EVENTS,
  says: 'Whether the step with the calls is completed when the run waits for their outputs.',
  alternatives: ['still in progress', 'completed before'],
  on: talesOf(WAITING),
  taken: ({ steps, runs }) => {
    const wait = runs.find(({ name }) => name === WAITING)?.place ?? 0;
    const isDone = steps.some(({ told }) =>
      told.some(
        ({ verb, place, data }) => verb === 'completed' && place < wait && get(data, 'type') === 'tool_calls',
      ),
    );
    return isDone ? 'completed before' : 'still in progress';
  },
  examples: {
    'completed before': rewritten((frames) =>
      frames.flatMap((frame) => {
        const step = '{"id":"step_1","object":"thread.run.step","type":"tool_calls","status":"completed"}';
        return frame.event === WAITING ? [frameWith('thread.run.step.completed', step), frame] : [frame];
      }),
    ),
  },
});

export const ofIncomplete = nameOf('thread.run', 'incomplete');
export const ofFailed = nameOf('thread.run', 'failed');
export const ofCancelled = nameOf('thread.run', 'cancelled');
export const ofExpired = nameOf('thread.run', 'expired');
export const ofFailedStep = nameOf('thread.run.step', 'failed');
export const ofCancelledStep = nameOf('thread.run.step', 'cancelled');
export const ofExpiredStep = nameOf('thread.run.step', 'expired');
export const ofIncompleteMessage = nameOf('thread.message', 'incomplete');

export const otherEvents = choice({
  id: 'runs.stream.other-events',
  spec: EVENTS,
  says: 'Which events of other names, with other data, a stream has.',
  alternatives: ['none', 'ping'],
  on: tales(),
  taken: ({ unlisted, ended }) => {
    const kinds = ['thread.run', 'thread.run.step', 'thread.message'];
    const other = unlisted.find(({ data }) => !kinds.includes(text(data, 'object') ?? ''));
    if (other === undefined) return ended ? 'none' : null;
    return other.name === '' ? 'without a name' : other.name;
  },
  examples: { ping: rewritten((frames) => [frameWith('ping', '{}'), ...frames]) },
});

export const toolStepDeltas = stepDeltas(
  'tool',
  'that use built-in tools',
  (step) => typeOf(step) === 'tool_calls' && joinedCalls(step).length === 0,
);

export const outputInDeltas = choice({
  id: 'runs.stream.output-in-deltas',
  spec: EVENTS,
  says: 'Which chunks of a function call carry output.',
  alternatives: ['every one', 'the first', 'none'],
  on: only(tales(), (tale) => callChunks(tale).length > 1),
  taken: (tale) => {
    const told = callChunks(tale).map((chunk) => get(chunk, 'function', 'output') !== undefined);
    if (!told.includes(true)) return 'none';
    if (told.every(Boolean)) return 'every one';
    return told.lastIndexOf(true) === 0 ? 'the first' : 'some of them';
  },
  examples: {
    'every one': retold(named(STEP_DELTA), put(OUTPUT, null)),
    none: retold(named(STEP_DELTA), remove(OUTPUT)),
  },
});

export const annotations = choice({
  id: 'runs.stream.annotations-in-deltas',
  spec: EVENTS,
  says: 'Which text deltas carry annotations.',
  alternatives: ['every one', 'none', 'only when there are some'],
  on: talesOf('thread.message.delta'),
  taken: ({ told }) => {
    const texts = told
      .filter(({ name }) => name === 'thread.message.delta')
      .flatMap(({ data }) => list(data, 'delta', 'content'))
      .flatMap((part) => get(part, 'text') ?? []);
    const lists = texts.map((part) => get(part, 'annotations'));
    if (lists.every((one) => one === undefined)) return 'none';
    if (lists.every((one) => one !== undefined)) return 'every one';
    return lists.every((one) => one === undefined || (Array.isArray(one) && one.length > 0))
      ? 'only when there are some'
      : 'some of them';
  },
  examples: {
    none: retold(named(DELTA), remove(ANNOTATIONS)),
    'only when there are some': inTurn(
      retold(named(DELTA), remove(ANNOTATIONS)),
      retold(firstNamed(DELTA), put(ANNOTATIONS, [{ type: 'file_citation' }])),
    ),
  },
});

export const otherParts = choice({
  id: 'runs.stream.deltas-of-other-parts',
  spec: EVENTS,
  says: 'Which parts of a message beside texts have deltas.',
  alternatives: ['none', 'image_file', 'image_url'],
  on: talesOf('thread.message.delta'),
  taken: ({ told }) => {
    const types = told
      .filter(({ name }) => name === 'thread.message.delta')
      .flatMap(({ data }) => list(data, 'delta', 'content').map((part) => text(part, 'type')));
    return types.find((type) => type !== 'text') ?? 'none';
  },
  examples: {
    image_file: retold(firstNamed(DELTA), put('/delta/content/0/type', 'image_file')),
    image_url: retold(firstNamed(DELTA), put('/delta/content/0/type', 'image_url')),
  },
});

export const contentInProgress = choice({
  id: 'runs.stream.message-in-progress-content',
  spec: EVENTS,
  says: 'What the content of a message is in thread.message.in_progress.',
  alternatives: ['empty', 'a part of it'],
  on: talesOf('thread.message.in_progress'),
  taken: ({ told }) => {
    const event = told.find(({ name }) => name === 'thread.message.in_progress');
    return list(event?.data, 'content').length === 0 ? 'empty' : 'a part of it';
  },
  examples: {
    'a part of it': retold(named('thread.message.in_progress'), put('/content', [{ type: 'text' }])),
  },
});

/** The name of the event that tells something in a state for which no name is shown. */
function nameOf(kind: string, state: string) {
  const noun = kind.split('.').at(-1);
  return choice({
    id: `runs.stream.name-of-${state}-${noun}`,
    spec: EVENTS,
    says: `Which event tells that a ${noun} is ${state}.`,
    alternatives: [`${kind}.${state}`, `${kind}.ended`],
    on: only(tales(), ({ unlisted }) => unlisted.length > 0),
    taken: ({ unlisted }) => {
      const found = unlisted.find(
        ({ data }) => text(data, 'object') === kind && text(data, 'status') === state,
      );
      return found?.name ?? null;
    },
    examples: { [`${kind}.ended`]: renamed(`${kind}.${state}`, `${kind}.ended`) },
  });
}

/** Whether steps of a sort have deltas, too. */
function stepDeltas(sort: string, which: string, concerns: (step: Thing) => boolean) {
  return choice({
    id: `runs.stream.deltas-of-${sort}-steps`,
    spec: EVENTS,
    says: `Whether steps ${which} have deltas.`,
    alternatives: ['deltas', 'none'],
    on: only(tales(), ({ steps, ended }) => ended && steps.some(concerns)),
    taken: ({ steps }) =>
      steps.filter(concerns).some(({ told }) => told.some(({ verb }) => verb === 'delta'))
        ? 'deltas'
        : 'none',
    examples: {
      none: dropped(named(STEP_DELTA)),
      deltas: followed('thread.run.step.in_progress', STEP_DELTA, (step) => ({
        id: get(step, 'id') ?? null,
      })),
    },
  });
}

function typeOf({ told: [first] }: Thing): string | undefined {
  return text(first?.data, 'type');
}

function callChunks({ steps }: Tale): readonly Json[] {
  return steps.flatMap(({ told }) =>
    told
      .filter(({ verb }) => verb === 'delta')
      .flatMap(({ data }) => list(data, 'delta', 'step_details', 'tool_calls'))
      .filter((chunk) => get(chunk, 'type') === 'function'),
  );
}
