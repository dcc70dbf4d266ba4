// JSON pointers (RFC 6901).

/** The unescaped tokens of a JSON pointer; none for the whole document. */
export function pointerTokens(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Whether the text is a JSON pointer to a place below the root, with valid escapes. */
export function isJsonPointer(text: string): boolean {
  return text.startsWith('/') && !/~(?![01])/.test(text);
}

/** Like `pointerTokens`, for input of a user. Throws TypeError if it does not begin with a slash. */
export function parseUserPointer(pointer: string): string[] {
  if (pointer.startsWith('/')) return pointerTokens(pointer);
  throw new TypeError(`${pointer} is not a JSON pointer such as /metadata/id.`);
}

export function pointerToken(name: string | number): string {
  return String(name).replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Undefined if absent. Reaches only what JSON has: neither `/constructor` of an object nor `/length` of a list. */
export function valueAtPointer(value: unknown, pointer: string): unknown {
  let current = value;
  for (const token of pointerTokens(pointer)) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, token)) return undefined;
    if (Array.isArray(current) && token === 'length') return undefined;
    current = Reflect.get(current, token);
  }
  return current;
}
