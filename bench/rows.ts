export interface Row {
  readonly what: string;
  /** NaN if it could not be measured. */
  readonly value: number;
  /** Unit of `value` and of the peer's figure, such as `req/s` or `ms`. */
  readonly unit: string;
  /** Our figure divided by the peer's, the median if there are several rounds; null in a row without one. */
  readonly ratio: number | null;
  /** The peer with its figure, or why the peer has none; null without a comparison. */
  readonly against: string | null;
  /** The limit on the ratio or, if that is null, on the value: `>= 0.5`, `<= 200`; null without a goal. */
  readonly goal: string | null;
}

export function absoluteRow(what: string, value: number, unit: string, goal: string | null = null): Row {
  return { what, value, unit, ratio: null, against: null, goal };
}

function goalWords({ value, ratio, goal }: Row): string {
  const [, relation, bound] = /^(<=|>=) ([\d.]+)/.exec(goal ?? '') ?? [];
  if (relation === undefined) return '';
  const figure = ratio ?? value;
  if (Number.isNaN(figure)) return 'not measured';
  const isReached = relation === '>=' ? figure >= Number(bound) : figure <= Number(bound);
  return isReached ? 'reached' : 'MISSED';
}

export function rowsTable(name: string, rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.what,
    `${formatFigure(row.value)} ${row.unit}`,
    row.ratio === null ? '' : row.ratio.toFixed(2),
    row.against ?? '',
    row.goal ?? '',
    goalWords(row),
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
