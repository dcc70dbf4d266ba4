import { getOrMake } from '../schemas/maps.ts';

/** The parts of each pattern, cached because a few patterns are matched against thousands of ids. */
const partsByPattern = new Map<string, readonly string[]>();

/**
 * Whether a text matches a pattern in which `*` matches any characters, including none. If `text` is itself a pattern,
 * whether `pattern` matches everything that `text` matches. The first occurrence of each part is enough, so it never
 * backtracks.
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
  return getOrMake(partsByPattern, pattern, () => pattern.split('*'));
}
