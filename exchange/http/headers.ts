/** Header fields as on the wire: case, order and repeats are kept. */
export type HeaderPairs = readonly (readonly [name: string, value: string])[];

export function firstHeader(headers: HeaderPairs, name: string): string | null {
  const lowerName = name.toLowerCase();
  for (const [key, value] of headers) {
    if (key.length === lowerName.length && key.toLowerCase() === lowerName) return value;
  }
  return null;
}

export function allHeaders(headers: HeaderPairs, name: string): readonly string[] {
  const lowerName = name.toLowerCase();
  return headers.filter(([key]) => key.toLowerCase() === lowerName).map(([, value]) => value);
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
  const pairs: [string, string][] = [];
  for (let i = 0; i + 1 < flat.length; i += 2) pairs.push([flat[i] ?? '', flat[i + 1] ?? '']);
  return pairs;
}

/** Replaces the value of a Content-Length field; adds none. */
export function withContentLength(headers: HeaderPairs, size: number): HeaderPairs {
  return headers.map(([name, value]) => [
    name,
    name.toLowerCase() === 'content-length' ? String(size) : value,
  ]);
}

/** Whether a text is a token as RFC 9110, section 5.6.2, defines it, such as the name of a header field. */
export function isToken(text: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(text);
}
