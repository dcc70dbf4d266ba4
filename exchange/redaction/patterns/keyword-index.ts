/** State that a byte leads to from a state, by `state * 256 + byte`. */
type Transitions = Int32Array;

/**
 * Finds which of many keywords a text holds, in one pass over its bytes (an Aho-Corasick automaton). ASCII letters match in
 * either case.
 */
export class KeywordIndex {
  /** Transitions of the automaton (Aho and Corasick, 1975). */
  readonly #next: Transitions;
  /** Of each state: positions in the list of keywords that end there. */
  readonly #found: readonly (readonly number[])[];

  constructor(keywords: readonly string[]) {
    const trie = new Trie();
    for (const [i, keyword] of keywords.entries()) trie.add(Buffer.from(keyword.toLowerCase()), i);
    this.#next = trie.automaton();
    this.#found = trie.found;
  }

  /** Positions in the list of keywords of those that the text holds. */
  in(text: Uint8Array): ReadonlySet<number> {
    const all = new Set<number>();
    let state = 0;
    for (let at = 0; at < text.length; at += 1) {
      state = this.#next[state * 256 + (text[at] ?? 0)] ?? 0;
      for (const keyword of this.#found[state] ?? NONE) all.add(keyword);
    }
    return all;
  }
}

const NONE: readonly number[] = [];
const ABSENT = -1;

/** Prefix tree of the keywords, from which the automaton is built. */
class Trie {
  /** Of each state: positions of the keywords that end there. */
  readonly found: number[][] = [[]];
  readonly #children: Map<number, number>[] = [new Map()];

  /** Adds a keyword; `position` identifies it in results. */
  add(keyword: Uint8Array, position: number): void {
    let state = 0;
    for (const byte of keyword) state = this.#child(state, byte);
    this.found[state]?.push(position);
  }

  /** The state after a byte; it is created where it does not exist. */
  #child(state: number, byte: number): number {
    const known = this.#children[state]?.get(byte);
    if (known !== undefined) return known;
    const child = this.#children.length;
    this.#children[state]?.set(byte, child);
    this.#children.push(new Map());
    this.found.push([]);
    return child;
  }

  /** Breadth first: where a state has no child for a byte, its longest proper suffix that is a state goes on. */
  automaton(): Transitions {
    const next = new Int32Array(this.#children.length * 256).fill(ABSENT);
    const suffix = new Int32Array(this.#children.length);
    for (const queue = [0]; queue.length > 0; ) {
      const state = queue.shift() ?? 0;
      const shorter = suffix[state] ?? 0;
      if (state !== 0) this.found[state]?.push(...(this.found[shorter] ?? NONE));
      for (let byte = 0; byte < 256; byte += 1) {
        const child = this.#children[state]?.get(lower(byte));
        const other = state === 0 ? 0 : (next[shorter * 256 + byte] ?? 0);
        next[state * 256 + byte] = child ?? other;
        if (child === undefined || byte !== lower(byte)) continue;
        suffix[child] = other;
        queue.push(child);
      }
    }
    return next;
  }
}

/** An ASCII letter in lower case; any other byte as it is. */
function lower(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
}
