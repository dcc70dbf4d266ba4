import { bodyDigest, follow, LruMap } from '../../vocabulary/collecting.ts';
import { arrayAt, isObject, textAt, valueAtPath } from '../../vocabulary/json.ts';
import type { Call, Collector, Evidence, Exchange, Json, Selector } from '../../vocabulary/types.ts';
import { joinedMessageText } from '../streams/deltas.ts';
import { COMPLETED, runStreamOf, WAITING } from '../streams/run-stream.ts';
import { isCompleteResponse } from './follow-ups.ts';
import { keyBelow, type RunResponse, runResponseOf } from './run.ts';

const NEW = 'createThreadAndRun';
const MODIFY = 'modifyAssistant';

/** The final state of a run after it rests, as later look-ups show it. */
export interface FinishedRun {
  readonly begun: RunResponse;
  readonly run: Json;
  /** Its steps, as they were listed last; null where they were not, or are not at rest. */
  readonly steps: ListedObjects | null;
  /** Its messages, as they were listed last by its id. */
  readonly messages: ListedObjects | null;
}

/** Complete lists of steps or messages, and the exchange that showed them. */
export interface ListedObjects {
  readonly exchange: Exchange;
  /** Oldest first. */
  readonly elements: readonly Json[];
}

/** The runs of requests that differ in nothing but whether they are streamed; at least one of each. */
export interface FinishedRunPair extends Evidence {
  /** The request body without `stream`, equal for all runs of the pair. */
  readonly asked: Json;
  readonly plain: readonly FinishedRun[];
  readonly streamed: readonly FinishedRun[];
}

/** So many runs are kept in mind, and so many of one kind for one request. */
const RUNS = 200;
/** At most this many finished runs are compared for each request. */
const KEPT = 8;

/**
 * Same requests, streamed and not: of runs whose thread is part of the request, and whose assistant no request
 * modified, so that nothing else can differ.
 */
export const finishedRunPairs: Selector<FinishedRunPair> = follow(
  [NEW, 'listRunSteps', 'listMessages', MODIFY],
  () => new OutcomeCollector(),
  'the same run streamed and not, each with its thread in the request',
);

/** Collects finished runs by their request, and drops runs whose assistant was modified meanwhile. */
class OutcomeCollector implements Collector<FinishedRunPair> {
  readonly #runs = new LruMap<{ -readonly [K in keyof FinishedRun]: FinishedRun[K] }>(RUNS);

  readonly #modified = new LruMap<true>();

  call(call: Call): readonly FinishedRunPair[] {
    if (call.operation.id === MODIFY) this.#modified.set(call.path['assistant_id'] ?? '', true);
    else if (call.operation.id === NEW) this.#begin(call);
    else if (call.responseJson !== undefined && isCompleteResponse(call)) this.#look(call, call.responseJson);
    return [];
  }

  finish(): readonly FinishedRunPair[] {
    const groups = new Map<string, { asked: Json; plain: FinishedRun[]; streamed: FinishedRun[] }>();
    for (const outcome of this.#runs.values()) {
      const { asked } = outcome.begun;
      if (!isObject(asked) || this.#modified.get(textAt(asked, 'assistant_id') ?? '') === true) continue;
      const { stream: _, ...rest } = asked;
      const group = groups.get(bodyDigest(rest)) ?? { asked: rest, plain: [], streamed: [] };
      const side = outcome.begun.streamed ? group.streamed : group.plain;
      if (side.length < KEPT) side.push(outcome);
      groups.set(bodyDigest(rest), group);
    }
    return [...groups.values()]
      .filter(({ plain, streamed }) => plain.length > 0 && streamed.length > 0)
      .map((group) => ({ ...group, exchanges: [...group.plain, ...group.streamed].flatMap(exchangesOf) }));
  }

  #begin(call: Call): void {
    const begun = runResponseOf(call);
    const [first] = begun?.runs ?? [];
    const id = textAt(first?.run, 'id');
    if (begun === null || first === undefined || id === undefined || !isSound(call)) return;
    this.#runs.set(keyBelow(textAt(first.run, 'thread_id'), id), {
      begun,
      run: first.run,
      steps: null,
      messages: null,
    });
  }

  #look(call: Call, answer: Json): void {
    const isSteps = call.operation.id === 'listRunSteps';
    const id = isSteps ? call.path['run_id'] : call.query.get('run_id');
    const known = this.#runs.get(keyBelow(call.path['thread_id'], id ?? ''));
    if (known === undefined) return;
    const data = arrayAt(answer, 'data');
    const listed = {
      exchange: call.exchange,
      elements: call.query.get('order') === 'asc' ? data : data.toReversed(),
    };
    if (!isSteps) known.messages = listed;
    else known.steps = isAtRest(listed.elements) ? listed : null;
  }
}

/** A stream counts only if it ran to its rest. */
function isSound(call: Call): boolean {
  const stream = runStreamOf(call);
  return stream === null || stream.runs.some(({ name }) => name === COMPLETED || name === WAITING);
}

/** Whether the last of these steps is one that nothing more comes after: a message, or calls of functions. */
function isAtRest(steps: readonly Json[]): boolean {
  const last = steps.at(-1);
  if (textAt(last, 'type') === 'message_creation') return textAt(last, 'status') === 'completed';
  return functionsOf(steps).length > 0;
}

/** Names of the functions that steps call. */
export function functionsOf(steps: readonly Json[]): readonly string[] {
  return steps.flatMap((step) =>
    arrayAt(step, 'step_details', 'tool_calls').flatMap((call) => textAt(call, 'function', 'name') ?? []),
  );
}

/**
 * The texts of the messages that a run has written, one after the other; null where one is not completed, or where there are
 * none. Messages of the caller may have the id of the run as well.
 */
export function textsOf({ messages }: Pick<FinishedRun, 'messages'>): string | null {
  const written = messages?.elements.filter((one) => valueAtPath(one, 'role') !== 'user') ?? [];
  if (written.length === 0 || written.some((one) => valueAtPath(one, 'status') !== 'completed')) return null;
  return written.map(joinedMessageText).join('\n');
}

function exchangesOf({ begun, steps, messages }: FinishedRun): readonly Exchange[] {
  const later = [steps, messages].flatMap((listed) => (listed === null ? [] : [listed.exchange]));
  return [begun.call.exchange, ...later];
}
