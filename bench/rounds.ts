// Measures contenders in rounds; the first round is warm-up.
import type { LoadResult } from './load.ts';
import type { ServerProcess } from './process.ts';
import { formatFigure, type Row } from './rows.ts';

type Contenders = Readonly<Record<string, () => Promise<number>>>;

/** Measures in turn, so that load on the machine affects all contenders. Omits the figures of the warm-up. */
export async function measureInRounds(
  contenders: Contenders,
  rounds = 7,
): Promise<readonly (readonly number[])[]> {
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

export async function measureMedian(measure: () => Promise<number>, rounds?: number): Promise<number> {
  const [figures = []] = await measureInRounds({ measure }, rounds);
  return median(figures);
}

/** `contenders`: two, of which the first is assay. */
export async function compareWithPeer(
  what: string,
  unit: string,
  contenders: Contenders,
  { goal, rounds }: { readonly goal: string | null; readonly rounds?: number },
): Promise<Row> {
  const [ours, theirs] = await measureInRounds(contenders, rounds);
  if (ours === undefined || theirs === undefined)
    throw new Error(`${what}: name two contenders, assay and a peer.`);
  return {
    what: `${what} (${spread(ours)})`,
    value: median(ours),
    unit,
    ratio: ratioOf(ours, theirs),
    against: `${Object.keys(contenders)[1]} ${formatFigure(median(theirs))} ${unit} (${spread(theirs)})`,
    goal,
  };
}

/** The median of the ratios of each round, because load on the machine affects both figures of a round. */
function ratioOf(ours: readonly number[], theirs: readonly number[]): number {
  return median(ours.map((value, round) => value / (theirs[round] ?? Number.NaN)));
}

/** `share`: from 0 to 1. */
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

/** Measures the CPU time of a server, which depends less on other load than wall time does. */
export class CpuMeter {
  readonly #server: ServerProcess;
  /** CPU time per request in microseconds, a figure for each round. */
  readonly perRequest: number[] = [];

  constructor(server: ServerProcess) {
    this.#server = server;
  }

  /** Returns the requests per second of `load`. */
  async measure(load: () => Promise<LoadResult>): Promise<number> {
    const before = this.#server.cpu();
    const { perSecond, count } = await load();
    this.perRequest.push((this.#server.cpu() - before) / count);
    return perSecond;
  }
}

export function cpuRow(what: string, ours: CpuMeter, peer: CpuMeter, peerName: string): Row {
  const [own, others] = [ours.perRequest.slice(1), peer.perRequest.slice(1)];
  return {
    what: `CPU per request, ${what}`,
    value: median(own),
    unit: 'µs',
    ratio: ratioOf(own, others),
    against: `${peerName} ${formatFigure(median(others))} µs`,
    goal: null,
  };
}
