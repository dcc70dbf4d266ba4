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
