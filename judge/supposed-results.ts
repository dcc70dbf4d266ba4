import { AppliedErrata } from './dialects/errata.ts';
import { RequirementState } from './requirement-state.ts';

const MAX_SUPPOSED = 50;

interface SupposedResult {
  /** The outcome of the supposition for which the result counts. */
  readonly holds: boolean;
  /** Number of the exchange that completes the evidence. */
  readonly by: number;
  readonly state: RequirementState;
  readonly errata: AppliedErrata;
}

/** Results that count only if a supposition about the target is true, or only if it is false. */
export class SupposedResults {
  readonly #shown = new Set<string>();
  readonly #results = new Map<string, SupposedResult[]>();

  /** Records that the supposition of a requirement is true. `trace`: the number of exchanges before the trace. */
  show(id: string, trace: number): void {
    this.#shown.add(suppositionKey(id, trace));
  }

  /** Beyond the maximum, only the results of the first exchanges are kept. */
  add(id: string, trace: number, result: SupposedResult): void {
    const key = suppositionKey(id, trace);
    const results = [...(this.#results.get(key) ?? []), result].sort((a, b) => a.by - b.by);
    const kept = [true, false].flatMap((value) =>
      results.filter(({ holds }) => holds === value).slice(0, MAX_SUPPOSED),
    );
    this.#results.set(key, kept);
  }

  /** Moves the results that count into the states. Call it once. */
  resolve(states: ReadonlyMap<string, RequirementState>, errata: AppliedErrata): void {
    for (const [key, results] of this.#results)
      for (const { holds, state, errata: used } of results) {
        const part = holds === this.#shown.has(key) ? state.part() : null;
        if (part === null) continue;
        states.get(state.requirement.id)?.absorb(part, errata.dialect?.errata ?? []);
        errata.absorb(used.part());
      }
  }

  part() {
    const supposed = [...this.#results].flatMap(([key, results]) =>
      results.flatMap(({ holds, by, state, errata }) => {
        const part = state.part();
        return part === null ? [] : [{ key, holds, by, state: part, errata: errata.part() }];
      }),
    );
    return { shown: [...this.#shown], supposed };
  }

  absorb(
    { shown, supposed }: ReturnType<SupposedResults['part']>,
    states: ReadonlyMap<string, RequirementState>,
    { dialect }: AppliedErrata,
  ): void {
    for (const key of shown) this.#shown.add(key);
    for (const { key, holds, by, state: part, errata: used } of supposed) {
      const [trace = '', id = ''] = key.split(' ');
      const known = states.get(id);
      if (known === undefined) continue;
      const state = new RequirementState(known.requirement);
      state.absorb(part, dialect?.errata ?? []);
      const errata = new AppliedErrata(dialect);
      errata.absorb(used);
      this.add(id, Number(trace), { holds, by, state, errata });
    }
  }
}

function suppositionKey(id: string, trace: number): string {
  return `${trace} ${id}`;
}
