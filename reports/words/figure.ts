/** `12,345`. */
export function formatNumber(count: number): string {
  return count.toLocaleString('en-US');
}

/** `1 request`, `2 requests`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}
