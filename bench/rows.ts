// The rows of a bench's table, and the rounds in which they are measured.
import type { ServerProcess } from './process.ts';

/** Functions that take one measurement, a rate or a time, by the name of the contender. */
export type Contenders = Readonly<Record<string, () => Promise<number>>>;

/**
 * Measures the contenders alternately, so that load on the machine affects all of them, and returns the figures of each. The
 * first round is warm-up and dropped.
 */
export async function takeTurns(contenders: Contenders, rounds = 7): Promise<readonly (readonly number[])[]> {
  const measures = Object.values(contenders);
  const figures = measures.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, measure] of measures.entries()) {
      const value = await measure();
      if (round > 0) figures[index]?.push(value);
    }
  }
  return figures;
}

export async function medianOf(measure: () => Promise<number>, rounds?: number): Promise<number> {
  const [alone = []] = await takeTurns({ alone: measure }, rounds);
  return median(alone);
}

/** Measures assay and one peer alternately, named in this order, and returns a row. */
export async function compareWithPeer(
  what: string,
  unit: string,
  contenders: Contenders,
  { goal, rounds }: { readonly goal: string | null; readonly rounds?: number },
): Promise<Row> {
  const [we, they] = await takeTurns(contenders, rounds);
  if (we === undefined || they === undefined) throw new Error('two contenders give two figures');
  return {
    what: `${what} (${spread(we)})`,
    value: median(we),
    unit,
    ratio: ratioOf(we, they),
    against: `${Object.keys(contenders)[1]} ${formatFigure(median(they))} ${unit} (${spread(they)})`,
    goal,
  };
}

/** The median of the ratios of each round, because load on the machine affects both figures of a round. */
function ratioOf(ours: readonly number[], theirs: readonly number[]): number {
  return median(ours.map((value, round) => value / (theirs[round] ?? Number.NaN)));
}

export function percentile(figures: readonly number[], share: number): number {
  const sorted = figures.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((a, b) => a - b);
  const [below, above] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return ((below ?? Number.NaN) + (above ?? Number.NaN)) / 2;
}

function spread(figures: readonly number[]): string {
  return `${formatFigure(Math.min(...figures))} to ${formatFigure(Math.max(...figures))}`;
}

/** CPU time of a server per request, in microseconds, a figure per round. Unlike wall time, it hardly depends on other load. */
export class CpuMeter {
  readonly #server: ServerProcess;
  readonly perRequest: number[] = [];

  constructor(server: ServerProcess) {
    this.#server = server;
  }

  /** Measures CPU time during `load`; returns its requests per second. */
  async over(load: () => Promise<{ readonly perSecond: number; readonly count: number }>): Promise<number> {
    const before = this.#server.cpu();
    const { perSecond, count } = await load();
    this.perRequest.push((this.#server.cpu() - before) / count);
    return perSecond;
  }
}

/** Compares our CPU time with a peer's. The first round is warm-up and dropped. */
export function cpuRow(what: string, ours: CpuMeter, peer: CpuMeter, name: string): Row {
  const [we, they] = [ours.perRequest.slice(1), peer.perRequest.slice(1)];
  return {
    what: `CPU per request, ${what}`,
    value: median(we),
    unit: 'µs',
    ratio: ratioOf(we, they),
    against: `${name} ${median(they).toPrecision(3)} µs`,
    goal: null,
  };
}

/** One line of a bench's table; `--json` prints its fields as they are. */
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
