/**
 * In which entry of a HAR file its text ends before it is whole, from 0; null where it does not end within the entries. A
 * file is cut where a browser or a disk stopped in the middle.
 */
export function cutEntry(text: string): number | null {
  const begin = /"entries"\s*:\s*\[/.exec(text);
  if (begin === null) return null;
  // Depth within the list of entries, entries that ended, and whether the place is within a text.
  const scan = { depth: 0, entries: 0, isText: false };
  for (let at = begin.index + begin[0].length; at < text.length; at += 1) {
    const letter = text.charCodeAt(at);
    if (scan.isText) {
      if (letter === BACKSLASH) at += 1;
      else if (letter === QUOTE) scan.isText = false;
      continue;
    }
    if (letter === QUOTE) scan.isText = true;
    else if (OPENING.includes(letter)) scan.depth += 1;
    else if (CLOSING.includes(letter)) {
      scan.depth -= 1;
      if (scan.depth === 0) scan.entries += 1;
      // The entries are over: the text is wrong in another way.
      if (scan.depth < 0) return null;
    }
  }
  return scan.entries;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** `{` and `[`. */
const OPENING: readonly number[] = [0x7b, 0x5b];
/** `}` and `]`. */
const CLOSING: readonly number[] = [0x7d, 0x5d];
