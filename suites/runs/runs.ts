import { follow, LruMap, precedes } from '../vocabulary/collecting.ts';
import { arrayAt, isObject, listElements, textAt, valueAtPath } from '../vocabulary/json.ts';
import { stateless, successions, that, where } from '../vocabulary/selectors.ts';
import type { Call, CallSuccession, Evidence, Exchange, Json, Selector } from '../vocabulary/types.ts';
import {
  isStreamingRequest,
  joinedMessageText,
  type RunStream,
  runStreamOf,
  STREAMING_OPERATIONS,
} from './streams.ts';

/** An object and its place: `/data/3`, empty, or `event 7`. */
export interface PlacedObject {
  readonly at: string;
  readonly value: Json;
}

export interface RunResponse extends Evidence {
  readonly call: Call;
  readonly asked: Json | undefined;
  /** At least one; `at` is the event, or empty for a response in one piece. */
  readonly runs: readonly PlacedObject[];
  /** As `runs`; the form without a version need not show every setting, so those that it omits are as requested. */
  readonly told: readonly PlacedObject[];
  readonly streamed: boolean;
}

/** Responses that create runs, streamed or not. */
export const runResponses: Selector<RunResponse> = stateless(
  'run answers',
  STREAMING_OPERATIONS,
  { needs: 'an answer or stream with a run' },
  (call) => {
    const answer = runResponseOf(call);
    return answer === null ? [] : [answer];
  },
);

const found = new WeakMap<Call, RunResponse | null>();

export function runResponseOf(call: Call): RunResponse | null {
  let response = found.get(call);
  if (response === undefined) {
    response = readRunResponse(call);
    found.set(call, response);
  }
  return response;
}

function readRunResponse(call: Call): RunResponse | null {
  const { responseJson: answer, requestJson: asked } = call;
  const common = { exchanges: [call.exchange], call, asked };
  const stream = runStreamOf(call);
  if (stream !== null) {
    const runs = stream.runs.flatMap(({ at, data }) => (data === undefined ? [] : [{ at, value: data }]));
    return runs.length === 0 ? null : { ...common, runs, told: toldBy(call, runs), streamed: true };
  }
  if (answer === undefined || textAt(answer, 'object') !== 'thread.run') return null;
  const runs = [{ at: '', value: answer }];
  return { ...common, runs, told: toldBy(call, runs), streamed: false };
}

function toldBy(
  { variant, requestJson: asked }: Call,
  runs: readonly PlacedObject[],
): readonly PlacedObject[] {
  if (variant !== null || !isObject(asked)) return runs;
  return runs.map(({ at, value }) => ({ at, value: isObject(value) ? { ...asked, ...value } : value }));
}

/** Ids are unique only within a thread. */
export function keyBelow(thread: string | undefined, id: string): string {
  return JSON.stringify([thread ?? null, id]);
}

export interface RunIdentity extends Evidence {
  readonly id: string;
  /** Null if no earlier exchange returned the id. */
  readonly earlier: Exchange | null;
}

/** Ids of new runs, each with an earlier exchange that returned the same id. */
export const runIdentities: Selector<RunIdentity> = follow(
  STREAMING_OPERATIONS,
  () => {
    const seen = new LruMap<Exchange>();
    return (call) => {
      const run = runResponseOf(call)?.runs[0]?.value;
      const id = textAt(run, 'id');
      if (id === undefined) return [];
      const key = keyBelow(textAt(run, 'thread_id'), id);
      const earlier = seen.get(key) ?? null;
      seen.set(key, call.exchange);
      return [{ id, earlier, exchanges: earlier === null ? [call.exchange] : [earlier, call.exchange] }];
    };
  },
  'a run with an id',
);

export interface ObservedObject {
  readonly at: string;
  readonly call: Call;
  readonly value: Json;
}

export interface RepeatedObject extends Evidence {
  readonly id: string;
  readonly earlier: ObservedObject;
  readonly later: ObservedObject;
}

export interface RepeatedObjectPlan {
  readonly operations: readonly string[];
  readonly find: (call: Call) => readonly { readonly at: string; readonly value: Json }[];
}

const KEPT = 1000;

/** Two consecutive responses that show the same object and do not overlap. */
export function repeatedObjects({ operations, find }: RepeatedObjectPlan): Selector<RepeatedObject> {
  return follow(
    operations,
    () => {
      const known = new LruMap<ObservedObject>(KEPT);
      return (call) => {
        const found = call.responseClass === 'accepted' ? find(call) : [];
        return found.flatMap(({ at, value }): readonly RepeatedObject[] => {
          const id = textAt(value, 'id');
          if (id === undefined) return [];
          const key = keyBelow(threadOf(call), id);
          const earlier = known.get(key);
          const later = { at, call, value };
          known.set(key, later);
          if (earlier === undefined || !precedes(earlier.call.exchange, call.exchange)) return [];
          return [{ id, earlier, later, exchanges: [earlier.call.exchange, call.exchange] }];
        });
      };
    },
    `an object that ${operations.join(' or ')} showed, and then again`,
  );
}

function threadOf(call: Call): string | undefined {
  return call.path['thread_id'] ?? textAt(runResponseOf(call)?.runs[0]?.value, 'thread_id');
}

const MAKING = ['createAssistant', 'modifyAssistant'] as const;

const assistantsThenRuns: Selector<CallSuccession> = where(
  {
    ...successions({
      first: MAKING,
      later: STREAMING_OPERATIONS,
      until: ['modifyAssistant', 'deleteAssistant'],
      about: (call) =>
        isStreamingRequest(call.operation.id) ? textAt(call.requestJson, 'assistant_id') : assistantOf(call),
    }),
    // The run is judged, so its operations come first.
    operations: [...STREAMING_OPERATIONS, ...MAKING, 'deleteAssistant'],
  },
  that(
    'of an assistant that was shown in form v2',
    ({ before }) => before.variant?.name === 'v2' && before.responseJson !== undefined,
  ),
  that('with a run', ({ after }) => runResponseOf(after) !== null),
);

/**
 * A run (`after`) and the last report of its assistant (`before`) in the beta form. Pairs with a modification or deletion in
 * between are dropped.
 */
export const runsOfAssistants: Selector<AssistantRun> = {
  operations: assistantsThenRuns.operations,
  variant: null,
  around: assistantsThenRuns,
  collect: () => {
    const inner = assistantsThenRuns.collect();
    return {
      call: (call) => [...inner.call(call)].flatMap(withItsRuns),
      finish: () => [...(inner.finish?.() ?? [])].flatMap(withItsRuns),
    };
  },
};

/** The runs of `after`, and its request. */
export interface AssistantRun extends CallSuccession, Pick<RunResponse, 'runs' | 'asked'> {}

function withItsRuns(succession: CallSuccession): readonly AssistantRun[] {
  const answer = runResponseOf(succession.after);
  return answer === null ? [] : [{ ...succession, runs: answer.runs, asked: answer.asked }];
}

function assistantOf({ path, responseJson: answer }: Call): string | undefined {
  return path['assistant_id'] ?? textAt(answer, 'id');
}

/** The creation of a run, and a later successful look-up of its thread, messages or steps. */
export interface FollowUp extends Evidence {
  readonly begun: RunResponse;
  readonly stream: RunStream | null;
  readonly run: Json;
  readonly after: Call;
  readonly answer: Json;
}

const THREADS = 200;
const RUNS = 5;

/** Look-ups after runs, by operations of their threads; a look-up that names a run relates to that run only. */
export function followUps(later: readonly string[]): Selector<FollowUp> {
  return follow(
    [...STREAMING_OPERATIONS, ...later],
    () => {
      const begun = new LruMap<readonly RunResponse[]>(THREADS);
      return (call) => {
        if (isStreamingRequest(call.operation.id)) begin(begun, call);
        else if (call.responseJson !== undefined) return looksOf(begun, call, call.responseJson);
        return [];
      };
    },
    `an answer 2xx of ${later.join(' or ')} in a thread, after a run of it was shown`,
  );
}

/** As `followUps`, for requirements of the later operations. */
export function followUpsBy(later: readonly string[]): Selector<FollowUp> {
  return { ...followUps(later), operations: [...later, ...STREAMING_OPERATIONS] };
}

function begin(begun: LruMap<readonly RunResponse[]>, call: Call): void {
  const answer = runResponseOf(call);
  const thread = textAt(answer?.runs[0]?.value, 'thread_id');
  if (answer === null || thread === undefined) return;
  begun.set(thread, [...(begun.get(thread) ?? []), answer].slice(-RUNS));
}

function looksOf(begun: LruMap<readonly RunResponse[]>, call: Call, answer: Json): readonly FollowUp[] {
  const { thread_id: thread = '', run_id: run } = call.path;
  return (begun.get(thread) ?? [])
    .filter(({ call: first }) => precedes(first.exchange, call.exchange))
    .map((one) => lookOf(one, call, answer))
    .filter((look) => run === undefined || textAt(look.run, 'id') === run);
}

function lookOf(begun: RunResponse, after: Call, answer: Json): FollowUp {
  const run = begun.runs[0]?.value ?? null;
  const exchanges = [begun.call.exchange, after.exchange];
  return { begun, stream: runStreamOf(begun.call), run, after, answer, exchanges };
}

/** True for a list that is complete in one page, possibly filtered. */
export function isCompleteResponse({
  responseJson: answer,
  query,
}: Pick<Call, 'responseJson' | 'query'>): boolean {
  return valueAtPath(answer, 'has_more') === false && !query.has('after') && !query.has('before');
}

export const LIST_MESSAGES = 'listMessages';
export const RETRIEVE_MESSAGE = 'retrieveMessage';

export interface MessageResponse extends Evidence {
  readonly messages: readonly PlacedObject[];
}

const TELLING = [...STREAMING_OPERATIONS, LIST_MESSAGES, RETRIEVE_MESSAGE];

/** Every response that shows messages written by runs, each in its last state. */
export const messageResponses: Selector<MessageResponse> = stateless(
  'messages of runs',
  TELLING,
  { needs: 'a message of a run' },
  (call) => {
    const messages = ofRuns(call);
    return messages.length === 0 ? [] : [{ messages, exchanges: [call.exchange] }];
  },
);

/** Messages of runs that several responses show. */
export const repeatedMessages: Selector<RepeatedObject> = repeatedObjects({
  operations: TELLING,
  find: ofRuns,
});

/** Messages from the request of a run; whether they have its id is left open. */
export function givenMessages(asked: Json | undefined): readonly Json[] {
  return [...arrayAt(asked, 'additional_messages'), ...arrayAt(asked, 'thread', 'messages')];
}

export function placedMessages({ operation, responseJson: answer }: Call): readonly PlacedObject[] {
  if (operation.id === LIST_MESSAGES) return listElements(answer);
  return operation.id === RETRIEVE_MESSAGE && answer !== undefined ? [{ at: '', value: answer }] : [];
}

/** The messages that a run wrote. */
export function ownMessages({ after, run, begun }: FollowUp): readonly PlacedObject[] {
  const id = textAt(run, 'id');
  const given = givenMessages(begun.asked);
  if (given.some((message) => textAt(message, 'content') === undefined)) return [];
  const texts = given.map((message) => textAt(message, 'content'));
  return placedMessages(after).filter(
    ({ value }) =>
      id !== undefined && valueAtPath(value, 'run_id') === id && !texts.includes(joinedMessageText(value)),
  );
}

function ofRuns(call: Call): readonly PlacedObject[] {
  const stream = runStreamOf(call);
  if (stream === null)
    return placedMessages(call).filter(({ value }) => textAt(value, 'run_id') !== undefined);
  const others = stream.unlisted.filter(({ data }) => textAt(data, 'object') === 'thread.message');
  const last = stream.messages.map(({ id, events }) => {
    const over = others.findLast(({ data }) => textAt(data, 'id') === id);
    return over ?? events.findLast(({ verb }) => verb !== 'delta');
  });
  return last.flatMap((event) => (event?.data === undefined ? [] : [{ at: event.at, value: event.data }]));
}
