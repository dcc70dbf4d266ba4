/** Literals and numbers, complete or truncated. */
const SCALAR =
  /^(?:t(?:r(?:ue?)?)?|f(?:a(?:l(?:se?)?)?)?|n(?:u(?:ll?)?)?|-?(?:(?:0|[1-9]\d*)(?:\.\d*)?(?:[eE][+-]?\d*)?)?)$/;
const WHOLE_SCALAR = /^(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;
const SPACE = /[ \t\n\r]/;

/**
 * The contents of strings are not examined: models escape them in many ways, and a truncated string may end
 * anywhere.
 */
export function isJsonPrefix(text: string): boolean {
  /** The closing brackets that are still missing, the innermost last. */
  const closings: ('}' | ']')[] = [];
  let expected: 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma' = 'value';
  let at = 0;
  while (at < text.length) {
    const char = text[at] ?? '';
    const closing = closings.at(-1);
    if (SPACE.test(char)) at += 1;
    else if (expected === 'colon') {
      if (char !== ':') return false;
      expected = 'value';
      at += 1;
    } else if (char === closing && (expected === 'comma' || expected.endsWith('-or-end'))) {
      closings.pop();
      expected = 'comma';
      at += 1;
    } else if (expected === 'comma') {
      if (char !== ',' || closing === undefined) return false;
      expected = closing === '}' ? 'key' : 'value';
      at += 1;
    } else if (char === '"') {
      expected = expected.startsWith('key') ? 'colon' : 'comma';
      at = endOfString(text, at);
    } else if (expected.startsWith('key')) return false;
    else if (char === '{' || char === '[') {
      closings.push(char === '{' ? '}' : ']');
      expected = char === '{' ? 'key-or-end' : 'value-or-end';
      at += 1;
    } else {
      const scalar = /^[^\s,\]}]+/.exec(text.slice(at))?.[0] ?? '';
      at += scalar.length;
      const isTruncated = at === text.length;
      if (!SCALAR.test(scalar) || !(isTruncated || WHOLE_SCALAR.test(scalar))) return false;
      expected = 'comma';
    }
  }
  return true;
}

/** The index after the string that begins at `start`; the length of the text if the string is truncated. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}
