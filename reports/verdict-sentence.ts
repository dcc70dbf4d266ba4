// The verdict and the score as sentences, which stand at the head of every format.
import { countKnownFailures } from '../judge/verdict/failure-count.ts';
import { countVerdicts, formatNumber, plural, type Report, requirementsInScope } from './report.ts';

/** The score, never without its coverage: «611 of 640 requirements pass, 63 of 63 operations exercised». */
export function scoreLine(report: Report): string {
  const counts = countVerdicts(requirementsInScope(report.requirements));
  const { operations } = report.summary;
  return (
    `${formatNumber(counts.pass)} of ${formatNumber(counts.total)} requirements pass, ` +
    `${operations.exercised} of ${operations.claimed} operations exercised`
  );
}

/** The verdict in words. */
export function verdictWords(report: Report): string {
  return report.summary.verdict.replaceAll('-', ' ');
}

/** The verdict in words where it stands alone: never without what is accepted of it. */
export function verdictSentence(report: Report): string {
  const known = countKnownFailures(report);
  const length = known.count || known.consequences;
  const open = acceptedUndecided(report);
  const besides = [
    ...(length === 0 ? [] : [plural(length, 'known failure')]),
    ...(open === 0 ? [] : [`${plural(open, 'MUST')} not decided`]),
  ].join(' and ');
  if (besides === '') return verdictWords(report);
  return `${verdictWords(report)}${report.summary.verdict === 'conforms' ? ' with' : ', beside'} ${besides}`;
}

/** The reasons of the verdict in words, without those that `verdictSentence` contains. */
export function reasonsBesideVerdict({ summary }: Report): readonly string[] {
  const { verdict, causes, reasons } = summary;
  if (verdict !== 'conforms') return reasons;
  return reasons.filter((_, n) => !['known-failures', 'accepted-undecided'].includes(causes[n]?.kind ?? ''));
}

/** How many MUSTs the gate passed without a decision. */
function acceptedUndecided({ summary }: Report): number {
  const found = summary.causes.find(({ kind }) => kind === 'accepted-undecided');
  return found !== undefined && 'count' in found ? found.count : 0;
}

/** Whether the target conforms only with what a baseline or an option accepts. */
export function conformsWithExceptions(report: Report): boolean {
  return report.summary.verdict === 'conforms' && verdictSentence(report) !== verdictWords(report);
}
