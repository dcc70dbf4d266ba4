import type { Exchange } from '../../exchange/exchange.ts';
import { numberOf } from '../trace/timed.ts';

const MAX_EXCHANGES = 3;

export interface Nearest {
  /** Number of conditions met before the first unmet one. */
  readonly met: number;
  /** Ids in the order of their numbers; at most `MAX_EXCHANGES`. */
  readonly exchanges: readonly string[];
}

/** For each requirement, the exchanges that met most conditions; among equals, the ones with the lowest numbers. */
export class NearestEvidence {
  /** By id of a requirement: the scenarios that are expected to show it. */
  readonly #scenarios: ReadonlyMap<string, readonly string[]>;
  readonly #nearest = new Map<string, Nearest>();

  constructor(scenarios: ReadonlyMap<string, readonly string[]>) {
    this.#scenarios = scenarios;
  }

  /** Considers only the last exchange, and only if a scenario that is expected to show the requirement sent it. */
  recordMiss(id: string, exchanges: readonly Exchange[], met: number): void {
    const last = exchanges.at(-1);
    if (last === undefined || last.scenario === null) return;
    if (this.#scenarios.get(id)?.includes(last.scenario) === true)
      this.#keep(id, { met, exchanges: [last.id] });
  }

  /** Undefined without a recorded miss. */
  nearest(id: string): Nearest | undefined {
    return this.#nearest.get(id);
  }

  part() {
    return [...this.#nearest];
  }

  absorb(part: ReturnType<NearestEvidence['part']>): void {
    for (const [id, nearest] of part) this.#keep(id, nearest);
  }

  #keep(id: string, other: Nearest): void {
    const known = this.#nearest.get(id);
    if (known !== undefined && (known.met > other.met || isNoEarlier(other, known))) return;
    const before = known?.met === other.met ? known.exchanges : [];
    const all = [...new Set([...before, ...other.exchanges])].toSorted((a, b) => numberOf(a) - numberOf(b));
    this.#nearest.set(id, { met: other.met, exchanges: all.slice(0, MAX_EXCHANGES) });
  }
}

function isNoEarlier({ met, exchanges: [first] }: Nearest, known: Nearest): boolean {
  const last = known.exchanges[MAX_EXCHANGES - 1];
  if (met !== known.met || last === undefined || first === undefined) return false;
  return numberOf(first) >= numberOf(last);
}
