import { getOrMake } from '../schemas/grouping.ts';

export class ExchangeIndex<T> {
  readonly #explanations = new Map<string, T[]>();

  add(exchange: string, explanation: T): void {
    getOrMake(this.#explanations, exchange, () => []).push(explanation);
  }

  explanationsOf(exchange: string): readonly T[] {
    return this.#explanations.get(exchange) ?? [];
  }

  /** The distinct explanations of these exchanges; empty if any exchange has none. */
  explanationsOfAll(exchanges: readonly string[]): readonly T[] {
    const found = exchanges.map((exchange) => this.explanationsOf(exchange));
    return found.some((explanations) => explanations.length === 0) ? [] : [...new Set(found.flat())];
  }
}
