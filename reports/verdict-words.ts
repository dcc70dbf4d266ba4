import { countKnownFailures } from '../judge/verdict/failure-count.ts';
import type { Tolerable } from '../judge/verdict/gate-result.ts';
import { compact, formatNumber, plural } from '../schemas/message-text.ts';
import type { Report } from './report.ts';
import { countVerdicts, requirementsInScope } from './selection.ts';
import { invalidKinds } from './words/gate-reason.ts';

export function judgedParty({ side }: Pick<Report, 'side'>): string {
  return side === 'client' ? 'the client' : 'the target';
}

/** States that the target is the embedded reference, which a run without --base-url judges; otherwise empty. */
export function referenceLines({ target, side }: Pick<Report, 'target' | 'side'>): readonly string[] {
  const isEmbedded = target.name === 'reference' && target.baseUrl.startsWith('http://127.0.0.1:');
  return isEmbedded && side === undefined
    ? ['the target is the embedded reference service (no --base-url)']
    : [];
}

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

/** The verdict on one line, with its exceptions: `conforms with 2 known failures`. */
export function verdictSentence(report: Report): string {
  const exceptions = exceptionWords(report).join(' and ');
  if (exceptions === '') return verdictWords(report);
  return `${verdictWords(report)}${report.summary.verdict === 'conforms' ? ' with' : ', plus'} ${exceptions}`;
}

function exceptionWords(report: Report): readonly string[] {
  const known = countKnownFailures(report);
  // A baseline may accept nothing but consequences.
  const knownCount = known.count || known.consequences;
  const accepted = report.summary.causes.find(({ kind }) => kind === 'accepted-undecided');
  const undecidedCount = accepted !== undefined && 'count' in accepted ? accepted.count : 0;
  const lenientCount = toleratedCount(report, 'lenient-validation');
  const reliedOnCount = toleratedCount(report, 'clients');
  return compact(
    knownCount > 0 && plural(knownCount, 'known failure'),
    undecidedCount > 0 && `${plural(undecidedCount, 'MUST')} not decided`,
    reliedOnCount > 0 && `${plural(reliedOnCount, 'broken requirement')} that clients rely on`,
    lenientCount > 0 && `${invalidKinds(lenientCount)} accepted`,
  );
}

/** The lines below the verdict; a pass already states its known failures and accepted undecided MUSTs. */
export function furtherReasons(report: Report): readonly string[] {
  const { verdict, causes, reasons } = report.summary;
  const isStated = (n: number) => ['known-failures', 'accepted-undecided'].includes(causes[n]?.kind ?? '');
  return [...referenceLines(report), ...reasons.filter((_, n) => verdict !== 'conforms' || !isStated(n))];
}

function toleratedCount({ summary }: Report, kind: Tolerable): number {
  const cause = summary.causes.find((one) => one.kind === kind && one.tolerated);
  return cause !== undefined && 'count' in cause ? cause.count : 0;
}

export function conformsWithExceptions(report: Report): boolean {
  return report.summary.verdict === 'conforms' && exceptionWords(report).length > 0;
}
