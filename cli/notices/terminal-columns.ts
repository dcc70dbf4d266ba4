/**
 * Columns of an output: those of its terminal; else of the variable COLUMNS, with which a log can be kept narrow; null where
 * lines stay whole, so that they can be searched.
 */
export function columnsOf({ columns }: Pick<NodeJS.WriteStream, 'columns'>): number | null {
  // Only the stream of a terminal has columns, whatever its type says.
  if ((columns as number | undefined) !== undefined) return columns; // as: see above
  const given = process.env['COLUMNS'] ?? '';
  return /^[1-9]\d*$/.test(given) ? Number(given) : null;
}
