// A fixed locale, because reports must be byte-equal on all machines. Created once, because that takes milliseconds.
const FORMAT = new Intl.NumberFormat('en-US');

/** Formats a count, such as `12,345`. */
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
