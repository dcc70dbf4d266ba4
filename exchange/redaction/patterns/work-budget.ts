/**
 * Work that the patterns may do on one text or body, in units of 15 to 40 ns: about a second. A search is linear in the length of
 * its text, but a text may need as many searches as it has characters: `a.*b|a` looks for a `b` up to the end from every `a`.
 */
const MOST_WORK = 40_000_000;

/** Thrown where the patterns have used up their work; nothing else is wrong. */
export class OutOfWork extends Error {
  override readonly name = 'OutOfWork';
}

/** Thrown where a text is read again from an earlier place. */
export class ReadAgain extends Error {
  override readonly name = 'ReadAgain';
}

/** Counts the work of patterns on one text or body. */
export class WorkBudget {
  readonly #most: number;
  #spent = 0;

  constructor(most = MOST_WORK) {
    this.#most = most;
  }

  /** Units spent so far: at most the limit, and one character more. */
  get spent(): number {
    return this.#spent;
  }

  /** Throws OutOfWork when the limit is exceeded. */
  spend(units: number): void {
    this.#spent += units;
    if (this.#spent > this.#most) throw new OutOfWork();
  }
}

/** A text that charges a budget for each character that is read of it, so that the work is counted where it is done. */
export class CountedText extends String {
  readonly #text: string;
  readonly #budget: WorkBudget;
  readonly #price: number;
  readonly #order: 'any' | 'forward';
  #farthest = 0;

  /** `price`: units per character. `forward`: throws ReadAgain where the reader goes back by more than one character. */
  constructor(
    text: string,
    { budget, price, order }: { budget: WorkBudget; price: number; order: 'any' | 'forward' },
  ) {
    super(text);
    this.#text = text;
    this.#budget = budget;
    this.#price = price;
    this.#order = order;
  }

  /** The UTF-16 code unit at an offset. Throws OutOfWork or ReadAgain. */
  override charCodeAt(at: number): number {
    this.#budget.spend(this.#price);
    if (at > this.#farthest) this.#farthest = at;
    else if (this.#order === 'forward' && at < this.#farthest - 1) throw new ReadAgain();
    return this.#text.charCodeAt(at);
  }
}
