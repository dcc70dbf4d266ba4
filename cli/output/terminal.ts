/**
 * Whether to colour a stream. --no-color and NO_COLOR turn colours off; FORCE_COLOR turns them on even in a pipe (0 turns them
 * off).
 */
export function coloursOf(stream: Pick<NodeJS.WriteStream, 'isTTY'>, color: boolean): 'on' | 'off' {
  const { NO_COLOR: none = '', FORCE_COLOR: forced = '' } = process.env;
  if (!color || none !== '' || ['0', 'false'].includes(forced)) return 'off';
  return forced !== '' || stream.isTTY === true ? 'on' : 'off';
}

/** The width of a terminal, else COLUMNS, so that logs can be narrow; null for whole lines, which can be searched. */
export function columnsOf({ columns }: Pick<NodeJS.WriteStream, 'columns'>): number | null {
  // Streams other than terminals have no columns, whatever their type says.
  if ((columns as number | undefined) !== undefined) return columns; // as: see above
  const given = process.env['COLUMNS'] ?? '';
  return /^[1-9]\d*$/.test(given) ? Number(given) : null;
}
