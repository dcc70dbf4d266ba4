import { inTurn } from '../../generate/in-turn.ts';
import { choiceOf } from '../../rows/rows.ts';
import { removeValue, setValue } from '../../vocabulary/changes.ts';
import { bearers } from '../../vocabulary/choice-values.ts';
import { frameWithData } from '../../vocabulary/exchanges.ts';
import { arrayAt, textAt, valueAtPath } from '../../vocabulary/json.ts';
import { where } from '../../vocabulary/selectors.ts';
import type { Json } from '../../vocabulary/types.ts';
import { joinedCalls } from './deltas.ts';
import {
  dropRunEvents,
  editRunEvents,
  eventsNamed,
  firstEventNamed,
  insertAfterRunEvents,
  moveRunEvents,
  renameRunEvents,
  rewriteRunStreams,
  setInRunEvents,
} from './mutations.ts';
import { type RunStream, runStreams, runStreamsWith, type StreamedObject, WAITING } from './run-stream.ts';

const DELTA = 'thread.message.delta';
const STEP_DELTA = 'thread.run.step.delta';
const OUTPUT = '/delta/step_details/tool_calls/*/function/output';
const ANNOTATIONS = '/delta/content/*/text/annotations';

export const runsStreamFirstEvent = choiceOf('runs.stream.first-event', {
  selector: where(runStreams, ({ call }) => call.operation.id === 'createThreadAndRun'),
  taken: ({ events: [first] }) => first?.name ?? null,
  examples: { 'thread.run.created': moveRunEvents(eventsNamed('thread.created'), 'back') },
});

export const runsStreamDoneAfterRequiresAction = choiceOf('runs.stream.done-after-requires-action', {
  selector: where(runStreamsWith(WAITING), ({ ended }) => ended),
  taken: ({ events }) => (events.at(-1)?.subject === 'done' ? 'done' : 'no done'),
  examples: { 'no done': dropRunEvents(eventsNamed('done')) },
});

export const runsStreamStepOfWaitingCalls = choiceOf('runs.stream.step-of-waiting-calls', {
  selector: runStreamsWith(WAITING),
  taken: ({ steps, runs }) => {
    const wait = runs.find(({ name }) => name === WAITING)?.place ?? 0;
    const isDone = steps.some(({ events }) =>
      events.some(
        ({ verb, place, data }) =>
          verb === 'completed' && place < wait && valueAtPath(data, 'type') === 'tool_calls',
      ),
    );
    return isDone ? 'completed before' : 'still in progress';
  },
  examples: {
    'completed before': rewriteRunStreams((frames) =>
      frames.flatMap((frame) => {
        const step = '{"id":"step_1","object":"thread.run.step","type":"tool_calls","status":"completed"}';
        return frame.event === WAITING ? [frameWithData('thread.run.step.completed', step), frame] : [frame];
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

export const runsStreamOtherEvents = choiceOf('runs.stream.other-events', {
  selector: runStreams,
  taken: ({ unlisted, ended }) => {
    const kinds = ['thread.run', 'thread.run.step', 'thread.message'];
    const other = unlisted.find(({ data }) => !kinds.includes(textAt(data, 'object') ?? ''));
    if (other === undefined) return ended ? 'none' : null;
    return other.name === '' ? 'without a name' : other.name;
  },
  examples: { ping: rewriteRunStreams((frames) => [frameWithData('ping', '{}'), ...frames]) },
});

export const toolStepDeltas = stepDeltas(
  'tool',
  (step) => typeOf(step) === 'tool_calls' && joinedCalls(step).length === 0,
);

export const runsStreamOutputInDeltas = choiceOf('runs.stream.output-in-deltas', {
  selector: where(runStreams, (stream) => callChunks(stream).length > 1),
  taken: (stream) => {
    const isShown = callChunks(stream).map((chunk) => valueAtPath(chunk, 'function', 'output') !== undefined);
    return bearers(isShown);
  },
  examples: {
    'every one': setInRunEvents(STEP_DELTA, OUTPUT, null),
    none: editRunEvents(eventsNamed(STEP_DELTA), removeValue(OUTPUT)),
  },
});

export const runsStreamAnnotationsInDeltas = choiceOf('runs.stream.annotations-in-deltas', {
  selector: runStreamsWith('thread.message.delta'),
  taken: ({ events }) => {
    const texts = events
      .filter(({ name }) => name === 'thread.message.delta')
      .flatMap(({ data }) => arrayAt(data, 'delta', 'content'))
      .flatMap((part) => valueAtPath(part, 'text') ?? []);
    const lists = texts.map((part) => valueAtPath(part, 'annotations'));
    if (lists.every((one) => one === undefined)) return 'none';
    if (lists.every((one) => one !== undefined)) return 'every one';
    return lists.every((one) => one === undefined || (Array.isArray(one) && one.length > 0))
      ? 'only when there are some'
      : 'some of them';
  },
  examples: {
    none: editRunEvents(eventsNamed(DELTA), removeValue(ANNOTATIONS)),
    'only when there are some': inTurn(
      editRunEvents(eventsNamed(DELTA), removeValue(ANNOTATIONS)),
      editRunEvents(firstEventNamed(DELTA), setValue(ANNOTATIONS, [{ type: 'file_citation' }])),
    ),
  },
});

export const runsStreamDeltasOfOtherParts = choiceOf('runs.stream.deltas-of-other-parts', {
  selector: runStreamsWith('thread.message.delta'),
  taken: ({ events }) => {
    const types = events
      .filter(({ name }) => name === 'thread.message.delta')
      .flatMap(({ data }) => arrayAt(data, 'delta', 'content').map((part) => textAt(part, 'type')));
    return types.find((type) => type !== 'text') ?? 'none';
  },
  examples: {
    image_file: editRunEvents(firstEventNamed(DELTA), setValue('/delta/content/0/type', 'image_file')),
    image_url: editRunEvents(firstEventNamed(DELTA), setValue('/delta/content/0/type', 'image_url')),
  },
});

export const runsStreamMessageInProgressContent = choiceOf('runs.stream.message-in-progress-content', {
  selector: runStreamsWith('thread.message.in_progress'),
  taken: ({ events }) => {
    const event = events.find(({ name }) => name === 'thread.message.in_progress');
    return arrayAt(event?.data, 'content').length === 0 ? 'empty' : 'a part of it';
  },
  examples: { 'a part of it': setInRunEvents('thread.message.in_progress', '/content', [{ type: 'text' }]) },
});

/** The name of the event that reports something in a state for which no name is shown. */
function nameOf(kind: string, state: string) {
  const noun = kind.split('.').at(-1);
  return choiceOf(`runs.stream.name-of-${state}-${noun}`, {
    selector: where(runStreams, ({ unlisted }) => unlisted.length > 0),
    taken: ({ unlisted }) => {
      const found = unlisted.find(
        ({ data }) => textAt(data, 'object') === kind && textAt(data, 'status') === state,
      );
      return found?.name ?? null;
    },
    examples: { [`${kind}.ended`]: renameRunEvents(`${kind}.${state}`, `${kind}.ended`) },
  });
}

/** Whether steps of a sort have deltas, too. */
function stepDeltas(sort: string, concerns: (step: StreamedObject) => boolean) {
  return choiceOf(`runs.stream.deltas-of-${sort}-steps`, {
    selector: where(runStreams, ({ steps, ended }) => ended && steps.some(concerns)),
    taken: ({ steps }) =>
      steps.filter(concerns).some(({ events }) => events.some(({ verb }) => verb === 'delta'))
        ? 'deltas'
        : 'none',
    examples: {
      none: dropRunEvents(eventsNamed(STEP_DELTA)),
      deltas: insertAfterRunEvents('thread.run.step.in_progress', STEP_DELTA, (step) => ({
        id: valueAtPath(step, 'id') ?? null,
      })),
    },
  });
}

function typeOf({ events: [first] }: StreamedObject): string | undefined {
  return textAt(first?.data, 'type');
}

function callChunks({ steps }: RunStream): readonly Json[] {
  return steps.flatMap(({ events }) =>
    events
      .filter(({ verb }) => verb === 'delta')
      .flatMap(({ data }) => arrayAt(data, 'delta', 'step_details', 'tool_calls'))
      .filter((chunk) => valueAtPath(chunk, 'type') === 'function'),
  );
}
