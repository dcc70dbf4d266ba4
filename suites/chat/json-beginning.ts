/** Literals and numbers, complete or truncated. */
const SCALAR =
  /^(?:t(?:r(?:ue?)?)?|f(?:a(?:l(?:se?)?)?)?|n(?:u(?:ll?)?)?|-?(?:(?:0|[1-9]\d*)(?:\.\d*)?(?:[eE][+-]?\d*)?)?)$/;
const SPACE = /[ \t\n\r]/;

/**
 * Whether a text is a prefix of a JSON text, or complete JSON. The contents of strings are not examined: models
 * escape them in many ways, and a truncated string may end anywhere.
 */
export function isJsonBeginning(text: string): boolean {
  /** The missing closing brackets. */
  const due: ('}' | ']')[] = [];
  let wants: 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma' = 'value';
  let at = 0;
  while (at < text.length) {
    const char = text[at] ?? '';
    const closing = due.at(-1);
    if (SPACE.test(char)) at += 1;
    else if (wants === 'colon') {
      if (char !== ':') return false;
      wants = 'value';
      at += 1;
    } else if (char === closing && (wants === 'comma' || wants.endsWith('-or-end'))) {
      due.pop();
      wants = 'comma';
      at += 1;
    } else if (wants === 'comma') {
      if (char !== ',' || closing === undefined) return false;
      wants = closing === '}' ? 'key' : 'value';
      at += 1;
    } else if (char === '"') {
      wants = wants.startsWith('key') ? 'colon' : 'comma';
      at = endOfString(text, at);
    } else if (wants.startsWith('key')) return false;
    else if (char === '{' || char === '[') {
      due.push(char === '{' ? '}' : ']');
      wants = char === '{' ? 'key-or-end' : 'value-or-end';
      at += 1;
    } else {
      const scalar = /^[^\s,\]}]+/.exec(text.slice(at))?.[0] ?? '';
      at += scalar.length;
      const mayBeCut = at === text.length;
      if (!SCALAR.test(scalar) || !(mayBeCut || isWhole(scalar))) return false;
      wants = 'comma';
    }
  }
  return true;
}

function isWhole(scalar: string): boolean {
  return /^(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)$/.test(scalar);
}

/** The index after a string, or that of the end of the text if the string is truncated. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}
