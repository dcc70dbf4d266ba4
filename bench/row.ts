/** One line of a bench's table; with `--json` it is printed as it is. */
export interface Row {
  readonly what: string;
  readonly value: number;
  /** Of `value` and, where `against` is a peer's figure, of that too: `req/s`, `ms`, `MB`, `s`. */
  readonly unit: string;
  /** Our figure over the peer's, in the same run; null for absolute figures. */
  readonly ratio: number | null;
  /** The peer, with its figure; null for absolute figures. */
  readonly against: string | null;
  /** Goal: `>= 0.5`, `<= 200`; null without a goal. */
  readonly goal: string | null;
}

/** Whether a row reaches its goal; null when it has none. */
export function reached({ value, ratio, goal }: Row): boolean | null {
  const [, relation, bound] = /^(<=|>=) ([\d.]+)/.exec(goal ?? '') ?? [];
  if (relation === undefined) return null;
  const measured = ratio ?? value;
  return relation === '>=' ? measured >= Number(bound) : measured <= Number(bound);
}

/** The rows as a table for people. */
export function rowsTable(name: string, rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.what,
    `${formatFigure(row.value)} ${row.unit}`,
    row.ratio === null ? '' : row.ratio.toFixed(2),
    row.against ?? '',
    row.goal ?? '',
    { true: 'reached', false: 'MISSED', null: '' }[`${reached(row)}`] ?? '',
  ]);
  const head = [name, 'ours', 'ratio', 'against', 'goal', ''];
  const widths = head.map((_, column) =>
    Math.max(...[head, ...cells].map((line) => (line[column] ?? '').length)),
  );
  return [head, ...cells]
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export function formatFigure(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}
