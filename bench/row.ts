/** One line of a bench's table; with `--json` it is printed unchanged. */
export interface Row {
  readonly what: string;
  readonly value: number;
  /** Unit of `value` and of the peer's figure: `req/s`, `ms`, `MB`, `s`. */
  readonly unit: string;
  /** Our figure divided by the peer's, in the same run; null for absolute figures. */
  readonly ratio: number | null;
  /** The peer, with its figure; null for absolute figures. */
  readonly against: string | null;
  /** Goal: `>= 0.5`, `<= 200`; null without a goal. */
  readonly goal: string | null;
}

/** A row without a comparison. */
export function absoluteRow(what: string, value: number, unit: string, goal: string | null = null): Row {
  return { what, value, unit, ratio: null, against: null, goal };
}

/** Whether a row reaches its goal; null if it has none. */
export function reached({ value, ratio, goal }: Row): boolean | null {
  const [, relation, bound] = /^(<=|>=) ([\d.]+)/.exec(goal ?? '') ?? [];
  if (relation === undefined) return null;
  const measured = ratio ?? value;
  return relation === '>=' ? measured >= Number(bound) : measured <= Number(bound);
}

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
