import { getOrMake } from '../schemas/maps.ts';

export class ExchangeIndex<T> {
  readonly #explanations = new Map<string, T[]>();

  add(exchange: string, explanation: T): void {
    getOrMake(this.#explanations, exchange, () => []).push(explanation);
  }

  explanationsOf(exchange: string): readonly T[] {
    return this.#explanations.get(exchange) ?? [];
  }

  /** Empty if any of the exchanges has no explanation. */
  explanationsOfAll(exchanges: readonly string[]): readonly T[] {
    const byExchange = exchanges.map((exchange) => this.explanationsOf(exchange));
    return byExchange.some(({ length }) => length === 0) ? [] : [...new Set(byExchange.flat())];
  }
}
