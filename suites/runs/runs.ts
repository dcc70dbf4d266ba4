import { getOrMake } from '../../schemas/grouping.ts';
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
  type StreamedObject,
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
  /**
   * Like `runs`. The legacy form may omit settings and names the search tool differently, so omitted settings and the name of
   * the tool are those of the request.
   */
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

/** A request that creates a run, whatever its outcome. */
export interface RunRequest extends Evidence {
  readonly call: Call;
  readonly asked: Json | undefined;
  /** The run as its first response or event shows it. */
  readonly run: Json | undefined;
  readonly states: readonly string[];
}

export const runRequests: Selector<RunRequest> = stateless(
  'requests for runs',
  STREAMING_OPERATIONS,
  { needs: 'a request for a run' },
  (call) => {
    const runs = runResponseOf(call)?.runs.map(({ value }) => value) ?? [];
    const states = runs.flatMap((run) => textAt(run, 'status') ?? []);
    return [{ call, asked: call.requestJson, run: runs[0], states, exchanges: [call.exchange] }];
  },
);

const found = new WeakMap<Call, RunResponse | null>();

export function runResponseOf(call: Call): RunResponse | null {
  return getOrMake(found, call, () => readRunResponse(call));
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
  const isSearch = (tool: Json, name: string) => textAt(tool, 'type') === name;
  const search = arrayAt(asked, 'tools').find((tool) => isSearch(tool, 'file_search'));
  return runs.map(({ at, value }) => {
    if (!isObject(value)) return { at, value };
    const shown = { ...asked, ...value };
    if (search === undefined) return { at, value: shown };
    const tools = arrayAt(shown, 'tools').map((tool) => (isSearch(tool, 'retrieval') ? search : tool));
    return { at, value: { ...shown, tools } };
  });
}

/** Ids are unique only within a thread. */
export function keyBelow(thread: string | undefined, id: string): string {
  return JSON.stringify([thread ?? null, id]);
}

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

/** A run (`after`) of an assistant that the trace showed before, in the beta form. */
export interface AssistantRun extends CallSuccession, Pick<RunResponse, 'runs' | 'asked'> {
  /** The instructions that come first in the run, and those that its request adds. */
  readonly base: string;
  readonly additional: string;
  readonly instructions: string;
}

const MAKING = ['createAssistant', 'modifyAssistant'] as const;

const assistantsThenRuns = where(
  {
    ...successions({
      first: MAKING,
      later: STREAMING_OPERATIONS,
      until: ['modifyAssistant', 'deleteAssistant'],
      about: ({ operation, path, requestJson: asked, responseJson: answer }) =>
        isStreamingRequest(operation.id)
          ? textAt(asked, 'assistant_id')
          : (path['assistant_id'] ?? textAt(answer, 'id')),
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

/** Pairs a run with the latest response that shows its assistant, unless the assistant was changed or deleted in between. */
export const runsOfAssistants: Selector<AssistantRun> = {
  operations: assistantsThenRuns.operations,
  variant: null,
  around: assistantsThenRuns,
  collect: () => {
    const inner = assistantsThenRuns.collect();
    return {
      call: (call) => [...inner.call(call)].flatMap(assistantRun),
      finish: () => [...(inner.finish?.() ?? [])].flatMap(assistantRun),
    };
  },
};

function assistantRun(succession: CallSuccession): readonly AssistantRun[] {
  const { before, after } = succession;
  const { runs = [], asked } = runResponseOf(after) ?? {};
  return [
    {
      ...succession,
      runs,
      asked,
      base: textAt(asked, 'instructions') ?? textAt(before.responseJson, 'instructions') ?? '',
      additional: textAt(asked, 'additional_instructions')?.trim() ?? '',
      instructions: textAt(runs[0]?.value, 'instructions') ?? '',
    },
  ];
}

/** The creation of a run, and a later successful look-up of its thread, messages or steps. */
export class FollowUp implements Evidence {
  readonly begun: RunResponse;
  readonly after: Call;
  readonly exchanges: readonly Exchange[];

  constructor(begun: RunResponse, after: Call) {
    this.begun = begun;
    this.after = after;
    this.exchanges = [begun.call.exchange, after.exchange];
  }

  get run(): Json {
    return this.begun.runs[0]?.value ?? null;
  }

  get stream(): RunStream | null {
    return runStreamOf(this.begun.call);
  }

  get answer(): Json {
    return this.after.responseJson ?? null;
  }

  /** The objects in the response to the look-up. */
  get shown(): readonly PlacedObject[] {
    return shownObjects(this.after);
  }

  /** The messages that the run wrote. Empty if a message of the caller has no text to distinguish it by. */
  get own(): readonly PlacedObject[] {
    const texts = givenMessages(this.begun.asked).map((message) => textAt(message, 'content'));
    const id = textAt(this.run, 'id');
    if (id === undefined || texts.includes(undefined)) return [];
    return this.shown.filter(
      ({ value }) => valueAtPath(value, 'run_id') === id && !texts.includes(joinedMessageText(value)),
    );
  }

  /** Messages of the user whose text the request gave. */
  get given(): readonly PlacedObject[] {
    const texts = givenMessages(this.begun.asked)
      .filter((message) => valueAtPath(message, 'role') === 'user')
      .flatMap((message) => textAt(message, 'content') ?? []);
    return this.shown.filter(
      ({ value }) => valueAtPath(value, 'role') === 'user' && texts.includes(joinedMessageText(value)),
    );
  }

  /** The steps and messages that both the look-up and the stream show. */
  get again(): readonly (PlacedObject & { readonly streamed: StreamedObject; readonly text: string })[] {
    const objects = [...(this.stream?.steps ?? []), ...(this.stream?.messages ?? [])];
    const { message_id, step_id } = this.after.path;
    return this.shown.flatMap(({ at, value }) => {
      const id = message_id ?? step_id ?? textAt(value, 'id');
      const streamed = objects.find((object) => object.id === id);
      return streamed === undefined ? [] : [{ at, value, streamed, text: joinedMessageText(value) }];
    });
  }
}

const THREADS = 200;
const RUNS = 5;

/** One selector per list of operations, so that its requirements share the evidence and the runs are kept once. */
const selectors = new Map<string, Selector<FollowUp>>();

/** Look-ups of a thread after runs on it. A look-up whose path names a run relates to that run only. */
export function followUps(...later: readonly string[]): Selector<FollowUp> {
  return followUpsIn([...STREAMING_OPERATIONS, ...later], later);
}

/** Like `followUps`, for requirements of the later operations. */
export function followUpsBy(...later: readonly string[]): Selector<FollowUp> {
  return followUpsIn([...later, ...STREAMING_OPERATIONS], later);
}

function followUpsIn(operations: readonly string[], later: readonly string[]): Selector<FollowUp> {
  const needs = `a 2xx answer of ${later.join(' or ')} in a thread, after a run of it was shown`;
  return getOrMake(selectors, operations.join(' '), () => follow(operations, collectFollowUps, needs));
}

function collectFollowUps(): (call: Call) => readonly FollowUp[] {
  const begun = new LruMap<readonly RunResponse[]>(THREADS);
  return (call) => {
    const started = runResponseOf(call);
    const thread = textAt(started?.runs[0]?.value, 'thread_id');
    if (started !== null && thread !== undefined)
      begun.set(thread, [...(begun.get(thread) ?? []), started].slice(-RUNS));
    if (isStreamingRequest(call.operation.id) || call.responseJson === undefined) return [];
    const { thread_id = '', run_id } = call.path;
    return (begun.get(thread_id) ?? [])
      .filter((one) => precedes(one.call.exchange, call.exchange))
      .map((one) => new FollowUp(one, call))
      .filter(({ run }) => run_id === undefined || textAt(run, 'id') === run_id);
  };
}

export const MESSAGE_LOOK_UPS = ['listMessages', 'retrieveMessage'] as const;

const TELLING = [...STREAMING_OPERATIONS, ...MESSAGE_LOOK_UPS];

/** Every response that shows messages of runs, each message in its last state. */
export const messageResponses: Selector<Evidence & { readonly messages: readonly PlacedObject[] }> =
  stateless('messages of runs', TELLING, { needs: 'a message of a run' }, (call) => {
    const messages = messagesOfRuns(call);
    return messages.length === 0 ? [] : [{ messages, exchanges: [call.exchange] }];
  });

/** Messages of runs that several responses show. */
export const repeatedMessages: Selector<RepeatedObject> = repeatedObjects({
  operations: TELLING,
  find: messagesOfRuns,
});

/** Messages in the request of a run. Whether they carry the id of the run is left open. */
function givenMessages(asked: Json | undefined): readonly Json[] {
  return [...arrayAt(asked, 'additional_messages'), ...arrayAt(asked, 'thread', 'messages')];
}

/** The elements of a list, or the object of any other response. */
export function shownObjects({ operation, responseJson: answer }: Call): readonly PlacedObject[] {
  if (operation.list !== null) return listElements(answer);
  return answer === undefined ? [] : [{ at: '', value: answer }];
}

/** The last state of each streamed object, or null for a response that is not a stream. */
export function lastStates(call: Call, kind: 'steps' | 'messages'): readonly PlacedObject[] | null {
  const stream = runStreamOf(call);
  if (stream === null) return null;
  const others = stream.unlisted.filter(({ data }) => textAt(data, 'object') === 'thread.message');
  return stream[kind].flatMap(({ id, events }) => {
    const over = others.findLast(({ data }) => textAt(data, 'id') === id);
    const { at, data: value } = over ?? events.findLast(({ verb }) => verb !== 'delta') ?? {};
    return at === undefined || value === undefined ? [] : [{ at, value }];
  });
}

function messagesOfRuns(call: Call): readonly PlacedObject[] {
  if (isStreamingRequest(call.operation.id)) return lastStates(call, 'messages') ?? [];
  return shownObjects(call).filter(({ value }) => textAt(value, 'run_id') !== undefined);
}
