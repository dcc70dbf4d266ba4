// The result of mutation testing for each requirement, for the HTML report.
import type { MutationReport } from '../proof/mutation-report.ts';
import { plural } from './report.ts';
import { causeWords } from './words/cause.ts';

/** The result of mutation testing for one requirement: a value to filter by, and a sentence. */
export interface MutationStatus {
  readonly word: 'proved' | 'with exceptions' | 'survived' | 'not proved';
  readonly words: string;
}

/**
 * Returns a function that looks up the status of a requirement; it returns null if no report of mutation
 * testing is known.
 */
export function mutationStatusOf(report: MutationReport | null): (id: string) => MutationStatus | null {
  if (report === null) return () => null;
  const survived = grouped(report.survived);
  const exceptions = grouped(report.exceptions);
  const unproved = new Map(report.unproved.map(({ requirement, cause }) => [requirement, causeWords(cause)]));
  return (id) => {
    const one = report.requirements[id];
    if (one === undefined)
      return { word: 'not proved', words: `not proved: ${unproved.get(id) ?? 'newer than the proof'}` };
    const kinds = Object.entries(one.by).map(([kind, count]) => `${kind} ${count}`);
    const survivors = survived.get(id) ?? [];
    const excused = exceptions.get(id) ?? [];
    const words = [
      `${one.killed} of ${plural(one.mutants, 'mutant')} (traces broken on purpose) killed: ${kinds.join(', ')}`,
      ...survivors.map(({ mutant, why }) => `survived: ${mutant}, ${why}`),
      ...excused.map(({ kind, reason, expires }) => `not tried${until(expires)}: ${kind}, ${reason}`),
    ].join(' · ');
    const word = survivors.length > 0 ? 'survived' : excused.length > 0 ? 'with exceptions' : 'proved';
    return { word, words };
  };
}

function until(expires: string | null): string {
  return expires === null ? '' : ` until ${expires}`;
}

function grouped<T extends { readonly requirement: string }>(rows: readonly T[]): ReadonlyMap<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) groups.set(row.requirement, [...(groups.get(row.requirement) ?? []), row]);
  return groups;
}
