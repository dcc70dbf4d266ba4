import { figure, type Row } from './row.ts';

/** One of two or more that take turns. */
export interface Contender {
  readonly name: string;
  /** One measurement; more is better for rates, less for times. */
  readonly measure: () => Promise<number>;
}

export interface Taken {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** Lets the contenders take turns, so that what slows the machine slows all alike. The first round warms up and is dropped. */
export async function takeTurns(contenders: readonly Contender[], rounds = 7): Promise<readonly Taken[]> {
  const figures = contenders.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, { measure }] of contenders.entries()) {
      const value = await measure();
      if (round > 0) figures[index]?.push(value);
    }
  }
  return figures.map(summary);
}

/** Ours against one peer, in turns, as a row. */
export async function duel(
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
    ratio: we.median / they.median,
    against: `${peer.name} ${figure(they.median)} ${unit} (${spread(they)})`,
    goal,
  };
}

function summary(figures: readonly number[]): Taken {
  const sorted = [...figures].sort((a, b) => a - b);
  return {
    median: sorted[sorted.length >> 1] ?? Number.NaN,
    low: sorted[0] ?? Number.NaN,
    high: sorted.at(-1) ?? Number.NaN,
  };
}

function spread({ low, high }: Taken): string {
  return `${figure(low)} to ${figure(high)}`;
}
