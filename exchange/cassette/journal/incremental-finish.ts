import type { JournalEvent, JournalHeader, JournalNote } from '../format/lines.ts';
import { placeIn } from './finish.ts';
import { Finisher } from './finisher.ts';

/** Milliseconds of work at a time, and from one time to the next. */
const SLICE = 2;
/** Milliseconds between two slices of work. */
const PERIOD = 20;

/** An exchange, whose lines are there once it has ended. */
interface Begun {
  /** Null until the exchange has ended. */
  events: readonly JournalEvent[] | null;
}

/** A note or an exchange, in the order in which they began. */
type Entry = { readonly note: JournalNote } | Begun;

/**
 * Writes a cassette while its journal is still written, a little now and then, so that less is left to do at the end. The
 * journal stays what counts: where anything is odd, the cassette is made of it.
 */
export class IncrementalFinisher {
  readonly #finisher: Finisher;
  readonly #unended = new Map<number, Begun>();
  readonly #timer: NodeJS.Timeout;
  /** Entries that are not written yet. */
  #entries: Entry[] = [];
  #isBroken = false;

  /** Throws CassetteError when it cannot be written. */
  constructor(dir: string, header: JournalHeader) {
    this.#finisher = new Finisher(placeIn(dir), header, null);
    this.#timer = setInterval(() => this.#work(performance.now() + SLICE), PERIOD).unref();
  }

  /** Registers exchange `i`; the cassette keeps its place. */
  begun(i: number): void {
    if (this.#isBroken) return;
    const entry: Begun = { events: null };
    this.#unended.set(i, entry);
    this.#entries.push(entry);
  }

  /** Adds a note. */
  noted(note: JournalNote): void {
    if (!this.#isBroken) this.#entries.push({ note });
  }

  /** The exchange that left these lines has ended. */
  ended(events: readonly JournalEvent[]): void {
    const i = events[0]?.i ?? 0;
    const entry = this.#unended.get(i);
    if (entry !== undefined) entry.events = events;
    this.#unended.delete(i);
  }

  /** Completes the cassette; false where that takes the journal. */
  finish(): boolean {
    if (this.#unended.size === 0) this.#work(Number.POSITIVE_INFINITY);
    clearInterval(this.#timer);
    if (this.#unended.size > 0) this.drop();
    if (this.#isBroken) return false;
    this.#finisher.complete();
    return true;
  }

  /** Gives the incremental cassette up and removes its files. */
  drop(): void {
    clearInterval(this.#timer);
    if (!this.#isBroken) this.#finisher.drop();
    this.#isBroken = true;
  }

  /** Writes entries until the deadline (of `performance.now`), or up to the first exchange that has not ended. */
  #work(until: number): void {
    try {
      let done = 0;
      while (!this.#isBroken && performance.now() < until) {
        const entry = this.#entries[done];
        if (entry === undefined || ('events' in entry && entry.events === null)) break;
        this.#add(entry);
        done += 1;
      }
      if (done > 0) this.#entries = this.#entries.slice(done);
    } catch {
      // The cassette is then made from the journal, where the same error is reported.
      this.#isBroken = true;
      this.#entries = [];
      this.#unended.clear();
      clearInterval(this.#timer);
    }
  }

  /** Writes an entry that is complete. */
  #add(entry: Entry): void {
    if ('note' in entry) this.#finisher.add(entry);
    else if (entry.events !== null) {
      const end = entry.events.at(-1);
      this.#finisher.add({ events: entry.events, ended: end?.e === 'end' ? end.ended : 0 });
    }
  }
}
