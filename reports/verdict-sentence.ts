import { countKnownFailures } from '../judge/verdict/failure-count.ts';
import type { Tolerable } from '../judge/verdict/verdict.ts';
import { countVerdicts, type Report, requirementsInScope } from './report.ts';
import { formatNumber, plural, present } from './words/text.ts';

/** `611 of 640 requirements pass, 63 of 63 operations exercised`: no score appears without coverage. */
export function scoreLine(report: Report): string {
  const counts = countVerdicts(requirementsInScope(report.requirements));
  const { operations } = report.summary;
  return (
    `${formatNumber(counts.pass)} of ${formatNumber(counts.total)} requirements pass, ` +
    `${operations.exercised} of ${operations.claimed} operations exercised`
  );
}

export function verdictWords(report: Report): string {
  return report.summary.verdict.replaceAll('-', ' ');
}

/** The verdict as a single sentence, always with the accepted failures. */
export function verdictSentence(report: Report): string {
  const known = countKnownFailures(report);
  const length = known.count || known.consequences;
  const accepted = report.summary.causes.find(({ kind }) => kind === 'accepted-undecided');
  const open = accepted !== undefined && 'count' in accepted ? accepted.count : 0;
  const lenient = toleratedCount(report, 'lenient-validation');
  const relied = toleratedCount(report, 'clients');
  const besides = present(
    length > 0 && plural(length, 'known failure'),
    open > 0 && `${plural(open, 'MUST')} not decided`,
    relied > 0 && `${plural(relied, 'broken requirement')} that clients rely on`,
    lenient > 0 && `${plural(lenient, 'kind')} of invalid requests accepted`,
  ).join(' and ');
  if (besides === '') return verdictWords(report);
  return `${verdictWords(report)}${report.summary.verdict === 'conforms' ? ' with' : ', beside'} ${besides}`;
}

/** The reasons of the verdict that `verdictSentence` does not already contain. */
export function reasonsBesideVerdict({ summary }: Report): readonly string[] {
  const { verdict, causes, reasons } = summary;
  if (verdict !== 'conforms') return reasons;
  return reasons.filter((_, n) => !['known-failures', 'accepted-undecided'].includes(causes[n]?.kind ?? ''));
}

function toleratedCount({ summary }: Report, kind: Tolerable): number {
  const found = summary.causes.find((one) => one.kind === kind && one.tolerated);
  return found !== undefined && 'count' in found ? found.count : 0;
}

export function conformsWithExceptions(report: Report): boolean {
  return report.summary.verdict === 'conforms' && verdictSentence(report) !== verdictWords(report);
}
