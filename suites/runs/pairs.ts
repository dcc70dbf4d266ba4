import { getOrMake } from '../../schemas/maps.ts';
import { isOnePage } from '../generate/lists.ts';
import { bodyDigest, follow, LruMap } from '../vocabulary/collecting.ts';
import { arrayAt, isObject, textAt, valueAtPath } from '../vocabulary/json.ts';
import type { Call, Collector, Evidence, Exchange, Json, Selector } from '../vocabulary/types.ts';
import { keyInThread, type RunResponse, runResponseOf } from './runs.ts';
import { COMPLETED, joinMessageText, runStreamOf, WAITING } from './streams.ts';

export interface FinishedRun {
  readonly creation: RunResponse;
  readonly at: string;
  readonly exchange: string;
  readonly value: Json;
  /** The steps in the last complete list; null unless its last step completed a message or calls a function. */
  readonly steps: ListedObjects | null;
  /** The messages in the last complete list filtered by `run_id`; null without such a list. */
  readonly messages: ListedObjects | null;
}

export interface ListedObjects {
  readonly exchange: Exchange;
  readonly elements: readonly Json[];
}

/** Runs of requests that differ only in `stream`; at least one of each kind. */
export interface FinishedRunPair extends Evidence {
  readonly asked: Json;
  readonly plain: readonly FinishedRun[];
  readonly streamed: readonly FinishedRun[];
}

const MAX_RUNS = 200;
/** Maximum number of runs per request, counted separately for streamed and non-streamed ones. */
const MAX_EQUAL_RUNS = 8;

/** Equal requests, streamed and not, whose thread is part of the request and whose assistant was not modified. */
export const finishedRunPairs: Selector<FinishedRunPair> = follow(
  ['createThreadAndRun', 'listRunSteps', 'listMessages', 'modifyAssistant'],
  () => new FinishedRunCollector(),
  'the same run streamed and not, each with its thread in the request',
);

class FinishedRunCollector implements Collector<FinishedRunPair> {
  readonly #runs = new LruMap<{ -readonly [K in keyof FinishedRun]: FinishedRun[K] }>(MAX_RUNS);
  readonly #modified = new LruMap<true>();

  call(call: Call): readonly FinishedRunPair[] {
    const { id } = call.operation;
    if (id === 'modifyAssistant') this.#modified.set(call.path['assistant_id'] ?? '', true);
    else if (id === 'createThreadAndRun') this.#noteRun(call);
    else if (call.responseJson !== undefined && isOnePage(call)) this.#noteList(call, call.responseJson);
    return [];
  }

  finish(): readonly FinishedRunPair[] {
    const groups = new Map<string, { asked: Json; plain: FinishedRun[]; streamed: FinishedRun[] }>();
    for (const run of this.#runs.values()) {
      const { asked } = run.creation;
      if (!isObject(asked) || this.#modified.get(textAt(asked, 'assistant_id') ?? '') === true) continue;
      const { stream: _, ...rest } = asked;
      const group = getOrMake(groups, bodyDigest(rest), () => ({ asked: rest, plain: [], streamed: [] }));
      const side = run.creation.isStreamed ? group.streamed : group.plain;
      if (side.length < MAX_EQUAL_RUNS) side.push(run);
    }
    return [...groups.values()]
      .filter(({ plain, streamed }) => plain.length > 0 && streamed.length > 0)
      .map((group) => ({ ...group, exchanges: [...group.plain, ...group.streamed].flatMap(exchangesOf) }));
  }

  #noteRun(call: Call): void {
    const creation = runResponseOf(call);
    const [first] = creation?.runs ?? [];
    const id = textAt(first?.value, 'id');
    if (creation === null || first === undefined || id === undefined || !mayHaveFinished(call)) return;
    this.#runs.set(keyInThread(textAt(first.value, 'thread_id'), id), {
      creation,
      at: first.at,
      exchange: call.exchange.id,
      value: first.value,
      steps: null,
      messages: null,
    });
  }

  #noteList(call: Call, answer: Json): void {
    const isStepList = call.operation.id === 'listRunSteps';
    const id = isStepList ? call.path['run_id'] : call.query.get('run_id');
    const run = this.#runs.get(keyInThread(call.path['thread_id'], id ?? ''));
    if (run === undefined) return;
    const data = arrayAt(answer, 'data');
    const list = {
      exchange: call.exchange,
      elements: call.query.get('order') === 'asc' ? data : data.toReversed(),
    };
    if (!isStepList) run.messages = list;
    else run.steps = isLastFinished(list.elements) ? list : null;
  }
}

/** False only for a stream that shows neither a completed nor a waiting run. */
function mayHaveFinished(call: Call): boolean {
  const stream = runStreamOf(call);
  return stream === null || stream.runs.some(({ name }) => name === COMPLETED || name === WAITING);
}

function isLastFinished(steps: readonly Json[]): boolean {
  const last = steps.at(-1);
  if (textAt(last, 'type') === 'message_creation') return textAt(last, 'status') === 'completed';
  return functionsOf(steps.slice(-1)).length > 0;
}

export function functionsOf(steps: readonly Json[]): readonly string[] {
  return steps.flatMap((step) =>
    arrayAt(step, 'step_details', 'tool_calls').flatMap((call) => textAt(call, 'function', 'name') ?? []),
  );
}

/** The joined texts that a run wrote; null if it wrote none, or one is incomplete. User messages may have its id. */
export function textsOf({ messages }: Pick<FinishedRun, 'messages'>): string | null {
  const replies = messages?.elements.filter((message) => valueAtPath(message, 'role') !== 'user') ?? [];
  if (replies.length === 0 || replies.some((message) => valueAtPath(message, 'status') !== 'completed'))
    return null;
  return replies.map(joinMessageText).join('\n');
}

function exchangesOf({ creation, steps, messages }: FinishedRun): readonly Exchange[] {
  const later = [steps, messages].flatMap((list) => (list === null ? [] : [list.exchange]));
  return [creation.call.exchange, ...later];
}
