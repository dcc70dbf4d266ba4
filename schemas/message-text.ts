// A fixed locale, because reports must be byte-equal on all machines. Created once, because that takes milliseconds.
const FORMAT = new Intl.NumberFormat('en-US');

export function formatNumber(count: number): string {
  return FORMAT.format(count);
}

/** Writes a count with its noun, such as `1 request` or `2 requests`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

/** Formats a size for people: `1.2 kB`, in decimal units. Machine-readable reports have bytes. */
export function formatBytes(count: number): string {
  if (count < 1000) return `${count} B`;
  if (count < 1e6) return `${(count / 1000).toFixed(1)} kB`;
  if (count < 1e9) return `${(count / 1e6).toFixed(1)} MB`;
  return `${(count / 1e9).toFixed(1)} GB`;
}

/** Lists the first `most` names and counts the others: `a, b and 3 more`. */
export function shortList(names: readonly string[], most: number): string {
  return `${names.slice(0, most).join(', ')}${names.length > most ? ` and ${names.length - most} more` : ''}`;
}

export function firstOf<T>(items: readonly T[], most: number, more: (rest: number) => T): readonly T[] {
  return items.length <= most ? items : [...items.slice(0, most), more(items.length - most)];
}

export function present<T>(...items: readonly (T | false)[]): T[] {
  return items.filter((item): item is Exclude<typeof item, false> => item !== false) as T[]; // as: false is gone
}
