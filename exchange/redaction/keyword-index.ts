/** Finds which of many ASCII keywords occur in a text, regardless of case, in one pass (Aho and Corasick, 1975). */
export class KeywordIndex {
  readonly #next: Int32Array;
  readonly #keywordsAt: number[][] = [[]];

  constructor(keywords: readonly string[]) {
    const texts = keywords.map((keyword) => Buffer.from(keyword.toLowerCase()));
    this.#next = new Int32Array(256 * texts.reduce((sum, { length }) => sum + length, 1));
    for (const [i, text] of texts.entries()) {
      const state = text.reduce((before, byte) => this.#child(before, byte), 0);
      this.#keywordsAt[state]?.push(i);
    }
    this.#link();
  }

  findIn(text: Uint8Array): ReadonlySet<number> {
    const found = new Set<number>();
    let state = 0;
    for (let at = 0; at < text.length; at += 1) {
      const byte = text[at] ?? 0;
      state = this.#next[state * 256 + (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte)] ?? 0;
      for (const keyword of this.#keywordsAt[state] ?? []) found.add(keyword);
    }
    return found;
  }

  #child(state: number, byte: number): number {
    const child = this.#next[state * 256 + byte] ?? 0;
    if (child !== 0) return child;
    this.#next[state * 256 + byte] = this.#keywordsAt.length;
    return this.#keywordsAt.push([]) - 1;
  }

  /** Breadth first: a state without a child for a byte continues as its longest proper suffix that is a state. */
  #link(): void {
    const next = this.#next;
    const suffix = new Int32Array(this.#keywordsAt.length);
    const queue = [0];
    for (const state of queue) {
      const shorter = suffix[state] ?? 0;
      if (state !== 0) this.#keywordsAt[state]?.push(...(this.#keywordsAt[shorter] ?? []));
      for (let byte = 0; byte < 256; byte += 1) {
        const child = next[state * 256 + byte] ?? 0;
        const other = state === 0 ? 0 : (next[shorter * 256 + byte] ?? 0);
        if (child === 0) next[state * 256 + byte] = other;
        else {
          suffix[child] = other;
          queue.push(child);
        }
      }
    }
  }
}
