import type { ServerProcess } from './process.ts';
import { median } from './rounds.ts';
import type { Row } from './row.ts';

/** The CPU time that a server takes for a request, round by round: what else the machine does changes it little. */
export class CpuMeter {
  readonly #server: ServerProcess;
  /** In microseconds. */
  readonly perRequest: number[] = [];

  constructor(server: ServerProcess) {
    this.#server = server;
  }

  /** Measures while a load runs, and gives its rate. */
  async over(load: () => Promise<{ readonly perSecond: number; readonly count: number }>): Promise<number> {
    const before = this.#server.cpu();
    const { perSecond, count } = await load();
    this.perRequest.push((this.#server.cpu() - before) / count);
    return perSecond;
  }
}

/** Ours against a peer's; the first round warms up and is dropped. */
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
