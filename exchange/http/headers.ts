/** Header fields as on the wire: case, order and repeats are kept. */
export type HeaderPairs = readonly (readonly [name: string, value: string])[];

export function firstHeader(headers: HeaderPairs, name: string): string | null {
  const wanted = name.toLowerCase();
  for (const [key, value] of headers) {
    if (key.length === wanted.length && key.toLowerCase() === wanted) return value;
  }
  return null;
}

export function allHeaders(headers: HeaderPairs, name: string): readonly string[] {
  const wanted = name.toLowerCase();
  return headers.filter(([key]) => key.toLowerCase() === wanted).map(([, value]) => value);
}

export function hasHeader(headers: HeaderPairs, name: string): boolean {
  return firstHeader(headers, name) !== null;
}

/** How many more requests the connection will serve: 100 for `Keep-Alive: max=100`. Null if 0 or not stated. */
export function remainingRequests(headers: HeaderPairs): number | null {
  const max = /\bmax\s*=\s*(\d+)/i.exec(firstHeader(headers, 'keep-alive') ?? '')?.[1];
  return Number(max ?? 0) || null;
}

export function headerPairs(flat: readonly string[]): HeaderPairs {
  const result: [string, string][] = [];
  for (let i = 0; i + 1 < flat.length; i += 2) result.push([flat[i] ?? '', flat[i + 1] ?? '']);
  return result;
}
