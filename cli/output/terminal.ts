/**
 * Decides whether a stream is coloured. --no-color and NO_COLOR turn colours off; FORCE_COLOR turns them on even in a
 * pipe (0 and false turn them off).
 */
export function colourMode(stream: Pick<NodeJS.WriteStream, 'isTTY'>, color: boolean): 'on' | 'off' {
  const { NO_COLOR: noColor = '', FORCE_COLOR: forceColor = '' } = process.env;
  if (!color || noColor !== '' || ['0', 'false'].includes(forceColor)) return 'off';
  return forceColor !== '' || stream.isTTY === true ? 'on' : 'off';
}

/** The width of a terminal, else COLUMNS, so that logs can be narrow; null for whole lines, which can be searched. */
export function columnsOf({ columns }: Pick<NodeJS.WriteStream, 'columns'>): number | null {
  // Streams other than terminals have no columns, whatever their type says.
  if ((columns as number | undefined) !== undefined) return columns; // as: see above
  const width = process.env['COLUMNS'] ?? '';
  return /^[1-9]\d*$/.test(width) ? Number(width) : null;
}
