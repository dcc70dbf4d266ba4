// Breaks lines at the width of a terminal. Files and pipes have none: their lines stay whole, so that they can be searched.

/** Columns of a terminal; null for a file or a pipe. */
export type Columns = number | null;

/** Words of a shell command: quoted parts, which may contain spaces, stay whole. */
const SHELL_WORD = /(?:\$'(?:[^'\\]|\\.)*'|'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"])+/g;

/** Text in lines of at most so many columns, broken at spaces; further lines are indented. A longer word has a line of its own. */
export function wrapText(text: string, columns: Columns, indent = 0): readonly string[] {
  if (columns === null || text.length <= columns) return [text];
  const head = /^ */.exec(text)?.[0] ?? '';
  return filled(text.trim().split(' '), {
    first: head,
    further: head + ' '.repeat(indent),
    columns,
    end: '',
  });
}

/** A command in lines that a shell joins again, broken before options: each line but the last ends in a backslash. */
export function wrapCommand(command: string, columns: Columns): readonly string[] {
  if (columns === null || command.length <= columns) return [command];
  const words: string[] = [];
  for (const word of command.match(SHELL_WORD) ?? []) {
    // An option stays on the line of its value.
    const last = words.at(-1);
    if (last !== undefined && /^--?[\w-]+$/.test(last) && !word.startsWith('-'))
      words[words.length - 1] = `${last} ${word}`;
    else words.push(word);
  }
  // Two columns for the sign that continues the line.
  return filled(words, { first: '', further: '  ', columns: columns - 2, end: ' \\' });
}

/** Items in lines, separated by commas. */
export function wrapList(items: readonly string[], columns: number): readonly string[] {
  const lines: string[] = [];
  for (const item of items) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + item.length + 3 <= columns)
      lines[lines.length - 1] = `${line}, ${item}`;
    else lines.push(item);
  }
  return lines.map((line, n) => (n < lines.length - 1 ? `${line},` : line));
}

/** How many lines of a terminal lines take, of which some may be longer than its width. */
export function rowsOf(lines: readonly string[], columns: Columns): number {
  if (columns === null) return lines.length;
  return lines.reduce((rows, line) => rows + Math.max(1, Math.ceil(plainLength(line) / columns)), 0);
}

/** Characters of a line without the codes of colours, which begin with an escape character. */
function plainLength(line: string): number {
  return line
    .split('\u001b[')
    .reduce((sum, part, n) => sum + part.length - (n === 0 ? 0 : part.indexOf('m') + 1), 0);
}

/** How lines are filled: what they begin with, how long they may be, and what ends all but the last. */
interface Filling {
  readonly first: string;
  readonly further: string;
  readonly columns: number;
  readonly end: string;
}

/** As many words on each line as fit. */
function filled(words: readonly string[], { first, further, columns, end }: Filling): readonly string[] {
  const lines: string[] = [];
  for (const word of words) {
    const line = lines.at(-1);
    if (line === undefined) lines.push(first + word);
    else if (line.length + word.length + 1 <= columns) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(further + word);
  }
  return lines.map((line, n) => (n < lines.length - 1 ? line + end : line));
}
