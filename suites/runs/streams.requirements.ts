// The order of the events of a run, by the rules of grammar.json.
import {
  concerns,
  concernsInWords,
  type EventSequence,
  type OrderRule,
  orderRules,
  orderViolations,
  overSeveralLines,
  refusedStreamRequirement,
  severalLines,
} from '../generate/streams.ts';
import { rowOf } from '../rows/rows.ts';
import { setInEvent, setValue } from '../vocabulary/changes.ts';
import { frameWithData } from '../vocabulary/exchanges.ts';
import { arrayAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { BehaviourRequirement, Json, Violation } from '../vocabulary/types.ts';
import {
  dropRunEvents,
  editRunEvents,
  eventsNamed,
  inEachOperation,
  orderMutations,
  renameRunEvents,
  rewriteRunStreams,
  setInRunEvents,
} from './mutations.ts';
import {
  COMPLETED,
  firstEventOf,
  joinedTexts,
  type RunStream,
  runStreams,
  runStreamsWith,
  STREAMING_OPERATIONS,
  type StreamedObject,
  WAITING,
  withMessage,
  withRun,
} from './streams.ts';

export const runsStreamOrder = orderRules('runs').map(orderRequirement);

function orderRequirement(rule: OrderRule): BehaviourRequirement<RunStream> {
  const { id, basis, spec, says } = rule;
  return section(spec)[basis](id, {
    says,
    selector: where(
      runStreams,
      that('that was not interrupted, and went beyond a state that leaves its end open', (stream) =>
        isJudged(rule, stream),
      ),
      that(concernsInWords(rule), (stream) =>
        sequencesOf(rule, stream).some((sequence) => concerns(rule, sequence)),
      ),
    ),
    check: (stream) => sequencesOf(rule, stream).flatMap((sequence) => orderViolations(rule, sequence)),
    mutations: orderMutations(rule),
  });
}

function isJudged(rule: OrderRule, { ended, runs, unlisted }: RunStream): boolean {
  if (!('end' in rule)) return true;
  const last = runs.at(-1);
  const later = unlisted.some(({ n, data }) => n > (last?.n ?? 0) && textAt(data, 'object') === 'thread.run');
  return ended && (last?.name !== rule.openAfter || later);
}

function sequencesOf(rule: OrderRule, stream: RunStream): readonly EventSequence[] {
  const { events, unlisted, runs } = stream;
  const unlistedObjects = unlisted.map(({ data }) => textAt(data, 'object'));
  if (rule.each === undefined) return [{ events, unlisted, unlistedObjects }];
  const objects = { step: stream.steps, message: stream.messages };
  return Object.entries(objects).flatMap(([kind, all]) =>
    rule.each?.includes(kind) === true
      ? all.map(({ id, events: own }) => ({
          events: 'before' in rule ? [...own, ...runs].toSorted((a, b) => a.n - b.n) : own,
          unlisted: [],
          unlistedObjects: unlisted
            .filter(({ data }) => textAt(data, 'id') === id)
            .map(({ data }) => textAt(data, 'object')),
        }))
      : [],
  );
}

const toItsEnd = that<RunStream>('that was not interrupted', ({ ended }) => ended);

export const runsStreamThreadCreatedOnce = rowOf('runs.stream.thread-created-once', {
  evidence: where(runStreams, of('createThreadAndRun'), toItsEnd),
  check: ({ events }) => {
    const created = events.filter(({ subject }) => subject === 'thread');
    if (created.length > 0)
      return created.slice(1).map(({ at, name }) => violation(at, 'no second one', name));
    return events.slice(0, 1).map(({ at, name }) => violation(at, 'thread.created in the stream', name));
  },
});

const withThread = that<RunStream>('with thread.created', ({ events }) =>
  events.some(({ subject }) => subject === 'thread'),
);

export const runsStreamThreadOfRun = rowOf('runs.stream.thread-of-run', {
  evidence: where(runStreams, withRun, withThread),
  check: ({ events, runs: [run] }) => {
    const made = events.find(({ subject }) => subject === 'thread');
    const id = textAt(made?.data, 'id');
    if (run === undefined || valueAtPath(run.data, 'thread_id') === id) return [];
    return [violation(`${run.at} /thread_id`, String(id), valueAtPath(run.data, 'thread_id'))];
  },
  broken_by: {
    'another thread': inEachOperation(['createThreadAndRun'], (operation) =>
      setInEvent(operation, eventsNamed('thread.created'), '/id', 'thread_other'),
    ),
  },
});

function of(operation: string) {
  return that<RunStream>(`of ${operation}`, ({ call }) => call.operation.id === operation);
}

export const runsStreamStatedNames = rowOf('runs.stream.stated-names', {
  evidence: where(
    runStreams,
    that('with an event', ({ events, unlisted }) => events.length + unlisted.length > 0),
  ),
  check: (stream) =>
    stream.unlisted.flatMap((event): Violation[] => {
      const due = statedName(event.data);
      const id = textAt(event.data, 'id');
      // Unlisted events may repeat a listed one.
      const isTold = stream.events.some(({ name, data }) => name === due && textAt(data, 'id') === id);
      return due === undefined || isTold ? [] : [violation(event.at, due, event.name)];
    }),
  broken_by: {
    'another name of the completion': renameRunEvents(COMPLETED, 'thread.run.done'),
    'another name of waiting': renameRunEvents(WAITING, 'thread.run.action_required'),
    'another name of the end of a message': renameRunEvents(
      'thread.message.completed',
      'thread.message.done',
    ),
    'another name of the end of a step': renameRunEvents('thread.run.step.completed', 'thread.run.step.done'),
  },
});

export const runsStreamOneDataLine = rowOf('runs.stream.one-data-line', {
  evidence: runStreams,
  check: ({ events }) => severalLines(events),
  broken_by: {
    'over several lines': inEachOperation(STREAMING_OPERATIONS, (operation) => overSeveralLines(operation)),
    'only the first of them': inEachOperation(STREAMING_OPERATIONS, (operation) =>
      overSeveralLines(operation, 'first'),
    ),
  },
});

function statedName(data: Json | undefined): string | undefined {
  const [object, status] = [textAt(data, 'object'), textAt(data, 'status')];
  if (object === 'thread.run' && (status === 'completed' || status === 'requires_action'))
    return `thread.run.${status}`;
  const isPart = object === 'thread.run.step' || object === 'thread.message';
  return isPart && status === 'completed' ? `${object}.completed` : undefined;
}

const MESSAGE = 'thread.message';
const STEP_DELTA = 'thread.run.step.delta';
export const runsStreamDeltasAreMessage = rowOf('runs.stream.deltas-are-message', {
  evidence: runStreamsWith(`${MESSAGE}.completed`),
  check: ({ messages }) => messages.flatMap(textDifferences),
  broken_by: {
    'a part without deltas': setInRunEvents(`${MESSAGE}.completed`, '/content', (parts) => [
      ...arrayAt(parts),
      ...arrayAt(parts),
    ]),
  },
});

export const runsStreamWaitingAfterDeltas = rowOf('runs.stream.waiting-after-deltas', {
  evidence: runStreamsWith(WAITING),
  check: (stream) => {
    const wait = stream.runs.find(({ name }) => name === WAITING);
    const called = stream.calls
      .flatMap(({ chunks }) => chunks)
      .some(({ place }) => place < (wait?.place ?? 0));
    return wait === undefined || called
      ? []
      : [violation(wait.at, `${STEP_DELTA} with a function call before it`, wait.name)];
  },
});

export const runsStreamCallsWholeWhenWaiting = rowOf('runs.stream.calls-whole-when-waiting', {
  evidence: runStreamsWith(WAITING),
  check: ({ runs, calls, unlisted }) => {
    const wait = runs.findLast(({ name }) => name === WAITING);
    // The specification does not show how a run continues with the outputs.
    if (wait === undefined || wait !== runs.at(-1) || unlisted.some(({ n }) => n > wait.n)) return [];
    return calls
      .flatMap(({ chunks }) => chunks)
      .filter(
        ({ place, value }) => place > wait.place && (textAt(value, 'function', 'arguments') ?? '') !== '',
      )
      .map(({ at, value }) =>
        violation(
          `${at}/function/arguments`,
          `none, the run waits since ${wait.at}`,
          valueAtPath(value, 'function', 'arguments'),
        ),
      );
  },
  broken_by: {
    'waits too early': rewriteRunStreams((frames) => {
      const wait = frames.filter(({ event }) => event === WAITING);
      const others = frames.filter(({ event }) => event !== WAITING);
      const at = others.findLastIndex(({ event }) => event === 'thread.run.step.in_progress');
      return others.toSpliced(at + 1, 0, ...wait);
    }),
  },
});

function textDifferences(message: StreamedObject): Violation[] {
  const end = message.events.find(({ verb }) => verb === 'completed');
  if (end === undefined) return [];
  const texts = joinedTexts(message);
  const parts = arrayAt(end.data, 'content');
  const indexes = new Set([...texts.keys(), ...parts.keys()]);
  return [...indexes].flatMap((i): Violation[] => {
    const part = parts[i];
    if (part !== undefined && valueAtPath(part, 'type') !== 'text') return [];
    const expected = texts.get(i) ?? '';
    const actual = textAt(part, 'text', 'value');
    // A part without text may be missing.
    if (actual === expected || (part === undefined && expected === '')) return [];
    return [violation(`${end.at} /content/${i}/text/value`, JSON.stringify(expected), actual)];
  });
}

export const runsStreamMessageHasStep = rowOf('runs.stream.message-has-step', {
  evidence: where(runStreamsWith(COMPLETED), withMessage),
  check: (stream) => {
    const named = stream.steps.map(messageIdOf);
    return stream.messages
      .filter(({ id }) => !named.includes(id))
      .map((message) => objection(message, 'a step that writes this message'));
  },
  broken_by: {
    'no step for it': dropRunEvents((frames) =>
      frames.flatMap(({ event }, i) => (event.startsWith('thread.run.step.') ? [i] : [])),
    ),
    'the step names another': editRunEvents(
      (frames) => frames.flatMap(({ event }, i) => (event.startsWith('thread.run.step.') ? [i] : [])),
      setValue('/step_details/message_creation/message_id', 'msg_other'),
    ),
  },
});

const withWritingStep = that<RunStream>('with a completed step that names a message', ({ steps }) =>
  steps.some((step) => completes(step) && messageIdOf(step) !== undefined),
);

export const runsStreamStepHasMessage = rowOf('runs.stream.step-has-message', {
  evidence: where(runStreams, withWritingStep),
  check: ({ steps, messages }) =>
    steps
      .filter((step) => completes(step) && messageIdOf(step) !== undefined)
      .filter((step) => !messages.some(({ id }) => id === messageIdOf(step)))
      .map((step) => objection(step, `the message ${messageIdOf(step)}`)),
  broken_by: {
    'another message': editRunEvents(
      (frames) => frames.flatMap(({ event }, i) => (event.startsWith('thread.message.') ? [i] : [])),
      setValue('/id', 'msg_other'),
    ),
    'no message': dropRunEvents((frames) =>
      frames.flatMap(({ event }, i) => (event.startsWith('thread.message.') ? [i] : [])),
    ),
  },
});

function completes({ events }: StreamedObject): boolean {
  return events.some(({ verb }) => verb === 'completed');
}

function messageIdOf({ events }: StreamedObject): string | undefined {
  const named = events.map(({ data }) => textAt(data, 'step_details', 'message_creation', 'message_id'));
  return named.find((id) => id !== undefined);
}

function objection({ id, events: [first] }: StreamedObject, expected: string): Violation {
  return violation(first?.at ?? '', expected, `${first?.name} ${id}`);
}

export const runsStreamCompletedHasWork = rowOf('runs.stream.completed-has-work', {
  evidence: runStreamsWith(COMPLETED),
  check: (stream) => {
    const kinds = ['thread.message', 'thread.run.step'];
    const isToldElsewhere = stream.unlisted.some(({ data }) => kinds.includes(textAt(data, 'object') ?? ''));
    if (stream.steps.length + stream.messages.length > 0 || isToldElsewhere) return [];
    return [
      violation(firstEventOf(stream, COMPLETED)?.at ?? 'stream', 'a step or a message before it', 'none'),
    ];
  },
  broken_by: {
    'work without an id': rewriteRunStreams((frames) =>
      frames.map((frame) =>
        isOfWork(frame.event)
          ? frameWithData(frame.event, JSON.stringify({ ...JSON.parse(frame.data), id: null, object: null }))
          : frame,
      ),
    ),
    'nothing but the run': dropRunEvents((frames) =>
      frames.flatMap(({ event }, i) => (isOfWork(event) ? [i] : [])),
    ),
  },
});

function isOfWork(event: string): boolean {
  return /^thread\.(message|run\.step)\./.test(event);
}

export const runsStreamRefusedByStatus = refusedStreamRequirement({
  id: 'runs.stream.refused-by-status',
  spec: '1 Runs',
  operations: ['createRun', 'createThreadAndRun'],
});
