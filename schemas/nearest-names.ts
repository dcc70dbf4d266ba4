const MAX_SUGGESTIONS = 3;

/** Maximum edit distance to a suggestion, as a share of the length of the misspelt name. */
const MAX_DIFFERING_SHARE = 0.6;

/** Names are compared up to this many letters beyond the length of the misspelt name. */
const EXTRA_LETTERS = 4;

/** Returns `; the nearest are a, b` or `; the nearest is a` for a misspelt name or glob; empty if none is similar. */
export function suggestNames(misspelt: string, names: readonly string[]): string {
  return nearestWords(findNearest(misspelt, names));
}

export function nearestWords(nearest: readonly string[]): string {
  if (nearest.length === 0) return '';
  return `; the nearest ${nearest.length === 1 ? 'is' : 'are'} ${nearest.join(', ')}`;
}

/** The names most like a misspelt name or glob: those that contain the text, then the nearest by edit distance. */
export function findNearest(misspelt: string, names: readonly string[]): readonly string[] {
  const plain = misspelt.replaceAll('*', '');
  // Every name contains the empty string.
  if (plain === '') return [];
  // The text may be a misspelt prefix of a longer name, whose remaining letters must not count as differences.
  const distance = (name: string): number =>
    name.includes(plain) ? 0 : editDistance(plain, name.slice(0, plain.length + EXTRA_LETTERS));
  const alike = names.filter((name) => distance(name) <= plain.length * MAX_DIFFERING_SHARE);
  return sortByDistance(alike, distance).slice(0, MAX_SUGGESTIONS);
}

export function sortByDistance(names: readonly string[], distance: (name: string) => number): string[] {
  return names.toSorted((a, b) => distance(a) - distance(b));
}

export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const change = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(change, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
