/**
 * Maximum work of patterns on one text or body: about a second, in units of 15 to 40 ns. One search is linear, but a
 * text may need one search per character: `a.*b|a` looks for a `b` up to the end from every `a`.
 */
const MAX_WORK = 40_000_000;

export class OutOfWork extends Error {
  override readonly name = 'OutOfWork';
}

export class ReadBackwards extends Error {
  override readonly name = 'ReadBackwards';
}

export class WorkBudget {
  readonly #limit: number;
  #spent = 0;

  constructor(limit = MAX_WORK) {
    this.#limit = limit;
  }

  /** Work so far, which exceeds the limit by at most the price of one character for each search. */
  get spent(): number {
    return this.#spent;
  }

  /** Throws OutOfWork once the limit is exceeded. */
  spend(units: number): void {
    this.#spent += units;
    if (this.#spent > this.#limit) throw new OutOfWork();
  }
}

/** A text for a regular expression engine: each character that the engine reads spends some of the budget. */
export class CountedText extends String {
  readonly #text: string;
  readonly #budget: WorkBudget;
  readonly #price: number;
  readonly #order: 'any' | 'forward';
  #farthest = 0;

  /** `price`: units per character. `forward`: throws ReadBackwards if the engine steps back by more than one. */
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

  override charCodeAt(at: number): number {
    this.#budget.spend(this.#price);
    if (at > this.#farthest) this.#farthest = at;
    else if (this.#order === 'forward' && at < this.#farthest - 1) throw new ReadBackwards();
    return this.#text.charCodeAt(at);
  }
}
