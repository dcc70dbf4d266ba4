import type { MutationReport } from '../proof/mutation-report.ts';

/** The result of mutation testing for a terminal: survivors and false alarms first, the counts last. `cassette`: its path, for people. */
export function mutationSummary(report: MutationReport, cassette: string): readonly string[] {
  const { mutants, killed, survived, exceptions, stale, benign, accused, idle, requirements, unproved } =
    report;
  return [
    ...survived.map(({ requirement, mutant, why }) => `survived  ${requirement}  ${mutant}: ${why}`),
    ...accused.map(({ requirement, change, why }) => `failed    ${requirement}  ${change}: ${why}`),
    ...stale.map((one) => `stale     ${one}: nothing needs this exception`),
    ...idle.map((change) => `idle      ${change}: the trace has nothing that it changes`),
    `${killed} of ${mutants} mutants killed, ${survived.length} survived, ${exceptions.length} exceptions; ` +
      `${benign} equivalent mutants, ${accused.length} of which failed`,
    `${Object.keys(requirements).length} requirements proved, ${unproved.length} without evidence in ${cassette}`,
  ];
}
