import type { Json } from '../../exchange/body.ts';
import { precedes } from '../../exchange/exchange.ts';
import type { Call } from '../../judge/call.ts';
import { get, text } from '../../judge/json.ts';
import { Keyed } from '../../judge/keyed.ts';
import type { Collector, Evidence, Selector } from '../../judge/requirement.ts';
import { type RunAnswer, runAnswerOf } from './run.ts';
import { isStreaming, STREAMING, type Tale, taleOf } from './tale.ts';

/** The creation of a run, and a later successful look at its thread, its messages or its steps. */
export interface Look extends Evidence {
  readonly begun: RunAnswer;
  /** Null where it was not streamed. */
  readonly tale: Tale | null;
  readonly run: Json;
  readonly after: Call;
  readonly answer: Json;
}

/** So many threads are kept in mind, and so many runs of each. */
const THREADS = 200;
const RUNS = 5;

/** Looks at what runs have left, by operations of their threads; where these name a run, at that one only. */
export function looks(later: readonly string[]): Selector<Look> {
  return { operations: [...STREAMING, ...later], variant: null, collect: () => new LookCollector() };
}

/** The same, where what is judged belongs to the later operations. */
export function looksBy(later: readonly string[]): Selector<Look> {
  return { ...looks(later), operations: [...later, ...STREAMING] };
}

class LookCollector implements Collector<Look> {
  readonly #begun = new Keyed<readonly RunAnswer[]>(THREADS);

  call(call: Call): readonly Look[] {
    if (isStreaming(call.operation.id)) {
      this.#begin(call);
      return [];
    }
    const { answer, path } = call;
    const begun = this.#begun.get(path['thread_id'] ?? '') ?? [];
    if (answer === undefined) return [];
    return begun
      .filter(({ call: first }) => precedes(first.exchange, call.exchange))
      .map((one) => lookOf(one, call, answer))
      .filter(({ run }) => path['run_id'] === undefined || text(run, 'id') === path['run_id']);
  }

  finish(): readonly Look[] {
    return [];
  }

  #begin(call: Call): void {
    const answer = runAnswerOf(call);
    const thread = text(answer?.runs[0]?.run, 'thread_id');
    if (answer === null || thread === undefined) return;
    this.#begun.set(thread, [...(this.#begun.get(thread) ?? []), answer].slice(-RUNS));
  }
}

function lookOf(begun: RunAnswer, after: Call, answer: Json): Look {
  const exchanges = [begun.call.exchange, after.exchange];
  return { begun, tale: taleOf(begun.call), run: begun.runs[0]?.run ?? null, after, answer, exchanges };
}

/** True when a list tells everything there is, in one page; with a filter everything that fits it. */
export function isWhole({ answer, query }: Pick<Call, 'answer' | 'query'>): boolean {
  return get(answer, 'has_more') === false && !query.has('after') && !query.has('before');
}
