import { inspect } from 'node:util';

/** Styles in use; each has codes in Node. */
const styles = ['bold', 'dim', 'red', 'green', 'yellow', 'magenta', 'cyan'] as const;
/** The name of a style, as Node names it. */
type Style = (typeof styles)[number];

/** Functions that style text. All output is understandable without them. */
export type Colours = Readonly<Record<Style, (text: string) => string>>;

/** Styles for a terminal; functions without effect if colours are off. */
export function coloursFor(colours: 'on' | 'off'): Colours {
  const painters = styles.map((style) => [style, colours === 'on' ? painter(style) : (text: string) => text]);
  return Object.fromEntries(painters) as Colours; // as: every style has its entry
}

/** Sets a style by the codes of Node. A style that ends within the text is set again there. */
function painter(style: Style): (text: string) => string {
  const [open = 0, close = 0] = inspect.colors[style] ?? [];
  const [begin, end] = [`\u001b[${open}m`, `\u001b[${close}m`];
  return (text) => begin + text.replaceAll(end, end + begin) + end;
}

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

/**
 * Rows of cells as lines, each column as wide as its widest cell. The last one, a list with commas, is not padded; where a
 * terminal of `width` columns would break it, it goes on below itself.
 */
export function columns(rows: readonly (readonly string[])[], width: number | null = null): string[] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, index) =>
    rows.reduce((widest, row) => Math.max(widest, row[index]?.length ?? 0), 0),
  );
  return rows.flatMap((row) => {
    const cells = row.map((cell, index) =>
      index === row.length - 1 ? cell : cell.padEnd(widths[index] ?? 0),
    );
    const line = cells.join('  ').trimEnd();
    if (width === null || line.length <= width) return [line];
    const start = cells.slice(0, -1).join('  ');
    const parts = wrapList((row.at(-1) ?? '').split(', '), Math.max(width - start.length - 2, 20));
    return parts.map((part, n) => (n === 0 ? `${start}  ${part}` : ' '.repeat(start.length + 2) + part));
  });
}
