import type { ServerProcess } from './process.ts';
import { median } from './rounds.ts';
import type { Row } from './row.ts';

/** CPU time of a server per request, in microseconds per round. Unlike wall time, it hardly depends on other load. */
export class CpuMeter {
  readonly #server: ServerProcess;
  readonly perRequest: number[] = [];

  constructor(server: ServerProcess) {
    this.#server = server;
  }

  /** Measures while a load runs, and returns the rate of the load. */
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
    ratio: median(we.map((value, round) => value / (they[round] ?? Number.NaN))),
    against: `${name} ${median(they).toPrecision(3)} µs`,
    goal: null,
  };
}
