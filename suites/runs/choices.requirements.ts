import { isOnePage } from '../generate/lists.ts';
import { bearers, totalState } from '../rows/choice-values.ts';
import { mutationOf } from '../rows/edits.ts';
import { choiceOf } from '../rows/rows.ts';
import { inEveryResponse, inTurn, setValue } from '../vocabulary/changes.ts';
import { containsRequested } from '../vocabulary/compare.ts';
import { withResponseJson } from '../vocabulary/exchanges.ts';
import { arrayAt, isObject, numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { where } from '../vocabulary/selectors.ts';
import type { Json, Mutation } from '../vocabulary/types.ts';
import { followUps, runResponses } from './runs.ts';
import {
  joinedMessageText,
  type RunStream,
  runStreams,
  runStreamsWith,
  STREAMING_OPERATIONS,
} from './streams.ts';

export const runsAdditionalInstructionsTold = choiceOf('runs.additional-instructions.told', {
  selector: where(runResponses, ({ asked }) => (textAt(asked, 'additional_instructions') ?? '') !== ''),
  taken: ({ asked, runs: [first] }) => {
    const more = textAt(asked, 'additional_instructions') ?? '';
    return textAt(first?.value, 'instructions')?.includes(more) === true ? 'told' : 'not told';
  },
});

const NEW = 'createThreadAndRun';

export const runsNewThreadMetadata = ownerOf('metadata');
export const runsNewThreadToolResources = ownerOf('tool_resources');

/** Whether a field of the request belongs to the run or to its thread. */
function ownerOf(field: 'metadata' | 'tool_resources') {
  const lent: Mutation = (trace) => {
    const requested = (thread: string): Json | undefined =>
      trace
        .filter(({ response }) => response?.body.text?.includes(thread) === true)
        .map(({ request }) => valueAtPath(request.body.json?.value, field))
        .find(hasNames);
    return inEveryResponse('retrieveThread', (exchange) => {
      const value = requested(exchange.request.target.split('/').at(-1) ?? '');
      return value === undefined ? exchange : withResponseJson(exchange, setValue(`/${field}`, value));
    })(trace);
  };
  const emptied = { in: STREAMING_OPERATIONS, set: { [`/${field}`]: {} } };
  const removed = mutationOf([emptied, { ...emptied, event: 'every', with: { object: 'thread.run' } }]);
  return choiceOf(`runs.new-thread.${field.replaceAll('_', '-')}`, {
    selector: where(
      followUps('retrieveThread'),
      ({ begun }) =>
        begun.call.operation.id === NEW &&
        hasNames(valueAtPath(begun.asked, field)) &&
        !hasNames(valueAtPath(begun.asked, 'thread', field)),
    ),
    taken: ({ begun, run, answer }) => {
      const wanted = valueAtPath(begun.asked, field);
      const owners = Object.entries({ 'the run': run, 'the thread': answer })
        .filter(([, value]) => containsRequested(wanted, valueAtPath(value, field)))
        .map(([name]) => name);
      return owners.join(' and ') || 'neither';
    },
    examples: {
      'the run and the thread': lent,
      'the thread': inTurn(lent, removed),
      neither: removed,
    },
  });
}

export const runsNewThreadOtherFields = choiceOf('runs.new-thread.other-fields', {
  selector: where(followUps('retrieveThread'), ({ begun }) => extras(begun.asked).length > 0),
  taken: ({ begun, answer }) => {
    const all = extras(begun.asked);
    const kept = all.filter(([name, value]) => containsRequested(value, valueAtPath(answer, name)));
    if (kept.length === 0) return 'ignored';
    return kept.length === all.length ? 'kept' : `only ${kept.map(([name]) => name).join()} kept`;
  },
});

function extras(asked: Json | undefined): readonly (readonly [string, Json | undefined])[] {
  return ['metadata', 'tool_resources']
    .map((name) => [name, valueAtPath(asked, 'thread', name)] as const)
    .filter(([, value]) => hasNames(value));
}

export const runsNewThreadMessageFields = choiceOf('runs.new-thread.message-fields', {
  selector: where(
    followUps('listMessages'),
    ({ begun, after }) => isOnePage(after) && labelled(begun.asked) !== undefined,
  ),
  taken: ({ begun, answer }) => {
    const wanted = labelled(begun.asked);
    const found = arrayAt(answer, 'data').find((one) => joinedMessageText(one) === textAt(wanted, 'content'));
    if (found === undefined) return null;
    const isKept = containsRequested(valueAtPath(wanted, 'metadata'), valueAtPath(found, 'metadata'));
    return isKept ? 'kept' : 'ignored';
  },
});

function labelled(asked: Json | undefined): Json | undefined {
  return arrayAt(asked, 'thread', 'messages').find((one) => hasNames(valueAtPath(one, 'metadata')));
}

function hasNames(value: Json | undefined): boolean {
  return isObject(value) && Object.keys(value).length > 0;
}

const SHOWN = ['queued', 'in_progress', 'requires_action', 'completed', 'incomplete'];

export const runsStatusValues = choiceOf('runs.status.values', {
  selector: runStreams,
  taken: ({ states }) => states.find(({ state }) => !SHOWN.includes(state))?.state ?? null,
});

export const runsStatusOtherMoves = choiceOf('runs.status.other-moves', {
  selector: where(runStreams, ({ states }) => states.length > 1),
  taken: ({ states }) => {
    const other = states.find(({ state, way }) => {
      const [from] = way?.split(' to ') ?? [state];
      return from !== state && (from === 'requires_action' || !SHOWN.includes(state));
    });
    return other?.way ?? null;
  },
});

const completedRuns = where(runStreams, ({ firstIn }) => firstIn['completed'] !== undefined);

export const runsUsageOfSteps = choiceOf('runs.usage.of-steps', {
  selector: where(completedRuns, ({ steps }) => steps.length > 0),
  taken: ({ firstIn, steps }) =>
    totalState(
      numberAt(firstIn['completed'], 'usage', 'total_tokens'),
      steps.map(({ events }) => numberAt(events.at(-1)?.data, 'usage', 'total_tokens')),
    ),
});

const KINDS = ['thread.run', 'thread.run.step', 'thread.message'];

export const runsStreamOtherEvents = choiceOf('runs.stream.other-events', {
  selector: runStreams,
  taken: ({ unlisted, ended }) => {
    const other = unlisted.find(({ data }) => !KINDS.includes(textAt(data, 'object') ?? ''));
    if (other === undefined) return ended ? 'none' : null;
    return other.name === '' ? 'without a name' : other.name;
  },
});

export const runsStreamOutputInDeltas = choiceOf('runs.stream.output-in-deltas', {
  selector: where(runStreams, (stream) => chunksOf(stream).length > 1),
  taken: (stream) =>
    bearers(chunksOf(stream).map(({ value }) => valueAtPath(value, 'function', 'output') !== undefined)),
});

function chunksOf({ calls }: RunStream) {
  return calls.flatMap(({ chunks }) => chunks).toSorted((a, b) => a.event - b.event);
}

export const runsStreamAnnotationsInDeltas = choiceOf('runs.stream.annotations-in-deltas', {
  selector: runStreamsWith('thread.message.delta'),
  taken: (stream) => {
    const lists = partsOf(stream)
      .filter((part) => valueAtPath(part, 'text') !== undefined)
      .map((part) => valueAtPath(part, 'text', 'annotations'));
    if (lists.every((one) => one === undefined)) return 'none';
    if (lists.every((one) => one !== undefined)) return 'every one';
    return lists.every((one) => one === undefined || (Array.isArray(one) && one.length > 0))
      ? 'only when there are some'
      : 'some of them';
  },
});

export const runsStreamDeltasOfOtherParts = choiceOf('runs.stream.deltas-of-other-parts', {
  selector: runStreamsWith('thread.message.delta'),
  taken: (stream) =>
    partsOf(stream)
      .map((part) => textAt(part, 'type'))
      .find((type) => type !== 'text') ?? 'none',
});

function partsOf({ messages }: RunStream): readonly Json[] {
  return messages.flatMap(({ deltas }) => deltas.flatMap(({ data }) => arrayAt(data, 'delta', 'content')));
}
