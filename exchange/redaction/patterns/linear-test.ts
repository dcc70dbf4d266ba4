// Patterns of JSON Schemas that assay did not write: in the meaning of ECMAScript, in time linear in the length of the text.
import { compileLinear } from './linear-pattern.ts';

/** Characters that `\s` means in ECMAScript, and all others; RE2 knows those of ASCII alone, without the vertical tab. */
const SPACES =
  '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const OTHERS =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}' +
  '\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';
/** Characters that a dot does not mean; RE2 knows the first alone. */
const ENDS_OF_LINES = '\\n\\r\\x{2028}\\x{2029}';

/** A test of texts by a pattern, which may match anywhere in them. Throws UnsupportedPattern for lookahead, backreferences and the like. */
export function linearTest(pattern: string): (text: string) => boolean {
  const compiled = compileLinear(translated(pattern));
  return (text) => compiled.test(text);
}

/** A pattern with the flag `u`, in the syntax of RE2 where that means something else. */
function translated(pattern: string): string {
  let inClass = false;
  // An escaped character, or a single one.
  return pattern.replaceAll(/\\?./gsu, (one) => {
    if (one === '\\s') return inClass ? SPACES : `[${SPACES}]`;
    if (one === '\\S') return inClass ? OTHERS : `[${OTHERS}]`;
    if (one === '.' && !inClass) return `[^${ENDS_OF_LINES}]`;
    if (one === '[') inClass = true;
    if (one === ']') inClass = false;
    return one;
  });
}
