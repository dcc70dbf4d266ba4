import type { Exchange } from '../../exchange/exchange.ts';
import type { Note, TraceItem } from '../../exchange/trace.ts';

/**
 * Exchanges that may wait for an earlier one; beyond this, the earlier one counts as lost, so that memory
 * stays bounded.
 */
const MOST_EARLY = 4096;

/**
 * Restores the order of a trace: exchanges by the ordinals of their ends, which arrive out of turn while a
 * body is still written; each note after the exchanges that had ended before it.
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

  /** Exchanges that were not delivered. If there are any, the judgement does not cover the whole trace. */
  get lost(): number {
    return this.#lost;
  }

  /** Takes an exchange; it is delivered once all earlier ends have been. */
  exchange(exchange: Exchange): void {
    this.#add(exchange.ended, exchange);
  }

  /** The exchange with this ordinal cannot be delivered: later ones do not wait for it. */
  unreadable(ended: number): void {
    this.#add(ended, null);
  }

  /** Takes a note; notes keep their order among themselves. */
  note(note: Note): void {
    this.#notes.push(note);
    this.#deliverNotes();
  }

  /** The trace has ended: delivers all that waits. An exchange that has not arrived by now is lost. */
  end(): void {
    while (this.#early.size > 0) this.#skipMissing();
    for (const note of this.#notes.splice(0)) this.#deliver(note);
  }

  #add(ended: number, exchange: Exchange | null): void {
    this.#early.set(ended, exchange);
    this.#deliverReady();
    if (this.#early.size > MOST_EARLY) this.#skipMissing();
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
