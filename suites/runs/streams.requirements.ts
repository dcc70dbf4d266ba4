// Requirements on runs, most of them streamed, that rows of `requirements.json` cannot express.
import { lossesIn } from '../generate/kept-content.ts';
import { refusedStreamRequirement } from '../generate/refused-streams.ts';
import { extendPlace } from '../rows/places.ts';
import { rowOf } from '../rows/rows.ts';
import { arrayAt, numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { that, where } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type { Json, RequestEvidence, Violation } from '../vocabulary/types.ts';
import {
  COMPLETED,
  RUN_CREATIONS,
  type RunStream,
  runStreamOf,
  runStreams,
  type StreamedObject,
  WAITING,
} from './streams.ts';

export const runsStreamAllEnded = rowOf('runs.stream.all-ended-at-completion', {
  evidence: runStreams,
  check: ({ completion, steps, messages, unlisted }) =>
    [...steps, ...messages]
      .filter(({ id, completed }) => {
        const isEnded = completed !== undefined && completed.n < (completion?.n ?? 0);
        // An unlisted event may report an end other than completion, such as a failure.
        return !isEnded && !unlisted.some(({ data }) => isEndedWork(data) && textAt(data, 'id') === id);
      })
      .map(({ id }) => violation(completion?.at ?? '', `the end of ${id} before it`, COMPLETED)),
});

function isEndedWork(data: Json | undefined): boolean {
  return isWork(data) && textAt(data, 'status') !== 'in_progress';
}

function isWork(data: Json | undefined): boolean {
  return ['thread.run.step', 'thread.message'].includes(textAt(data, 'object') ?? '');
}

export const runsStreamThreadCreatedOnce = rowOf('runs.stream.thread-created-once', {
  evidence: runStreams,
  check: ({ all: [first], threads }) => {
    if (threads.length > 0)
      return threads.slice(1).map(({ at, name }) => violation(at, 'no second one', name));
    return first === undefined ? [] : [violation(first.at, 'thread.created in the stream', first.name)];
  },
});

export const runsStreamStatedNames = rowOf('runs.stream.stated-names', {
  evidence: runStreams,
  check: ({ events, unlisted }) =>
    unlisted.flatMap((event): Violation[] => {
      const expected = statedName(event.data);
      const id = textAt(event.data, 'id');
      // Unlisted events may repeat a listed one.
      const isReported = events.some(({ name, data }) => name === expected && textAt(data, 'id') === id);
      return expected === undefined || isReported ? [] : [violation(event.at, expected, event.name)];
    }),
});

function statedName(data: Json | undefined): string | undefined {
  const [object, status] = [textAt(data, 'object'), textAt(data, 'status')];
  if (object === 'thread.run' && status === 'requires_action') return WAITING;
  const isNamed = status === 'completed' && (object === 'thread.run' || isWork(data));
  return isNamed ? `${object}.completed` : undefined;
}

export const runsStreamOneDataLine = rowOf('runs.stream.one-data-line', {
  evidence: runStreams,
  check: ({ events, all }) => [
    ...events
      .filter(({ text }) => text.includes('\n'))
      .map(({ at, text }) => violation(at, 'one line of data', `${text.split('\n').length} lines`)),
    ...all
      .filter(
        ({ fields }) =>
          fields.filter((name, i) => name !== fields[i - 1] || name !== 'data').join() !== 'event,data',
      )
      .map(({ at, fields }) => violation(at, 'an event line, then a data line', fields.join(', '))),
  ],
});

export const runsStreamDataIsJson = rowOf('runs.stream.data-is-json', {
  evidence: runStreams,
  check: ({ unlisted }) =>
    unlisted.filter(({ data }) => data === undefined).map(({ at, text }) => violation(at, 'JSON', text)),
});

export const runsStreamDeltasAreMessage = rowOf('runs.stream.deltas-are-message', {
  evidence: runStreams,
  check: ({ messages }) => messages.flatMap(textDifferences),
});

function textDifferences({ completed, texts }: StreamedObject): Violation[] {
  if (completed === undefined) return [];
  const parts = arrayAt(completed.data, 'content');
  return [...new Set([...texts.keys(), ...parts.keys()])].flatMap((i): Violation[] => {
    const part = parts[i];
    if (part !== undefined && valueAtPath(part, 'type') !== 'text') return [];
    const expected = texts.get(i) ?? '';
    const actual = textAt(part, 'text', 'value');
    // A part without text may be missing.
    if (actual === expected || (part === undefined && expected === '')) return [];
    return [violation(`${completed.at} /content/${i}/text/value`, JSON.stringify(expected), actual)];
  });
}

export const runsStreamCallsWholeWhenWaiting = rowOf('runs.stream.calls-whole-when-waiting', {
  evidence: runStreams,
  check: ({ runs, calls, unlisted }) => {
    const waitEvent = runs.at(-1);
    // The specification does not say how a run continues once its outputs are submitted.
    if (waitEvent?.name !== WAITING || unlisted.some(({ n }) => n > waitEvent.n)) return [];
    return calls.flatMap(({ chunks }) =>
      chunks.flatMap(({ at, event, value }) => {
        const added = textAt(value, 'function', 'arguments') ?? '';
        if (event <= waitEvent.n || added === '') return [];
        return [violation(`${at}/function/arguments`, `none after the wait at ${waitEvent.at}`, added)];
      }),
    );
  },
});

export const runsStreamCompletedHasWork = rowOf('runs.stream.completed-has-work', {
  evidence: runStreams,
  check: ({ completion, steps, messages, unlisted }) =>
    steps.length + messages.length > 0 || unlisted.some(({ data }) => isWork(data))
      ? []
      : [violation(completion?.at ?? 'stream', 'a step or a message before it', 'none')],
});

const SETTINGS = ['metadata', 'tool_resources', 'tools'];

export const runsStreamKeepsSettings = rowOf('runs.stream.keeps-settings', {
  evidence: runStreams,
  check: ({ runs: [first, ...later] }) =>
    later.flatMap(({ at, data }) =>
      SETTINGS.flatMap((field) => {
        const place = { at: extendPlace(at, field), by: first?.at ?? '' };
        return lossesIn(valueAtPath(first?.data, field), valueAtPath(data, field), place);
      }),
    ),
});

const BUDGETS = { max_prompt_tokens: 'prompt_tokens', max_completion_tokens: 'completion_tokens' };

export const runsBudgetCompletedWithin = rowOf('runs.budget.completed-within', {
  evidence: where(
    runStreams,
    that('of a run with a budget that completed, failed or expired', (stream) =>
      runsHeldToBudget(stream).some(({ value }) =>
        Object.keys(BUDGETS).some((field) => numberAt(value, field) !== undefined),
      ),
    ),
  ),
  check: (stream) =>
    runsHeldToBudget(stream).flatMap(({ at, value }) =>
      Object.entries(BUDGETS).flatMap(([field, usageField]) => {
        const [limit, actual] = [numberAt(value, field), numberAt(value, 'usage', usageField)];
        if (limit === undefined || actual === undefined || actual <= limit) return [];
        return [violation(`${at} /usage/${usageField}`, `at most ${limit}, or an incomplete run`, actual)];
      }),
    ),
});

/** Ended runs, except incomplete ones, which may exceed their budget, and cancelled ones, which the caller ended. */
function runsHeldToBudget({ states }: RunStream): RunStream['states'] {
  return states.filter(({ state }) => ['completed', 'failed', 'expired'].includes(state));
}

/** A target may reject the run or let it fail. */
export const runsCreateNeedsAssistant = rowOf<RequestEvidence>('runs.create.needs-assistant', {
  check: ({ call }) => {
    const stream = runStreamOf(call);
    if (stream === null) {
      const status = valueAtPath(call.responseJson, 'status');
      return status === 'completed' ? [violation('/status', 'any status but completed', status)] : [];
    }
    const { completion } = stream;
    return completion === undefined ? [] : [violation(completion.at, `no ${COMPLETED}`, COMPLETED)];
  },
});

export const runsStreamRefusedByStatus = refusedStreamRequirement(
  'runs.stream.refused-by-status',
  RUN_CREATIONS,
);
