// Results that rest on something that all the traffic has to show: they are kept both ways until it is known which way holds.

import type { AppliedErrata } from '../dialects/errata.ts';
import type { Erratum } from '../dialects/erratum.ts';
import { type RequirementPart, RequirementState } from './requirement-state.ts';

/** Results of one requirement that are kept either way. */
const KEPT = 50;

/** What one piece of evidence shows, supposed that a target does, or does not do, elsewhere what the requirement asks for. */
interface Supposed {
  readonly holds: boolean;
  /** Number of the last exchange of the evidence. */
  readonly by: number;
  readonly state: RequirementState;
  /** The errata that excused it. */
  readonly excuses: Erratum[];
}

/** The same in one part of the traffic. */
interface SupposedPart {
  /** Number of exchanges before the trace, and id of the requirement. */
  readonly key: string;
  readonly holds: boolean;
  readonly by: number;
  readonly state: RequirementPart;
  /** Ids. */
  readonly excuses: readonly string[];
}

/** What one part of the traffic shows, and what depends on whether another one shows it. */
export interface SuppositionsPart {
  /** Traces and requirements, as in `supposed`, that the target complies with. */
  readonly shown: readonly string[];
  readonly supposed: readonly SupposedPart[];
}

/** Results of requirements that depend on whether the target complies with them anywhere. */
export class SupposedResults {
  readonly #shown = new Set<string>();
  /** By trace and requirement. */
  readonly #supposed = new Map<string, Supposed[]>();

  /** The target complies with this requirement somewhere in a trace, which is named by the number of exchanges before it. */
  show(id: string, trace: number): void {
    this.#shown.add(keyOf(id, trace));
  }

  /** Keeps a result; of too many those of the first exchanges. */
  add(id: string, trace: number, supposed: Supposed): void {
    const key = keyOf(id, trace);
    const own = this.#supposed.get(key) ?? [];
    own.push(supposed);
    own.sort((a, b) => a.by - b.by);
    const kept = [true, false].flatMap((way) => own.filter(({ holds }) => holds === way).slice(0, KEPT));
    this.#supposed.set(key, kept);
  }

  /** Moves the results that hold into the states. To be called once. */
  resolve(states: ReadonlyMap<string, RequirementState>, errata: AppliedErrata): void {
    for (const [key, own] of this.#supposed)
      for (const { holds, state, excuses } of own) {
        const part = holds === this.#shown.has(key) ? state.part() : null;
        if (part === null) continue;
        const { id } = state.requirement;
        states.get(id)?.absorb(part, errata.dialect?.errata ?? []);
        for (const erratum of excuses) errata.count(erratum, id);
      }
  }

  /** The content of a partial verdict. */
  part(): SuppositionsPart {
    const supposed = [...this.#supposed].flatMap(([key, own]) =>
      own.flatMap(({ holds, by, state, excuses }) => {
        const part = state.part();
        return part === null ? [] : [{ key, holds, by, state: part, excuses: excuses.map(({ id }) => id) }];
      }),
    );
    return { shown: [...this.#shown], supposed };
  }

  /** Adds another part of the traffic. */
  absorb(
    { shown, supposed }: SuppositionsPart,
    states: ReadonlyMap<string, RequirementState>,
    errata: readonly Erratum[],
  ): void {
    for (const key of shown) this.#shown.add(key);
    for (const { key, holds, by, state: part, excuses } of supposed) {
      const [trace = '', id = ''] = key.split(' ');
      const known = states.get(id);
      if (known === undefined) continue;
      const state = new RequirementState(known.requirement);
      state.absorb(part, errata);
      this.add(id, Number(trace), {
        holds,
        by,
        state,
        excuses: errata.filter((one) => excuses.includes(one.id)),
      });
    }
  }
}

function keyOf(id: string, trace: number): string {
  return `${trace} ${id}`;
}
