// JSON pointers (RFC 6901).

/** The unescaped tokens of a JSON pointer; none for the whole document. */
export function pointerTokens(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export function pointerToken(name: string | number): string {
  return String(name).replaceAll('~', '~0').replaceAll('/', '~1');
}

/**
 * The value at a JSON pointer; undefined if the pointer leads nowhere. Considers own members only, so that `/constructor` does not
 * reach the prototype of an object.
 */
export function valueAtPointer(value: unknown, pointer: string): unknown {
  let here = value;
  for (const token of pointerTokens(pointer)) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, token)) return undefined;
    here = Reflect.get(here, token);
  }
  return here;
}
