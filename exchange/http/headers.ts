/** Header fields as they were on the wire: case, order and repeats kept. */
export type HeaderPairs = readonly (readonly [name: string, value: string])[];

/** The first value of a field, compared without case, or null when it is absent. */
export function firstHeader(headers: HeaderPairs, name: string): string | null {
  const wanted = name.toLowerCase();
  for (const [key, value] of headers) {
    if (key.length === wanted.length && key.toLowerCase() === wanted) return value;
  }
  return null;
}

/** Every value of a field, in the order of the wire. */
export function allHeaders(headers: HeaderPairs, name: string): readonly string[] {
  const wanted = name.toLowerCase();
  return headers.filter(([key]) => key.toLowerCase() === wanted).map(([, value]) => value);
}

/** Whether a field is present, compared without case. */
export function hasHeader(headers: HeaderPairs, name: string): boolean {
  return firstHeader(headers, name) !== null;
}

/** Pairs out of the flat list that `node:http` and undici hand out: name, value, name, value. */
export function headerPairs(flat: readonly string[]): HeaderPairs {
  const result: [string, string][] = [];
  for (let i = 0; i + 1 < flat.length; i += 2) result.push([flat[i] ?? '', flat[i + 1] ?? '']);
  return result;
}

/** The flat list out of pairs, as `node:http` takes it in `writeHead` and `request`. */
export function flatHeaders(headers: HeaderPairs): string[] {
  return headers.flat();
}
