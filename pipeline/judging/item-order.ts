import type { Exchange } from '../../exchange/exchange.ts';
import type { Note, TraceItem } from '../../exchange/trace.ts';

/**
 * Puts the items of a recording into the order of its trace: exchanges by the ordinals of their ends, which may arrive
 * out of turn where a body is still written; each note after the exchanges that had ended when it was made.
 */
export class ItemOrder {
  readonly #deliver: (item: TraceItem) => void;
  /** Ended, but after an exchange that has not arrived yet. */
  readonly #early = new Map<number, Exchange>();
  readonly #notes: Note[] = [];
  #delivered = 0;

  constructor(deliver: (item: TraceItem) => void) {
    this.#deliver = deliver;
  }

  exchange(exchange: Exchange): void {
    this.#early.set(exchange.ended, exchange);
    for (;;) {
      this.#deliverNotes();
      const next = this.#early.get(this.#delivered + 1);
      if (next === undefined) return;
      this.#early.delete(next.ended);
      this.#delivered += 1;
      this.#deliver(next);
    }
  }

  note(note: Note): void {
    this.#notes.push(note);
    this.#deliverNotes();
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
