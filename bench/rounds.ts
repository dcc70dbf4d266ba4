import { formatFigure, type Row } from './row.ts';

/** A contender that is measured alternately with others. */
export interface Contender {
  readonly name: string;
  /** Takes one measurement: a rate or a time. */
  readonly measure: () => Promise<number>;
}

export interface RoundTimes {
  readonly median: number;
  readonly low: number;
  readonly high: number;
  readonly rounds: readonly number[];
}

/** Measures the contenders alternately, so that load on the machine affects all of them. The first round is warm-up and dropped. */
export async function takeTurns(
  contenders: readonly Contender[],
  rounds = 7,
): Promise<readonly RoundTimes[]> {
  const figures = contenders.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, { measure }] of contenders.entries()) {
      const value = await measure();
      if (round > 0) figures[index]?.push(value);
    }
  }
  return figures.map(summary);
}

/** Measures assay and one peer alternately, and returns a row. */
export async function compareWithPeer(
  what: string,
  unit: string,
  [ours, peer]: readonly [Contender, Contender],
  { goal, rounds }: { readonly goal: string; readonly rounds?: number },
): Promise<Row> {
  const [we, they] = await takeTurns([ours, peer], rounds);
  if (we === undefined || they === undefined) throw new Error('two contenders give two figures');
  return {
    what: `${what} (${spread(we)})`,
    value: we.median,
    unit,
    // The ratio is taken per round, because load affects both figures of a round.
    ratio: median(we.rounds.map((value, round) => value / (they.rounds[round] ?? Number.NaN))),
    against: `${peer.name} ${formatFigure(they.median)} ${unit} (${spread(they)})`,
    goal,
  };
}

function summary(figures: readonly number[]): RoundTimes {
  return {
    median: median(figures),
    low: Math.min(...figures),
    high: Math.max(...figures),
    rounds: figures,
  };
}

export function median(figures: readonly number[]): number {
  const sorted = [...figures].sort((a, b) => a - b);
  const [below, above] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return ((below ?? Number.NaN) + (above ?? Number.NaN)) / 2;
}

function spread({ low, high }: RoundTimes): string {
  return `${formatFigure(low)} to ${formatFigure(high)}`;
}
