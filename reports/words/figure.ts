// Numbers in words, alike in all formats and independent of the locale of the machine.
/** A number with separators: `12,345`. */
export function formatNumber(count: number): string {
  // A fixed locale: reports of two machines must be equal byte for byte.
  return count.toLocaleString('en-US');
}

/** A count with its noun: `1 request`, `2 requests`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}
