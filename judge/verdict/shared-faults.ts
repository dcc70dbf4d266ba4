// Faults of a service that several requirements show: a reader mends one thing, however many there are.
import type { BreakdownFacts } from './cause.ts';
import type { RequirementVerdict, SharedFault } from './verdict.ts';

/** The faults that at least two of some requirements share, the commonest first; no field for none. */
export function sharedFaults(requirements: readonly RequirementVerdict[]): {
  readonly faults?: readonly SharedFault[];
} {
  const all = new Map<string, { requirements: number; readonly fault: BreakdownFacts }>();
  for (const one of requirements)
    for (const fault of faultsOf(one)) {
      const known = all.get(fault.id) ?? { requirements: 0, fault };
      known.requirements += 1;
      all.set(fault.id, known);
    }
  const shared = [...all.values()].filter((one) => one.requirements > 1);
  const faults = shared.toSorted((a, b) => b.requirements - a.requirements);
  return faults.length === 0 ? {} : { faults };
}

/** The faults that a requirement fails by, or that leave it without a decision. */
function faultsOf({ cause, faults = [] }: RequirementVerdict): readonly BreakdownFacts[] {
  return cause?.kind === 'breakdown' ? cause.faults : faults;
}
