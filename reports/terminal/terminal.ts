// The report for a terminal ends with the summary, because a terminal is read from its end.
import { truncateText } from '../../exchange/printable.ts';
import { countFailures } from '../../judge/verdict/failure-count.ts';
import { firstOf, formatNumber, plural } from '../../schemas/message-text.ts';
import { acceptedCountWords, acceptedGroups, acceptedIds } from '../accepted-groups.ts';
import type { Comparison } from '../comparison/compare.ts';
import { brokenItems, itemLine, toleratedItems } from '../failure/broken-items.ts';
import { printableReport } from '../printable-report.ts';
import type { Report } from '../report.ts';
import { changedChoices, unusualChoices } from '../summary/choices.ts';
import { missingCapabilityLines } from '../summary/missing-capabilities.ts';
import { errataLines, summaryLines, verdictLine } from '../summary/summary.ts';
import { moreWords } from '../summary/written-file.ts';
import { conformsWithExceptions, scoreLine, verdictSentence } from '../verdict-words.ts';
import { ownerOf } from '../words/defect.ts';
import { breakdownWords } from '../words/diagnosis.ts';
import { hintWords } from '../words/hint.ts';
import { wrapText } from '../words/layout.ts';
import { whenWords } from '../words/stop.ts';
import {
  type FailingOptions,
  failingItem,
  failingPart,
  knownPart,
  MARGIN,
  MAX_NAMED_BRIEFLY,
  placesInGroup,
} from './failures.ts';

const MAX_LISTED = 10;
const MAX_ON_FIRST_SCREEN = 5;
const MAX_SHORTCOMINGS = 7;

interface TerminalOptions extends FailingOptions {
  readonly comparison?: Comparison | null;
}

export function terminalReport(rawReport: Report, options: TerminalOptions): string {
  const report = printableReport(rawReport);
  return [
    ...firstLines(report, options),
    ...failingPart(report, options),
    ...((options.only ?? []).length > 0 ? knownPart(report, options) : []),
    ...toleratedLines(report, options),
    ...acceptedLines(report, options),
    ...markedLines('EXCUSED', errataLines(report), options),
    ...defectLines(report, options),
    ...summaryLines(report, options),
    '',
  ].join('\n');
}

export function firstScreen(rawReport: Report, options: TerminalOptions): string {
  const report = printableReport(rawReport);
  const { columns, written } = options;
  const items = brokenItems(report).map((item) => failingItem(item, options));
  const fitRow = (line: string) => (columns === null ? line : truncateText(line, columns));
  const shown = items.map(({ row, at }) => [row, ...at.map((line) => fitRow(`${MARGIN}${line}`))]);
  // Later reports propose no dialect: the baseline then already accepts the failures that the dialect would excuse.
  const dialects = report.hints.filter(({ kind }) => kind === 'dialect-would-excuse');
  const shortcomings = [
    ...report.summary.reasons,
    ...warningLines(report),
    ...missingCapabilityLines(report),
  ].slice(0, MAX_SHORTCOMINGS);
  return [
    `${verdictLine(report, options.paint)}: ${scoreLine(report)}`,
    '',
    ...firstOf(shown, MAX_ON_FIRST_SCREEN, (hidden) => [`${MARGIN}${moreWords(hidden, written)}`]).flat(),
    ...shortcomings.map((line) => fitRow(`- ${line}`)),
    ...unusualChoices(report).flatMap((line) => wrapText(`- ${line}`, columns, 2)),
    ...dialects.flatMap((hint) => wrapText(`hint: ${hintWords(hint)}`, columns, 2)),
    '',
  ].join('\n');
}

function warningLines({ requirements, diagnoses = [], summary }: Report): readonly string[] {
  const { count } = countFailures({ requirements, diagnoses }, 'SHOULD');
  const isReason = summary.causes.some((cause) => cause.kind === 'broken' && cause.level === 'SHOULD');
  return count === 0 || isReason
    ? []
    : [`${plural(count, 'SHOULD')} ${count === 1 ? 'is' : 'are'} not met (a warning)`];
}

function markedLines(word: string, lines: readonly string[], options: TerminalOptions): string[] {
  if (lines.length === 0) return [];
  const { paint, columns, written } = options;
  const wrapped = lines.map((line) => {
    const [first = '', ...further] = wrapText(`${word} ${line}`, columns, word.length + 1);
    return [`${paint.bold(paint.cyan(word))}${first.slice(word.length)}`, ...further];
  });
  return [...firstOf(wrapped, MAX_LISTED, (hidden) => [`${MARGIN}${moreWords(hidden, written)}`]).flat(), ''];
}

function toleratedLines(report: Report, options: TerminalOptions): string[] {
  const lines = toleratedItems(report).map((item) => {
    const places = item.shape === null ? '' : `: ${placesInGroup(item, options)}`;
    return `${itemLine(item)}${places}`;
  });
  return markedLines('TOLERATED', lines, options);
}

function acceptedLines(report: Report, options: TerminalOptions): string[] {
  const lines = acceptedGroups(report).map((group) => {
    const named = firstOf(acceptedIds(group), MAX_NAMED_BRIEFLY, (hidden) =>
      moreWords(hidden, options.written),
    );
    return `${acceptedCountWords(group)}: ${group.reason} (${named.join(', ')})`;
  });
  return markedLines('KNOWN', lines, options);
}

function defectLines({ requirements }: Report, { paint, columns }: TerminalOptions): string[] {
  return requirements
    .filter(({ verdict }) => verdict === 'error')
    .flatMap(({ id, reason }) => [
      `${paint.bold(paint.magenta('ERROR'))} ${id}`,
      ...wrapText(
        `${MARGIN}a defect of ${ownerOf(id)}, not of the target: ${reason ?? 'no reason given'}`,
        columns,
      ),
      '',
    ]);
}

function firstLines(report: Report, { paint, columns }: TerminalOptions): readonly string[] {
  const lines = [...deathLines(report), ...sharedCauseLines(report), ...changedChoices(report)];
  // Accepted failures would otherwise come before the verdict, and read as failures.
  const verdict = conformsWithExceptions(report) ? [paint.bold(paint.yellow(verdictSentence(report)))] : [];
  const shown = [...verdict, ...lines.flatMap((line) => wrapText(line, columns, 2))];
  return shown.length === 0 ? [] : [...shown, ''];
}

/** Failures after the death of a target say little about it. */
function deathLines({ summary }: Report): readonly string[] {
  const cause = summary.causes.find(({ kind }) => kind === 'stopped');
  if (cause?.kind !== 'stopped' || cause.reason !== 'target-died') return [];
  const calls = cause.stop?.reason === 'target-died' ? cause.stop.underWay : [];
  return [`the target stopped answering ${whenWords(calls)}: everything below is based on earlier responses`];
}

function sharedCauseLines({ summary }: Report): readonly string[] {
  return summary.causes.flatMap((cause) => {
    const [first] = cause.kind === 'broken' ? (cause.faults ?? []) : [];
    if (cause.kind !== 'broken' || first === undefined) return [];
    const total = cause.count + (cause.consequences ?? 0);
    const share = first.requirements === total ? 'all' : `${formatNumber(first.requirements)} of`;
    return [
      `${share} ${formatNumber(total)} ${cause.level} failures share one cause: the service ${breakdownWords([first.fault])}`,
    ];
  });
}
