/** Whether to use colours: NO_COLOR and --no-color prevail over FORCE_COLOR, which applies even to a pipe. */
export function colourMode(stream: Pick<NodeJS.WriteStream, 'isTTY'>, color: boolean): 'on' | 'off' {
  const { NO_COLOR: noColor = '', FORCE_COLOR: forceColor = '' } = process.env;
  if (!color || noColor !== '' || ['0', 'false'].includes(forceColor)) return 'off';
  return forceColor !== '' || stream.isTTY === true ? 'on' : 'off';
}

/** The width of a terminal, else COLUMNS, so that logs can be narrow; null for whole lines, which can be searched. */
export function columnsOf({ columns }: Pick<NodeJS.WriteStream, 'columns'>): number | null {
  // A terminal of unknown size has 0 columns; other streams have none, whatever their type says.
  if (columns > 0) return columns;
  const width = process.env['COLUMNS'] ?? '';
  return /^[1-9]\d*$/.test(width) ? Number(width) : null;
}
