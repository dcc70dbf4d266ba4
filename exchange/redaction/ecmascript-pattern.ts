import { compileLinear } from './linear-pattern.ts';

/** `\s` and `\S` of ECMAScript; in RE2 they cover only ASCII, without the vertical tab. */
const WHITE_SPACE =
  '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const NOT_WHITE_SPACE =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}' +
  '\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';
/** Characters that a dot does not match; RE2 excludes only the first. */
const LINE_TERMINATORS = '\\n\\r\\x{2028}\\x{2029}';
const SURROGATE_PAIR_OR_TOKEN = /(\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2})|\\?./gsu;

/**
 * Compiles a pattern of a user's JSON Schema to a test for a match anywhere in a text: ECMAScript semantics in linear
 * time. Throws UnsupportedPattern for constructs such as lookahead and backreferences.
 */
export function linearTest(pattern: string): (text: string) => boolean {
  const compiled = compileLinear(translatePattern(pattern));
  return (text) => compiled.test(text);
}

/** Rewrites the parts of a valid pattern (with the flag `u`) that have another meaning in RE2. */
function translatePattern(pattern: string): string {
  let isInClass = false;
  return pattern.replaceAll(SURROGATE_PAIR_OR_TOKEN, (token, pair?: string) => {
    // RE2 takes each escape for a character.
    if (pair !== undefined) return String(JSON.parse(`"${pair}"`));
    if (token === '\\s') return isInClass ? WHITE_SPACE : `[${WHITE_SPACE}]`;
    if (token === '\\S') return isInClass ? NOT_WHITE_SPACE : `[${NOT_WHITE_SPACE}]`;
    if (token === '.' && !isInClass) return `[^${LINE_TERMINATORS}]`;
    // RE2 takes `[:` in a class for the beginning of a POSIX class.
    if (token === '[' && isInClass) return '\\[';
    if (token === '[' || token === ']') isInClass = token === '[';
    return token;
  });
}
