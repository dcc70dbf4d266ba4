import { printable } from '../../exchange/printable.ts';
import type { Verdict } from '../../judge/verdict/verdict.ts';
import { compact, formatBytes, formatNumber, plural } from '../../schemas/message-text.ts';
import type { Comparison } from '../comparison/compare.ts';
import { changeLines } from '../comparison/comparison-text.ts';
import type { FailureContext } from '../failure/failure.ts';
import { type FamilyRow, listFamilies } from '../families.ts';
import { leftOutWords } from '../left-out.ts';
import type { Report } from '../report.ts';
import {
  conformsWithExceptions,
  referenceLines,
  scoreLine,
  verdictSentence,
  verdictWords,
} from '../verdict-words.ts';
import type { Colours } from '../words/colours.ts';
import { sharedCauseWords } from '../words/gate-reason.ts';
import { alignColumns, type Columns, wrapText } from '../words/layout.ts';
import { choiceLines, inconsistentLines } from './choices.ts';
import { hints } from './hints.ts';
import { missingCapabilityLines } from './missing-capabilities.ts';
import { nextLines } from './next-step.ts';
import { undecidedLines, unjudgedLines } from './unjudged.ts';
import type { WrittenFile } from './written-file.ts';

interface SummaryOptions extends FailureContext {
  readonly columns: Columns;
  readonly paint: Colours;
  readonly written: readonly WrittenFile[];
  readonly comparison?: Comparison | null;
}

export function summaryLines(report: Report, options: SummaryOptions): string[] {
  const { paint, columns, written } = options;
  const wrap = (...lines: readonly string[]) => lines.flatMap((line) => wrapText(line, columns, 2));
  // If no operation was reached, a table would contain only zeros.
  const isUnreached = report.stopReason === 'target-unreachable' && report.summary.operations.exercised === 0;
  return [
    ...(isUnreached ? [] : judgedLines(report, options, wrap)),
    verdictLine(report, paint),
    ...wrap(...[...referenceLines(report), ...report.summary.reasons].map((line) => `  ${printable(line)}`)),
    ...wrap(...hints(report, options).map((hint) => `hint: ${printable(hint)}`)),
    ...nextLines(report, options),
    ...(written.length > 0 ? wrap(`written to ${written.map(({ path }) => path).join(', ')}`) : []),
  ];
}

function judgedLines(
  report: Report,
  options: SummaryOptions,
  wrap: (...lines: readonly string[]) => readonly string[],
): string[] {
  const leftOut = compact(leftOutWords(report) ?? false);
  return [
    ...familyLines(report, options.columns),
    ...endWithBlank(
      wrap(
        ...unjudgedLines(report),
        ...undecidedLines(report, options.written, options.cassette),
        ...leftOut,
      ),
    ),
    ...endWithBlank(
      wrap(...choiceLines(report, options.written, options.reportDir), ...inconsistentLines(report)),
    ),
    ...wrap(...missingCapabilityLines(report)),
    ...wrap(...endWithBlank((report.disturbances ?? []).map(({ message }) => printable(message)))),
    scoreLine(report),
    costLine(report),
    ...wrap(...changeLines(options.comparison ?? null)),
  ];
}

function endWithBlank(lines: readonly string[]): string[] {
  return lines.length > 0 ? [...lines, ''] : [];
}

function familyLines(report: Report, columns: Columns): string[] {
  const families = listFamilies(report);
  const digits = (column: 'pass' | 'total') =>
    Math.max(0, ...families.map(({ counts }) => formatNumber(counts[column]).length));
  const [passWidth, totalWidth] = [digits('pass'), digits('total')];
  const rows = families.map((row) => {
    const { family, counts, operations } = row;
    const other = (['fail', 'warn', 'inconclusive', 'excused', 'error', 'untested'] as const)
      .filter((verdict) => counts[verdict] > 0)
      .map((verdict) => `${formatNumber(counts[verdict])} ${verdict}${bracketedCounts(row, verdict)}`);
    return [
      family,
      `${formatNumber(counts.pass).padStart(passWidth)} of ${formatNumber(counts.total).padStart(totalWidth)} pass`,
      operations.claimed === 0 ? '' : `${operations.exercised} of ${operations.claimed} operations`,
      other.join(', '),
    ];
  });
  return endWithBlank(alignColumns(rows, columns));
}

function bracketedCounts({ accepted, failures }: FamilyRow, verdict: Verdict): string {
  const { musts, shoulds, consequences } = failures.undecided;
  if (verdict === 'inconclusive')
    return inBrackets(
      compact(
        ...knownWords(musts + shoulds),
        consequences > 0 && `${formatNumber(consequences)} because of known failures`,
      ),
    );
  if (verdict !== 'fail') return inBrackets(knownWords(accepted[verdict]));
  // Known SHOULDs are not counted here, because they are part of `warn`.
  const { must, knownMust } = failures;
  const shared = { consequences: must.consequences + knownMust.consequences };
  return inBrackets(
    compact(...knownWords(knownMust.count), shared.consequences > 0 && sharedCauseWords(shared)),
  );
}

function knownWords(count: number): readonly string[] {
  return count === 0 ? [] : [`${formatNumber(count)} known`];
}

function inBrackets(parts: readonly string[]): string {
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

export function errataLines({ dialect }: Report): string[] {
  return dialect.errata.map(({ id, reason, times, requirements }) => {
    const counts = compact(requirements.length > 0 && plural(requirements.length, 'requirement'));
    return `${dialect.name} ${id}: ${printable(reason)} (${[...counts, plural(times, 'time')].join(', ')})`;
  });
}

export function verdictLine(report: Report, paint: Colours): string {
  // Exceptions, which the lines below list, turn a pass yellow.
  const passColour = conformsWithExceptions(report) ? paint.yellow : paint.green;
  const colour = { conforms: passColour, 'does-not-conform': paint.red, 'cannot-tell': paint.yellow };
  // The reasons of a pass already state the accepted failures.
  const words = report.summary.verdict === 'conforms' ? verdictWords(report) : verdictSentence(report);
  return paint.bold(colour[report.summary.verdict](words));
}

export function costLine(report: Report): string {
  const { requests, bytes: size, tokens, seconds } = report.cost;
  return compact(
    plural(requests, 'request'),
    formatBytes(size),
    tokens > 0 && plural(tokens, 'token'),
    seconds !== null && `${seconds.toFixed(1)} s`,
  ).join(', ');
}
