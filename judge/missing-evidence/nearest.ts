// Which evidence came nearest to what a requirement is about, where none met all of its conditions.
import type { Exchange } from '../../exchange/exchange.ts';
import { numberOf } from '../partial/earliest.ts';

/** Exchanges that are kept for one requirement. */
const KEPT = 3;

/** The evidence that met most conditions of a requirement. */
export interface Nearest {
  /** How many it met, of those at the front. */
  readonly met: number;
  /** Ids of the exchanges that show it, those with the lowest numbers. */
  readonly exchanges: readonly string[];
}

/** By id of the requirement. */
export type NearestPart = readonly (readonly [id: string, nearest: Nearest])[];

/** Keeps for each requirement the evidence that came nearest, in the traffic of the scenarios that show it elsewhere. */
export class NearestEvidence {
  readonly #scenarios: ReadonlyMap<string, readonly string[]>;
  readonly #nearest = new Map<string, Nearest>();

  /** `scenarios`: their names by id of the requirement. */
  constructor(scenarios: ReadonlyMap<string, readonly string[]>) {
    this.#scenarios = scenarios;
  }

  /** Notes evidence of a requirement that met so many conditions, and not the next. */
  missed(id: string, exchanges: readonly Exchange[], met: number): void {
    const last = exchanges.at(-1);
    if (last === undefined || last.scenario === null) return;
    if (met < (this.#nearest.get(id)?.met ?? 0)) return;
    if (this.#scenarios.get(id)?.includes(last.scenario) === true)
      this.#note(id, { met, exchanges: [last.id] });
  }

  of(id: string): Nearest | undefined {
    return this.#nearest.get(id);
  }

  /** The content of a partial verdict. */
  part(): NearestPart {
    return [...this.#nearest];
  }

  /** Adds what came near in another part of the traffic. */
  absorb(part: NearestPart): void {
    for (const [id, nearest] of part) this.#note(id, nearest);
  }

  #note(id: string, other: Nearest): void {
    const known = this.#nearest.get(id);
    if (known !== undefined && (known.met > other.met || isBehind(known, other))) return;
    const before = known?.met === other.met ? known.exchanges : [];
    const all = [...new Set([...before, ...other.exchanges])].toSorted((a, b) => numberOf(a) - numberOf(b));
    this.#nearest.set(id, { met: other.met, exchanges: all.slice(0, KEPT) });
  }
}

/** Whether as many exchanges as are kept are known, and all others of as many conditions began later. */
function isBehind(known: Nearest, { met, exchanges: [first] }: Nearest): boolean {
  const last = known.exchanges[KEPT - 1];
  if (met !== known.met || last === undefined || first === undefined) return false;
  return numberOf(first) >= numberOf(last);
}
