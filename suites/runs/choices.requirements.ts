import { isOnePage } from '../generate/lists.ts';
import { bearers, totalState } from '../rows/choice-values.ts';
import { compileMutation } from '../rows/edits.ts';
import { choiceOf } from '../rows/rows.ts';
import { inEveryResponse, inTurn, setValue } from '../vocabulary/changes.ts';
import { containsRequested } from '../vocabulary/compare.ts';
import { withResponseJson } from '../vocabulary/exchanges.ts';
import { arrayAt, isObject, numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { where } from '../vocabulary/selectors.ts';
import type { Json, Mutation } from '../vocabulary/types.ts';
import { additionalInstructions } from './assistant-runs.ts';
import { followUps } from './follow-ups.ts';
import { runResponses } from './runs.ts';
import {
  type JoinedCall,
  joinMessageText,
  RUN_CREATIONS,
  type RunStream,
  runStreams,
  runStreamsWith,
} from './streams.ts';

export const runsAdditionalInstructionsTold = choiceOf('runs.additional-instructions.told', {
  selector: where(runResponses, ({ asked }) => additionalInstructions(asked) !== ''),
  taken: ({ asked, runs: [first] }) => {
    const instructions = textAt(first?.value, 'instructions');
    return instructions?.includes(additionalInstructions(asked)) === true ? 'told' : 'not told';
  },
});

export const runsNewThreadMetadata = ownerChoice('metadata');
export const runsNewThreadToolResources = ownerChoice('tool_resources');

function ownerChoice(field: 'metadata' | 'tool_resources') {
  const copyToThread: Mutation = (trace) => {
    const findRequested = (thread: string): Json | undefined =>
      trace
        .filter(({ response }) => response?.body.text?.includes(thread) === true)
        .map(({ request }) => valueAtPath(request.body.json?.value, field))
        .find(isNonEmptyObject);
    return inEveryResponse('retrieveThread', (exchange) => {
      const value = findRequested(exchange.request.target.split('/').at(-1) ?? '');
      return value === undefined ? exchange : withResponseJson(exchange, setValue(`/${field}`, value));
    })(trace);
  };
  const emptyInRun = { in: RUN_CREATIONS, set: { [`/${field}`]: {} } };
  const emptyEverywhere = compileMutation([
    emptyInRun,
    { ...emptyInRun, event: 'every', with: { object: 'thread.run' } },
  ]);
  return choiceOf(`runs.new-thread.${field.replaceAll('_', '-')}`, {
    selector: where(
      followUps('retrieveThread'),
      ({ creation }) =>
        creation.call.operation.id === 'createThreadAndRun' &&
        isNonEmptyObject(valueAtPath(creation.asked, field)) &&
        !isNonEmptyObject(valueAtPath(creation.asked, 'thread', field)),
    ),
    taken: ({ creation, run, answer }) => {
      const requestedValue = valueAtPath(creation.asked, field);
      const owners = Object.entries({ 'the run': run, 'the thread': answer })
        .filter(([, value]) => containsRequested(requestedValue, valueAtPath(value, field)))
        .map(([name]) => name);
      return owners.join(' and ') || 'neither';
    },
    examples: {
      'the run and the thread': copyToThread,
      'the thread': inTurn(copyToThread, emptyEverywhere),
      neither: emptyEverywhere,
    },
  });
}

export const runsNewThreadOtherFields = choiceOf('runs.new-thread.other-fields', {
  selector: where(followUps('retrieveThread'), ({ creation }) => threadFields(creation.asked).length > 0),
  taken: ({ creation, answer }) => {
    const fields = threadFields(creation.asked);
    const keptFields = fields.filter(([name, value]) => containsRequested(value, valueAtPath(answer, name)));
    if (keptFields.length === 0) return 'ignored';
    if (keptFields.length === fields.length) return 'kept';
    return `only ${keptFields.map(([name]) => name).join()} kept`;
  },
});

function threadFields(asked: Json | undefined): readonly (readonly [string, Json | undefined])[] {
  return ['metadata', 'tool_resources']
    .map((name) => [name, valueAtPath(asked, 'thread', name)] as const)
    .filter(([, value]) => isNonEmptyObject(value));
}

export const runsNewThreadMessageFields = choiceOf('runs.new-thread.message-fields', {
  selector: where(
    followUps('listMessages'),
    ({ creation, after }) => isOnePage(after) && messageWithMetadata(creation.asked) !== undefined,
  ),
  taken: ({ creation, answer }) => {
    const sent = messageWithMetadata(creation.asked);
    // Another message may have the same text.
    const listed = arrayAt(answer, 'data').filter(
      (message) => joinMessageText(message) === textAt(sent, 'content'),
    );
    if (listed.length === 0) return null;
    const metadata = valueAtPath(sent, 'metadata');
    const isKept = listed.some((message) => containsRequested(metadata, valueAtPath(message, 'metadata')));
    return isKept ? 'kept' : 'ignored';
  },
});

function messageWithMetadata(asked: Json | undefined): Json | undefined {
  return arrayAt(asked, 'thread', 'messages').find((message) =>
    isNonEmptyObject(valueAtPath(message, 'metadata')),
  );
}

function isNonEmptyObject(value: Json | undefined): boolean {
  return isObject(value) && Object.keys(value).length > 0;
}

const DOCUMENTED_STATES = ['queued', 'in_progress', 'requires_action', 'completed', 'incomplete'];

export const runsStatusValues = choiceOf('runs.status.values', {
  selector: runStreams,
  taken: ({ states }) => states.find(({ state }) => !DOCUMENTED_STATES.includes(state))?.state ?? null,
});

export const runsStatusOtherMoves = choiceOf('runs.status.other-moves', {
  selector: where(runStreams, ({ states }) => states.length > 1),
  taken: ({ states }) => {
    const other = states.find(({ state }, i) => {
      const from = states[i - 1]?.state ?? state;
      return from !== state && (from === 'requires_action' || !DOCUMENTED_STATES.includes(state));
    });
    return other?.move ?? null;
  },
});

const completedRuns = where(runStreams, ({ firstByState }) => firstByState['completed'] !== undefined);

export const runsUsageOfSteps = choiceOf('runs.usage.of-steps', {
  selector: where(completedRuns, ({ steps }) => steps.length > 0),
  taken: ({ firstByState, steps }) =>
    totalState(
      numberAt(firstByState['completed'], 'usage', 'total_tokens'),
      steps.map(({ events }) => numberAt(events.at(-1)?.data, 'usage', 'total_tokens')),
    ),
});

const DOCUMENTED_OBJECTS = ['thread.run', 'thread.run.step', 'thread.message'];

export const runsStreamOtherEvents = choiceOf('runs.stream.other-events', {
  selector: runStreams,
  taken: ({ unlisted, ended }) => {
    const other = unlisted.find(({ data }) => !DOCUMENTED_OBJECTS.includes(textAt(data, 'object') ?? ''));
    if (other === undefined) return ended ? 'none' : null;
    return other.name === '' ? 'without a name' : other.name;
  },
});

export const runsStreamOutputInDeltas = choiceOf('runs.stream.output-in-deltas', {
  selector: where(runStreams, (stream) => callInChunks(stream) !== undefined),
  taken: (stream) => {
    const chunks = callInChunks(stream)?.chunks ?? [];
    return bearers(chunks.map(({ value }) => valueAtPath(value, 'function', 'output') !== undefined));
  },
});

function callInChunks({ calls }: RunStream): JoinedCall | undefined {
  return calls.find(({ chunks }) => chunks.length > 1);
}

export const runsStreamAnnotationsInDeltas = choiceOf('runs.stream.annotations-in-deltas', {
  selector: runStreamsWith('thread.message.delta'),
  taken: (stream) => {
    const lists = deltaParts(stream)
      .filter((part) => valueAtPath(part, 'text') !== undefined)
      .map((part) => valueAtPath(part, 'text', 'annotations'));
    if (lists.length === 0) return null;
    if (lists.every((list) => list === undefined)) return 'none';
    if (lists.every((list) => list !== undefined)) return 'every one';
    return lists.every((list) => list === undefined || (Array.isArray(list) && list.length > 0))
      ? 'only when there are some'
      : 'some of them';
  },
});

export const runsStreamDeltasOfOtherParts = choiceOf('runs.stream.deltas-of-other-parts', {
  selector: runStreamsWith('thread.message.delta'),
  taken: (stream) =>
    deltaParts(stream)
      .map((part) => textAt(part, 'type'))
      .find((type) => type !== undefined && type !== 'text') ?? 'none',
});

function deltaParts({ messages }: RunStream): readonly Json[] {
  return messages.flatMap(({ deltas }) => deltas.flatMap(({ data }) => arrayAt(data, 'delta', 'content')));
}
