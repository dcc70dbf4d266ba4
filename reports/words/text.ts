import type { Basis, Level } from '../../judge/requirements/requirement.ts';

// A fixed locale: reports must be byte-equal on all machines. Created once because that takes milliseconds.
const FORMAT = new Intl.NumberFormat('en-US');

/** `12,345`. */
export function formatNumber(count: number): string {
  return FORMAT.format(count);
}

/** `1 request`, `2 requests`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

/** `1.2 kB`: decimal units, one decimal. For people; machine-readable reports have bytes. */
export function formatBytes(count: number): string {
  if (count < 1000) return `${count} B`;
  if (count < 1e6) return `${(count / 1000).toFixed(1)} kB`;
  if (count < 1e9) return `${(count / 1e6).toFixed(1)} MB`;
  return `${(count / 1e9).toFixed(1)} GB`;
}

/** `a, b and 3 more`. `most`: how many are listed. */
export function shortList(names: readonly string[], most: number): string {
  const rest = names.length - most;
  return `${names.slice(0, most).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** The items that are not false: `present(count > 0 && plural(count, 'miss'), …)`. */
export function present<T>(...items: readonly (T | false)[]): T[] {
  return items.filter((item): item is Exclude<typeof item, false> => item !== false) as T[]; // as: false is gone
}

/**
 * `MUST`, `MUST (implied)`, `MUST (clients)`: a level with its basis, unless that is the words of the specification.
 * `PINNED`: the dialect demands it.
 */
export function levelWords({ level, basis }: { readonly level: Level; readonly basis: Basis }): string {
  if (basis === 'pinned') return 'PINNED';
  return basis === 'stated' ? level : `${level} (${basis})`;
}
