import { UNKNOWN_MODEL } from '../models/samples.ts';
import { choiceOf } from '../rows/rows.ts';
import { inEveryResponse, inTurn, setValue } from '../vocabulary/changes.ts';
import { outcome } from '../vocabulary/choice-shapes.ts';
import { bearers, totalState } from '../vocabulary/choice-values.ts';
import { containsRequested } from '../vocabulary/compare.ts';
import { frameWithData, withResponseJson } from '../vocabulary/exchanges.ts';
import { arrayAt, isObject, numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { asks, decided, requests, settled, where } from '../vocabulary/selectors.ts';
import type { Json, Mutation } from '../vocabulary/types.ts';
import {
  dropRunEvents,
  editRuns,
  eventsNamed,
  insertAfterRunEvents,
  rejectRequests,
  renameRunEvents,
  rewriteRunStreams,
  setInRunEvents,
} from './mutations.ts';
import { followUps, givenMessages, isCompleteResponse, runResponseOf, runResponses } from './runs.ts';
import {
  joinedCalls,
  joinedMessageText,
  type RunStream,
  runStreams,
  runStreamsWith,
  STREAMING_OPERATIONS,
  type StreamedObject,
  WAITING,
} from './streams.ts';

export const truncationAuto = truncation('auto');
export const truncationLast = truncation('last_messages');

export const runsCallerMessagesRunId = choiceOf('runs.caller-messages.run-id', {
  selector: where(
    followUps(['listMessages']),
    ({ begun, after }) => isCompleteResponse(after) && given(begun.asked).length > 0,
  ),
  taken: ({ begun, answer }) => {
    const texts = given(begun.asked).map((message) => textAt(message, 'content'));
    const found = arrayAt(answer, 'data').filter(
      (one) => valueAtPath(one, 'role') === 'user' && texts.includes(joinedMessageText(one)),
    );
    if (found.length === 0) return null;
    return found.some((one) => (valueAtPath(one, 'run_id') ?? null) !== null) ? 'set' : 'null';
  },
});

export const runsAdditionalInstructionsTold = choiceOf('runs.additional-instructions.told', {
  selector: where(runResponses, ({ asked }) => (textAt(asked, 'additional_instructions') ?? '') !== ''),
  taken: ({ asked, runs: [first] }) => {
    const more = textAt(asked, 'additional_instructions') ?? '';
    return textAt(first?.value, 'instructions')?.includes(more) === true ? 'told' : 'not told';
  },
});

export const runsModelUnknown = choiceOf('runs.model.unknown', {
  selector: where(requests(STREAMING_OPERATIONS), asks('model', UNKNOWN_MODEL), settled),
  taken: ({ call }) => {
    if (call.responseClass !== 'accepted') return 'refused';
    const states = runResponseOf(call)?.runs.map(({ value }) => textAt(value, 'status')) ?? [];
    return states.includes('failed') ? 'failed' : states.includes('completed') ? 'answered' : null;
  },
});

function truncation(type: 'auto' | 'last_messages') {
  return choiceOf(`runs.truncation.${type.replaceAll('_', '-')}`, {
    selector: where(requests(STREAMING_OPERATIONS), asks('truncation_strategy.type', type), decided),
    taken: ({ asked, call }) => {
      const run = runResponseOf(call)?.runs[0]?.value;
      if (call.responseClass === 'rejected') return 'refused';
      const isKept = containsRequested(
        valueAtPath(asked, 'truncation_strategy'),
        valueAtPath(run, 'truncation_strategy'),
      );
      return isKept ? 'kept' : 'changed';
    },
    examples: {
      changed: editRuns(setValue('/truncation_strategy', { type: 'other' })),
      refused: rejectRequests,
    },
  });
}

function given(asked: Json | undefined): readonly Json[] {
  return givenMessages(asked).filter(
    (one) => valueAtPath(one, 'role') === 'user' && textAt(one, 'content') !== undefined,
  );
}

const NEW = 'createThreadAndRun';

export const runsNewThreadMetadata = choiceOf('runs.new-thread.metadata', {
  selector: where(
    followUps(['retrieveThread']),
    ({ begun }) =>
      begun.call.operation.id === NEW &&
      hasNames(valueAtPath(begun.asked, 'metadata')) &&
      !hasNames(valueAtPath(begun.asked, 'thread', 'metadata')),
  ),
  taken: ({ begun, run, answer }) => {
    const wanted = valueAtPath(begun.asked, 'metadata');
    return ownersOf({
      run: containsRequested(wanted, valueAtPath(run, 'metadata')),
      thread: containsRequested(wanted, valueAtPath(answer, 'metadata')),
    });
  },
  examples: owned('metadata'),
});

export const runsNewThreadToolResources = choiceOf('runs.new-thread.tool-resources', {
  selector: where(
    followUps(['retrieveThread']),
    ({ begun }) =>
      begun.call.operation.id === NEW &&
      hasNames(valueAtPath(begun.asked, 'tool_resources')) &&
      !hasNames(valueAtPath(begun.asked, 'thread', 'tool_resources')),
  ),
  taken: ({ begun, run, answer }) => {
    const wanted = valueAtPath(begun.asked, 'tool_resources');
    return ownersOf({
      run: containsRequested(wanted, valueAtPath(run, 'tool_resources')),
      thread: containsRequested(wanted, valueAtPath(answer, 'tool_resources')),
    });
  },
  examples: owned('tool_resources'),
});

export const runsNewThreadOtherFields = choiceOf('runs.new-thread.other-fields', {
  selector: where(followUps(['retrieveThread']), ({ begun }) => extras(begun.asked).length > 0),
  taken: ({ begun, answer }) => {
    const kept = extras(begun.asked).filter(([name, value]) =>
      containsRequested(value, valueAtPath(answer, name)),
    );
    if (kept.length === 0) return 'ignored';
    return kept.length === extras(begun.asked).length
      ? 'kept'
      : `only ${kept.map(([name]) => name).join()} kept`;
  },
});

export const runsNewThreadFieldsAccepted = choiceOf('runs.new-thread.fields-accepted', {
  selector: where(
    requests(NEW),
    decided,
    ({ asked }) => extras(asked).length > 0 || arrayAt(asked, 'thread', 'messages').some(hasMetadata),
  ),
  taken: outcome('accepted'),
});

export const runsNewThreadMessageFields = choiceOf('runs.new-thread.message-fields', {
  selector: where(
    followUps(['listMessages']),
    ({ begun, after }) => isCompleteResponse(after) && labelled(begun.asked) !== undefined,
  ),
  taken: ({ begun, answer }) => {
    const wanted = labelled(begun.asked);
    const found = arrayAt(answer, 'data').find((one) => joinedMessageText(one) === textAt(wanted, 'content'));
    if (found === undefined) return null;
    return containsRequested(valueAtPath(wanted, 'metadata'), valueAtPath(found, 'metadata'))
      ? 'kept'
      : 'ignored';
  },
});

function owned(field: 'metadata' | 'tool_resources'): Readonly<Record<string, Mutation>> {
  const lent: Mutation = (trace) => {
    const given = (thread: string): Json | undefined =>
      trace
        .filter(({ response }) => response?.body.text?.includes(thread) === true)
        .map(({ request }) => valueAtPath(request.body.json?.value, field))
        .find(hasNames);
    return inEveryResponse('retrieveThread', (exchange) => {
      const value = given(exchange.request.target.split('/').at(-1) ?? '');
      return value === undefined ? exchange : withResponseJson(exchange, setValue(`/${field}`, value));
    })(trace);
  };
  const taken = editRuns(setValue(`/${field}`, {}));
  return { 'the run and the thread': lent, 'the thread': inTurn(lent, taken), neither: taken };
}

function ownersOf({ run, thread }: { readonly run: boolean; readonly thread: boolean }): string {
  if (run && thread) return 'the run and the thread';
  if (run) return 'the run';
  return thread ? 'the thread' : 'neither';
}

function hasNames(value: Json | undefined): boolean {
  return isObject(value) && Object.keys(value).length > 0;
}

function labelled(asked: Json | undefined): Json | undefined {
  return arrayAt(asked, 'thread', 'messages').find((one) => hasNames(valueAtPath(one, 'metadata')));
}

function hasMetadata(message: Json): boolean {
  return hasNames(valueAtPath(message, 'metadata'));
}

function extras(asked: Json | undefined): readonly (readonly [string, Json | undefined])[] {
  const names = ['metadata', 'tool_resources'] as const;
  return names
    .map((name) => [name, valueAtPath(asked, 'thread', name)] as const)
    .filter(([, value]) => hasNames(value));
}

const SHOWN = ['queued', 'in_progress', 'requires_action', 'completed', 'incomplete'];

const OTHERS = ['cancelling', 'cancelled', 'failed', 'expired'];
const inState = (state: string) => where(runStreams, (stream) => runIn(stream, state) !== undefined);

export const runsStatusValues = choiceOf('runs.status.values', {
  selector: runStreams,
  taken: (stream) => stream.states.find(({ state }) => !SHOWN.includes(state))?.state ?? null,
  examples: Object.fromEntries(
    OTHERS.map((state) => [state, setInRunEvents('thread.run.incomplete', '/status', state)]),
  ),
});

export const runsStatusOtherMoves = choiceOf('runs.status.other-moves', {
  selector: where(runStreams, (stream) => stream.states.length > 1),
  taken: (stream) => {
    const states = stream.states.map(({ state }) => state);
    const ways = states.slice(1).map((state, i) => [states[i] ?? '', state] as const);
    const other = ways.find(
      ([from, to]) => from !== to && (from === 'requires_action' || !SHOWN.includes(to)),
    );
    return other === undefined ? null : other.join(' to ');
  },
  examples: {
    'requires_action to queued': insertAfterRunEvents(
      WAITING,
      'thread.run.queued',
      setValue('/status', 'queued'),
    ),
  },
});

export const runsUsageOfSteps = choiceOf('runs.usage.of-steps', {
  selector: where(inState('completed'), ({ steps }) => steps.length > 0),
  taken: (stream) => {
    const parts = stream.steps.map(({ events }) => numberAt(events.at(-1)?.data, 'usage', 'total_tokens'));
    return totalState(numberAt(runIn(stream, 'completed'), 'usage', 'total_tokens'), parts);
  },
});

function runIn(stream: RunStream, wanted: string): Json | undefined {
  return stream.firstIn[wanted];
}

const STEP_DELTA = 'thread.run.step.delta';
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
});

export const runsStreamDeltasOfOtherParts = choiceOf('runs.stream.deltas-of-other-parts', {
  selector: runStreamsWith('thread.message.delta'),
  taken: ({ events }) => {
    const types = events
      .filter(({ name }) => name === 'thread.message.delta')
      .flatMap(({ data }) => arrayAt(data, 'delta', 'content').map((part) => textAt(part, 'type')));
    return types.find((type) => type !== 'text') ?? 'none';
  },
});

export const runsStreamMessageInProgressContent = choiceOf('runs.stream.message-in-progress-content', {
  selector: runStreamsWith('thread.message.in_progress'),
  taken: ({ events }) => {
    const event = events.find(({ name }) => name === 'thread.message.in_progress');
    return arrayAt(event?.data, 'content').length === 0 ? 'empty' : 'a part of it';
  },
});

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
