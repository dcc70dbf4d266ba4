// Numbers in words, alike in all formats and independent of the locale of the machine.
// A fixed locale: reports of two machines must be equal byte for byte. Made once, as making it takes milliseconds.
/** Thousands are separated by commas. */
const FORMAT = new Intl.NumberFormat('en-US');

/** A number with separators: `12,345`. */
export function formatNumber(count: number): string {
  return FORMAT.format(count);
}

/** A count with its noun: `1 request`, `2 requests`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

/**
 * `1.2 kB`: decimal units, with one digit after the point and whole bytes below a kilobyte. Sizes in words are for people:
 * reports for programs hold bytes.
 */
export function formatBytes(count: number): string {
  if (count < 1000) return `${count} B`;
  if (count < 1e6) return `${(count / 1000).toFixed(1)} kB`;
  if (count < 1e9) return `${(count / 1e6).toFixed(1)} MB`;
  return `${(count / 1e9).toFixed(1)} GB`;
}

/** The first names of a list, and how many more there are: `a, b and 3 more`. `most`: how many are named. */
export function shortList(names: readonly string[], most: number): string {
  const rest = names.length - most;
  return `${names.slice(0, most).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
