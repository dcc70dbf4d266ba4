import type { Exchange } from '../../exchange/exchange.ts';
import type { Note, TraceItem } from '../../exchange/trace.ts';

/** Maximum number of exchanges that wait for an earlier one; above it, the earlier one counts as lost. */
const MAX_EARLY_EXCHANGES = 4096;

/**
 * Restores the order of a trace. Exchanges may arrive out of order, while the body of an earlier one is still being
 * written; they are delivered in the order in which they ended, and each note after the exchanges that ended before it.
 */
export class ItemOrder {
  readonly #deliver: (item: TraceItem) => void;
  readonly #early = new Map<number, Exchange | null>();
  readonly #notes: Note[] = [];
  #delivered = 0;
  #lost = 0;

  constructor(deliver: (item: TraceItem) => void) {
    this.#deliver = deliver;
  }

  /** Number of exchanges that were not delivered. If there are any, the judgement is incomplete. */
  get lost(): number {
    return this.#lost;
  }

  exchange(exchange: Exchange): void {
    this.#add(exchange.ended, exchange);
  }

  /** Records that the exchange with this ordinal cannot be delivered, so later ones do not wait for it. */
  unreadable(ended: number): void {
    this.#add(ended, null);
  }

  note(note: Note): void {
    this.#notes.push(note);
    this.#deliverNotes();
  }

  /** Ends the trace: delivers everything that waits. Exchanges that have not arrived are lost. */
  end(): void {
    while (this.#early.size > 0) this.#skipMissing();
    for (const note of this.#notes.splice(0)) this.#deliver(note);
  }

  #add(ended: number, exchange: Exchange | null): void {
    this.#early.set(ended, exchange);
    this.#deliverReady();
    if (this.#early.size > MAX_EARLY_EXCHANGES) this.#skipMissing();
  }

  #deliverReady(): void {
    for (;;) {
      this.#deliverNotes();
      const ordinal = this.#delivered + 1;
      const next = this.#early.get(ordinal);
      if (next === undefined) return;
      this.#early.delete(ordinal);
      this.#delivered = ordinal;
      if (next === null) this.#lost += 1;
      else this.#deliver(next);
    }
  }

  #skipMissing(): void {
    const first = Math.min(...this.#early.keys());
    this.#lost += first - this.#delivered - 1;
    this.#delivered = first - 1;
    this.#deliverReady();
  }

  #deliverNotes(): void {
    for (;;) {
      const [first] = this.#notes;
      if (first === undefined || first.after > this.#delivered) return;
      this.#notes.shift();
      this.#deliver(first);
    }
  }
}
