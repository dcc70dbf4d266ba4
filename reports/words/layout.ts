/** Words of a shell command; quoted parts stay whole. */
const SHELL_WORD = /(?:\$'(?:[^'\\]|\\.)*'|'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"])+/g;

/** Width of a terminal; null for output into a pipe or file, whose lines stay whole so that they can be searched. */
export type Columns = number | null;

export function narrowBy(columns: Columns, margin: number): Columns {
  return columns === null ? null : columns - margin;
}

export function hangLines(label: string, lines: readonly string[]): readonly string[] {
  return lines.map((line, n) => (n === 0 ? label : ' '.repeat(label.length)) + line);
}

/** A word that is too long gets its own line. */
export function wrapText(text: string, columns: Columns, indent = 0): readonly string[] {
  if (columns === null || text.length <= columns) return [text];
  const head = /^ */.exec(text)?.[0] ?? '';
  return fillLines(text.trim().split(' '), { first: head, further: head + ' '.repeat(indent), columns });
}

/** Each line but the last ends with a backslash, so that a shell joins the lines again. */
export function wrapCommand(command: string, columns: Columns): readonly string[] {
  if (columns === null || command.length <= columns) return [command];
  const words: string[] = [];
  for (const word of command.match(SHELL_WORD) ?? []) {
    // An option stays on one line with its value.
    const last = words.at(-1);
    if (last !== undefined && /^--?[\w-]+$/.test(last) && !word.startsWith('-'))
      words[words.length - 1] = `${last} ${word}`;
    else words.push(word);
  }
  // Leaves room for the backslash.
  return fillLines(words, { further: '  ', columns: columns - 2, end: ' \\' });
}

export function wrapList(items: readonly string[], columns: number): readonly string[] {
  // Leaves room for the comma.
  return fillLines(items, { columns: columns - 1, joint: ', ', end: ',' });
}

export function countRows(lines: readonly string[], columns: Columns): number {
  if (columns === null) return lines.length;
  let rows = 0;
  for (const line of lines) rows += Math.max(1, Math.ceil(plainLength(line) / columns));
  return rows;
}

function plainLength(line: string): number {
  const [first = '', ...styled] = line.split('\u001b[');
  let length = first.length;
  for (const part of styled) length += part.length - part.indexOf('m') - 1;
  return length;
}

interface Filling {
  readonly columns: number;
  /** The text before the first line, and before each further line. */
  readonly first?: string;
  readonly further?: string;
  /** The text between the words of a line, and after each line but the last. */
  readonly joint?: string;
  readonly end?: string;
}

function fillLines(
  words: readonly string[],
  { columns, first = '', further = '', joint = ' ', end = '' }: Filling,
): readonly string[] {
  const lines: string[] = [];
  for (const word of words) {
    const line = lines.at(-1);
    if (line === undefined) lines.push(first + word);
    else if (line.length + joint.length + word.length <= columns)
      lines[lines.length - 1] = `${line}${joint}${word}`;
    else lines.push(further + word);
  }
  return lines.map((line, n) => (n < lines.length - 1 ? line + end : line));
}

/** Pads all cells but the last of a row. If a line exceeds `width`, that cell, a list, continues on further lines. */
export function alignColumns(rows: readonly (readonly string[])[], width: number | null = null): string[] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, index) =>
    Math.max(...rows.map((row) => row[index]?.length ?? 0)),
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
