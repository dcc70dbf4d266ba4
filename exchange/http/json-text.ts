import type { Json } from '../../schemas/json.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BRACKET = 0x5b;
const BRACKET_END = 0x5d;
const BRACE = 0x7b;
const BRACE_END = 0x7d;

/** Maximum nesting of JSON that is read: code that walks deeper values would exhaust the stack. */
export const MAX_LEVELS = 1_000;

/** The JSON value in a box, because it may be null; null if the text is not JSON or is nested too deeply. */
export function parseBoundedJson(text: string): { readonly value: Json } | null {
  if (isTooDeep(text)) return null;
  try {
    return { value: JSON.parse(text) as Json }; // as: JSON.parse returns exactly this type, but is declared as any
  } catch {
    return null;
  }
}

/** Whether arrays and objects are nested in more than `maxLevels` levels. The text need not be JSON. */
export function isTooDeep(text: string, maxLevels = MAX_LEVELS): boolean {
  // Each level takes at least one character.
  if (text.length <= maxLevels) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === BRACKET || code === BRACE) {
      depth += 1;
      if (depth > maxLevels) return true;
    } else if (depth > 0 && (code === BRACKET_END || code === BRACE_END)) depth -= 1;
  }
  return false;
}

/** Index of the quote that closes the string opened at `from`; the length of the text if none does. */
export function endOfString(text: string, from: number): number {
  // A regular expression with an alternative for escapes would exhaust the stack on a long string.
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
  return text.length;
}
