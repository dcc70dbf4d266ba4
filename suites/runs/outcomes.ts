import { createHash } from 'node:crypto';
import type { Json } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { Call } from '../../judge/call.ts';
import { get, isObject, list, text } from '../../judge/json.ts';
import { Keyed } from '../../judge/keyed.ts';
import type { Collector, Evidence, Selector } from '../../judge/requirement.ts';
import { textOf } from './deltas.ts';
import { isWhole } from './looks.ts';
import { keyBelow, type RunAnswer, runAnswerOf } from './run.ts';
import { COMPLETED, taleOf, WAITING } from './tale.ts';

const NEW = 'createThreadAndRun';
const MODIFY = 'modifyAssistant';

/** What a run has left when it rests, as it is looked at afterwards. */
export interface Outcome {
  readonly begun: RunAnswer;
  readonly run: Json;
  /** Its steps, as they were listed last; null where they were not, or are not at rest. */
  readonly steps: Listed | null;
  /** Its messages, as they were listed last by its id. */
  readonly messages: Listed | null;
}

export interface Listed {
  readonly exchange: Exchange;
  /** Oldest first. */
  readonly elements: readonly Json[];
}

/** The runs of requests that differ in nothing but whether they are streamed; at least one of each. */
export interface OutcomePair extends Evidence {
  readonly asked: Json;
  readonly plain: readonly Outcome[];
  readonly streamed: readonly Outcome[];
}

/** So many runs are kept in mind, and so many of one kind for one request. */
const RUNS = 200;
const KEPT = 8;

/**
 * Same requests, streamed and not: of runs whose thread is part of the request, and whose assistant nobody modified,
 * so that nothing else can differ.
 */
export function outcomes(): Selector<OutcomePair> {
  return selector;
}

const selector: Selector<OutcomePair> = {
  operations: [NEW, 'listRunSteps', 'listMessages', MODIFY],
  variant: null,
  collect: () => new OutcomeCollector(),
};

class OutcomeCollector implements Collector<OutcomePair> {
  readonly #runs = new Keyed<{ -readonly [K in keyof Outcome]: Outcome[K] }>(RUNS);

  readonly #modified = new Keyed<true>();

  call(call: Call): readonly OutcomePair[] {
    if (call.operation.id === MODIFY) this.#modified.set(call.path['assistant_id'] ?? '', true);
    else if (call.operation.id === NEW) this.#begin(call);
    else if (call.answer !== undefined && isWhole(call)) this.#look(call, call.answer);
    return [];
  }

  finish(): readonly OutcomePair[] {
    const groups = new Map<string, { asked: Json; plain: Outcome[]; streamed: Outcome[] }>();
    for (const outcome of this.#runs.values()) {
      const { asked } = outcome.begun;
      if (!isObject(asked) || this.#modified.get(text(asked, 'assistant_id') ?? '') === true) continue;
      const { stream: _, ...rest } = asked;
      const group = groups.get(keyOf(rest)) ?? { asked: rest, plain: [], streamed: [] };
      const side = outcome.begun.streamed ? group.streamed : group.plain;
      if (side.length < KEPT) side.push(outcome);
      groups.set(keyOf(rest), group);
    }
    return [...groups.values()]
      .filter(({ plain, streamed }) => plain.length > 0 && streamed.length > 0)
      .map((group) => ({ ...group, exchanges: [...group.plain, ...group.streamed].flatMap(exchangesOf) }));
  }

  #begin(call: Call): void {
    const begun = runAnswerOf(call);
    const [first] = begun?.runs ?? [];
    const id = text(first?.run, 'id');
    if (begun === null || first === undefined || id === undefined || !isSound(call)) return;
    this.#runs.set(keyBelow(text(first.run, 'thread_id'), id), {
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
    const data = list(answer, 'data');
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
  const tale = taleOf(call);
  return tale === null || tale.runs.some(({ name }) => name === COMPLETED || name === WAITING);
}

/** Whether the last of these steps is one that nothing more comes after: a message, or calls of functions. */
function isAtRest(steps: readonly Json[]): boolean {
  const last = steps.at(-1);
  if (text(last, 'type') === 'message_creation') return text(last, 'status') === 'completed';
  return functionsOf(steps).length > 0;
}

/** Names of the functions that steps call. */
export function functionsOf(steps: readonly Json[]): readonly string[] {
  return steps.flatMap((step) =>
    list(step, 'step_details', 'tool_calls').flatMap((call) => text(call, 'function', 'name') ?? []),
  );
}

/** The texts of messages, one after the other. */
export function textsOf({ messages }: Outcome): string | null {
  if (messages === null || messages.elements.some((one) => get(one, 'status') !== 'completed')) return null;
  return messages.elements.length === 0 ? null : messages.elements.map(textOf).join('\n');
}

function exchangesOf({ begun, steps, messages }: Outcome): readonly Exchange[] {
  const later = [steps, messages].flatMap((listed) => (listed === null ? [] : [listed.exchange]));
  return [begun.call.exchange, ...later];
}

function keyOf(body: Json): string {
  return createHash('sha256').update(sorted(body)).digest('base64');
}

/** The same text for the same value, whatever the order of its names. */
function sorted(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join()}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${sorted(inner)}`).join()}}`;
}
