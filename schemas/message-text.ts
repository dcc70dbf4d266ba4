// The locale is fixed, because reports must be byte-equal on all machines. Creating a format takes milliseconds.
const FORMAT = new Intl.NumberFormat('en-US');

export function formatNumber(count: number): string {
  return FORMAT.format(count);
}

/** Writes a count with its noun, such as `1 request` or `2 requests`. */
export function plural(count: number, singularNoun: string, pluralNoun = `${singularNoun}s`): string {
  return `${formatNumber(count)} ${count === 1 ? singularNoun : pluralNoun}`;
}

/** Formats a size for people: `1.2 kB`, in decimal units up to GB; `1.0 MB` rather than `1000.0 kB`. */
export function formatBytes(count: number): string {
  if (count < 1000) return `${count} B`;
  if (count < 999_950) return `${(count / 1000).toFixed(1)} kB`;
  if (count < 999_950_000) return `${(count / 1e6).toFixed(1)} MB`;
  return `${(count / 1e9).toFixed(1)} GB`;
}

/** Lists the first `max` names and counts the others: `a, b and 3 more`. */
export function shortList(names: readonly string[], max: number): string {
  return `${names.slice(0, max).join(', ')}${names.length > max ? ` and ${names.length - max} more` : ''}`;
}

/** The items; beyond `max`, the first `max` and an item that `more` makes from the number of the others. */
export function firstOf<T>(items: readonly T[], max: number, more: (rest: number) => T): readonly T[] {
  return items.length <= max ? items : [...items.slice(0, max), more(items.length - max)];
}

export function compact<T>(...items: readonly (T | false)[]): T[] {
  return items.filter((item) => item !== false) as T[]; // as: false is gone
}
