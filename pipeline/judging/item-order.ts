import type { Exchange } from '../../exchange/exchange.ts';
import type { Note, TraceItem } from '../../exchange/trace.ts';

/** Maximum number of exchanges that wait for earlier ones; above it, the earlier ones count as lost. */
const MAX_EARLY_EXCHANGES = 4096;

/**
 * Restores the order of a trace. Exchanges may arrive out of order, because the body of an earlier one is still being
 * written. They are delivered in the order in which they ended, and each note after the exchanges that ended before it.
 */
export class ItemOrder {
  readonly #deliver: (item: TraceItem) => void;
  readonly #early = new Map<number, Exchange | null>();
  readonly #notes: Note[] = [];
  #deliveredCount = 0;
  #lostCount = 0;

  constructor(deliver: (item: TraceItem) => void) {
    this.#deliver = deliver;
  }

  /** Number of exchanges that are not delivered. If there are any, the judgement is incomplete. */
  get lostCount(): number {
    return this.#lostCount;
  }

  /** `ended`: number in the order of ends; `exchange`: null if it is unreadable, so that later ones do not wait. */
  addExchange(ended: number, exchange: Exchange | null): void {
    // It counts as lost already, and the judge expects exchanges in order.
    if (ended <= this.#deliveredCount) return;
    this.#early.set(ended, exchange);
    this.#deliverReady();
    if (this.#early.size > MAX_EARLY_EXCHANGES) this.#skipMissing();
  }

  addNote(note: Note): void {
    this.#notes.push(note);
    this.#deliverNotes();
  }

  /** Delivers all items that wait. Exchanges that are missing before the last one that arrived count as lost. */
  end(): void {
    while (this.#early.size > 0) this.#skipMissing();
    for (const note of this.#notes.splice(0)) this.#deliver(note);
  }

  #deliverReady(): void {
    for (;;) {
      this.#deliverNotes();
      const ordinal = this.#deliveredCount + 1;
      const next = this.#early.get(ordinal);
      if (next === undefined) return;
      this.#early.delete(ordinal);
      this.#deliveredCount = ordinal;
      if (next === null) this.#lostCount += 1;
      else this.#deliver(next);
    }
  }

  #skipMissing(): void {
    const first = Math.min(...this.#early.keys());
    this.#lostCount += first - this.#deliveredCount - 1;
    this.#deliveredCount = first - 1;
    this.#deliverReady();
  }

  #deliverNotes(): void {
    for (;;) {
      const [first] = this.#notes;
      if (first === undefined || first.after > this.#deliveredCount) return;
      this.#notes.shift();
      this.#deliver(first);
    }
  }
}
