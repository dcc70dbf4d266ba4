/** The parts between the stars of each pattern that was used: few patterns are matched against thousands of ids. */
const partsByPattern = new Map<string, readonly string[]>();

/**
 * Whether a text matches a pattern in which `*` stands for any characters, also none. The text may be a pattern itself: then
 * the result says whether each text that it matches is also matched by `pattern`, as only a star takes a star.
 * Takes time in proportion to the text for each part, whatever the pattern: a regular expression would try all ways.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  const [first = '', ...rest] = partsOf(pattern);
  const last = rest.pop();
  if (last === undefined) return text === pattern;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= end;
}

export function matchesAnyGlob(patterns: readonly string[], text: string): boolean {
  return patterns.some((pattern) => matchesGlob(pattern, text));
}

function partsOf(pattern: string): readonly string[] {
  const parts = partsByPattern.get(pattern) ?? pattern.split('*');
  partsByPattern.set(pattern, parts);
  return parts;
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
