/** Explanations by the exchanges that they cover. */
export class ExchangeIndex<T> {
  readonly #explanations = new Map<string, T[]>();

  add(exchange: string, explanation: T): void {
    const known = this.#explanations.get(exchange);
    if (known === undefined) this.#explanations.set(exchange, [explanation]);
    else known.push(explanation);
  }

  of(exchange: string): readonly T[] {
    return this.#explanations.get(exchange) ?? [];
  }

  /** The distinct explanations of these exchanges; empty if one of them has none. */
  ofAll(exchanges: readonly string[]): readonly T[] {
    const found = exchanges.map((exchange) => this.of(exchange));
    return found.some((explanations) => explanations.length === 0) ? [] : [...new Set(found.flat())];
  }
}
