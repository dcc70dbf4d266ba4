/** Whether to use colours: NO_COLOR and --no-color prevail over FORCE_COLOR, which applies even to a pipe. */
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
