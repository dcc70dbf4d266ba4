/**
 * True when everything that `inner` means is also meant by `outer`; `*` stands for any letters, also none.
 * A text without stars means itself alone, so this also matches a text against a glob.
 */
export function globCovers(outer: string, inner: string): boolean {
  let at = 0;
  let star = -1;
  let back = 0;
  let i = 0;
  while (i < inner.length) {
    if (outer[at] === '*') {
      star = at++;
      back = i;
    } else if (inner[i] !== '*' && outer[at] === inner[i]) {
      at++;
      i++;
    } else if (star >= 0) {
      // One way back is enough: the last star takes one letter more (a star of `inner` counts as a letter only it can take).
      at = star + 1;
      i = ++back;
    } else {
      return false;
    }
  }
  while (outer[at] === '*') at++;
  return at === outer.length;
}

/**
 * True when some text is meant by both globs. Runs in the product of both lengths, as each pair of positions
 * is decided once; backtracking without a memory would be exponential in the stars.
 */
export function globsOverlap(one: string, other: string): boolean {
  const known = new Map<number, boolean>();
  const from = (i: number, j: number): boolean => {
    const key = i * (other.length + 1) + j;
    const found = known.get(key) ?? step(i, j);
    known.set(key, found);
    return found;
  };
  const step = (i: number, j: number): boolean => {
    const a = one[i];
    const b = other[j];
    if (a === '*') return from(i + 1, j) || (b !== undefined && from(i, j + 1));
    if (b === '*') return from(i, j + 1) || (a !== undefined && from(i + 1, j));
    if (a === undefined || b === undefined) return a === b;
    return a === b && from(i + 1, j + 1);
  };
  return from(0, 0);
}
