import { countAccusingMutants, type MutationReport } from '../proof/mutation-report.ts';
import { groupBy } from '../schemas/maps.ts';
import { formatNumber, plural } from '../schemas/message-text.ts';
import { causeWords } from './words/cause.ts';

export interface MutationStatus {
  readonly word: 'proved' | 'with exceptions' | 'survived' | 'not proved';
  readonly words: string;
}

export function mutationStatusOf(report: MutationReport | null): (id: string) => MutationStatus | null {
  if (report === null) return () => null;
  const survived = groupBy(report.survived, ({ requirement }) => requirement);
  const exceptions = groupBy(report.exceptions, ({ requirement }) => requirement);
  const unproved = new Map(report.unproved.map(({ requirement, cause }) => [requirement, causeWords(cause)]));
  return (id) => {
    const { mutants, killed, by } = report.requirements[id] ?? { mutants: 0, killed: 0, by: {} };
    const kinds = Object.entries(by).map(([kind, count]) => `${kind} ${count}`);
    const survivors = survived.get(id) ?? [];
    const excused = exceptions.get(id) ?? [];
    if (mutants + survivors.length + excused.length === 0)
      return { word: 'not proved', words: `not proved: ${unproved.get(id) ?? 'newer than the proof'}` };
    const words = [
      `${killed} of ${plural(mutants, 'mutant (a trace broken on purpose)', 'mutants (traces broken on purpose)')} killed${kinds.length === 0 ? '' : `: ${kinds.join(', ')}`}`,
      ...survivors.map(({ mutant, why }) => `survived: ${mutant}, ${why}`),
      ...excused.map(
        ({ kind, reason, expires }) =>
          `exempt${expires === null ? '' : ` until ${expires}`}: ${kind}, ${reason}`,
      ),
    ].join(' · ');
    if (survivors.length > 0) return { word: 'survived', words };
    return { word: excused.length > 0 ? 'with exceptions' : 'proved', words };
  };
}

export function mutationSummary(report: MutationReport, cassette: string): readonly string[] {
  const { mutants, killed, survived, exceptions, stale, benign, accused, idle, requirements, unproved } =
    report;
  return [
    ...survived.map(({ requirement, mutant, why }) => `survived  ${requirement}  ${mutant}: ${why}`),
    ...accused.map(({ requirement, change, why }) => `failed    ${requirement}  ${change}: ${why}`),
    ...stale.map((exception) => `stale     ${exception}: this exception is no longer needed`),
    ...idle.map((change) => `idle      ${change}: the trace has nothing for it to change`),
    `${formatNumber(killed)} of ${plural(mutants, 'mutant')} killed, ${formatNumber(survived.length)} survived, ${plural(exceptions.length, 'exception')}; ` +
      `${plural(benign, 'equivalent mutant')}, ${formatNumber(countAccusingMutants(report))} of which failed`,
    `${plural(Object.keys(requirements).length, 'requirement')} proved, ${formatNumber(unproved.length)} without evidence in ${cassette}`,
  ];
}
