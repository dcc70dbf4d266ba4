// The end of the terminal report, parts of which other formats share.
import { printable } from '../../exchange/printable.ts';
import { shellQuote } from '../../exchange/shell-quote.ts';
import type { Cause } from '../../judge/verdict/cause.ts';
import { isConsequence } from '../../judge/verdict/failure-count.ts';
import type { RequirementVerdict, Verdict } from '../../judge/verdict/verdict.ts';
import { groupBy } from '../../schemas/maps.ts';
import { formatBytes, formatNumber, plural } from '../../schemas/quantities.ts';
import type { Comparison } from '../comparison/compare.ts';
import { changeLines } from '../comparison/comparison-text.ts';
import { extensionFlags } from '../failure/extension-flags.ts';
import type { FailureContext } from '../failure/failure.ts';
import { type FamilyRow, listFamilies } from '../families.ts';
import { leftOutWords } from '../left-out.ts';
import type { Report, ReportedRequirement } from '../report.ts';
import { requirementsInScope } from '../selection.ts';
import { countUndecidedOthers, findUndecided } from '../undecided.ts';
import {
  conformsWithExceptions,
  judgedParty,
  scoreLine,
  verdictSentence,
  verdictWords,
} from '../verdict-words.ts';
import { blockerWords, type CauseText, causeText, receivedFromWords } from '../words/cause.ts';
import type { Colours } from '../words/colours.ts';
import { sharedCauseWords } from '../words/gate-reason.ts';
import { alignColumns, type Columns, wrapText } from '../words/layout.ts';
import { firstOf, present, takenWords } from '../words/text.ts';
import { hints } from './hints.ts';
import { explainedIds, missingCapabilityLines } from './missing-capabilities.ts';
import { nextLines } from './next-step.ts';
import { COMPLETE_FORMATS, fileListsWords, type WrittenFile } from './written-file.ts';

/** Maximum number of items of a list; the others are counted. */
const MAX_LISTED = 4;

interface SummaryOptions extends FailureContext {
  readonly columns: Columns;
  readonly paint: Colours;
  readonly written: readonly WrittenFile[];
  readonly comparison?: Comparison | null;
}

/** Results by family, what was not judged and why, score, verdict with reasons, next step, files written. */
export function summaryLines(report: Report, options: SummaryOptions): string[] {
  const { paint, columns, written } = options;
  const wrap = (...lines: readonly string[]) => lines.flatMap((line) => wrapText(line, columns, 2));
  // If the target never responded, a table would contain only zeros.
  const isUnreached = report.stopReason === 'target-unreachable' && report.summary.operations.exercised === 0;
  return [
    ...(isUnreached ? [] : judgedLines(report, options, wrap)),
    verdictLine(report, paint),
    ...wrap(...report.summary.reasons.map((reason) => `  ${printable(reason)}`)),
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
  const leftOut = present(leftOutWords(report) ?? false);
  return [
    ...familyLines(report, options.columns),
    ...endWithBlank(wrap(...unjudgedLines(report), ...undecidedLines(report, options), ...leftOut)),
    ...endWithBlank(wrap(...choiceLines(report, options), ...inconsistentLines(report))),
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

function familyLines(report: Report, width: Columns): string[] {
  const all = listFamilies(report);
  // Right-aligned, so that numbers can be compared.
  const digits = (column: 'pass' | 'total') =>
    Math.max(0, ...all.map(({ counts }) => formatNumber(counts[column]).length));
  const [passWidth, totalWidth] = [digits('pass'), digits('total')];
  const rows = all.map((row) => {
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
  return endWithBlank(alignColumns(rows, width));
}

/** In brackets: how many requirements with a verdict are known, and how many share a cause, as the gate counts them. */
function bracketedCounts({ accepted, failures }: FamilyRow, verdict: Verdict): string {
  const { musts, shoulds, consequences } = failures.undecided;
  if (verdict === 'inconclusive')
    return inBrackets(
      present(
        ...knownWords(musts + shoulds),
        consequences > 0 && `${formatNumber(consequences)} because of known failures`,
      ),
    );
  if (verdict !== 'fail') return inBrackets(knownWords(accepted[verdict]));
  // Only MUSTs, because known SHOULDs are part of `warn`.
  const { must, knownMust } = failures;
  const shared = { consequences: must.consequences + knownMust.consequences };
  return inBrackets(
    present(...knownWords(knownMust.count), shared.consequences > 0 && sharedCauseWords(shared)),
  );
}

function knownWords(count: number): readonly string[] {
  return count === 0 ? [] : [`${formatNumber(count)} known`];
}

function inBrackets(parts: readonly string[]): string {
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

/** Says why requirements were not judged, most frequent reason first. */
export function unjudgedLines(report: Report): string[] {
  const claimed = requirementsInScope(report.requirements);
  const linesFor = (verdict: string) =>
    reasonsWithRequirements(claimed.filter((one) => one.verdict === verdict)).map(
      ([reason, all]) =>
        `${plural(all.length, 'requirement')} ${verdict}: ${printable(reason)}${sameCauseWords(all)}`,
    );
  const blocked = claimed.filter(({ cause }) => cause?.kind === 'blocked');
  return [
    ...report.blockers.map((one) => `${blockerWords(one)}${sameCauseWords(blocked)}`),
    ...linesFor('untested'),
    ...linesFor('inconclusive'),
    ...missingEvidenceLines(claimed, explainedIds(report)),
  ];
}

/** Says what scenarios received instead of their usual evidence, unless a reported cause explains it. */
function missingEvidenceLines(
  requirements: readonly RequirementVerdict[],
  explained: ReadonlySet<string>,
): readonly string[] {
  const unexplained = requirements.flatMap(({ id, cause }) =>
    cause?.kind !== 'no-evidence' || cause.expected === undefined || explained.has(id)
      ? []
      : [receivedFromWords(cause.expected)],
  );
  const lines = [...groupBy(unexplained, (words) => words)]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([words, { length }]) => `  ${plural(length, 'requirement')} without evidence: ${printable(words)}`);
  return firstOf(lines, MAX_LISTED, (rest) => `  and ${plural(rest, 'more such reason')}`);
}

/** Requirements by cause, most frequent first. If a cause has many details, the details are only counted. */
function reasonsWithRequirements(
  requirements: readonly RequirementVerdict[],
): readonly (readonly [reason: string, readonly RequirementVerdict[]])[] {
  const texts = requirements
    .filter(({ cause }) => cause?.kind !== 'blocked')
    .map((one) => ({ one, ...shortText(one.cause) }));
  return [...groupBy(texts, ({ head }) => head)]
    .map(([head, all]) => {
      const details = [...new Set(all.map(({ detail }) => detail))];
      const nonEmpty = details.filter((detail) => detail !== '').toSorted();
      const list = nonEmpty.length === 0 ? '' : `${all[0].joint}${listDetails(nonEmpty)}`;
      const reason = `${head}${details.length > MAX_LISTED ? `, for ${details.length} reasons` : list}`;
      return [reason, all.map(({ one }) => one)] as const;
    })
    .toSorted(([, a], [, b]) => b.length - a.length);
}

function listDetails(details: readonly string[]): string {
  const ids = details.flatMap((detail) => /^\((e\d+)\)$/.exec(detail)?.[1] ?? []);
  return ids.length === details.length ? `(${ids.join(', ')})` : details.join('; ');
}

function shortText(cause: Cause | null): CauseText {
  // Reports up to version 0.1 have no cause.
  if (cause === null) return { head: 'no reason given', joint: ': ', detail: '' };
  // `missingEvidenceLines` lists what scenarios received instead.
  return cause.kind === 'no-evidence' ? { ...causeText(cause), detail: '' } : causeText(cause);
}

function choiceLines(report: Report, { written, reportDir }: SummaryOptions): string[] {
  const { choices } = report;
  const shownCount = choices.filter(({ taken }) => taken.length > 0).length;
  if (shownCount === 0) return unshownPins(report);
  const reportOption = reportDir == null ? '' : ` --report ${shellQuote(reportDir)}`;
  const fullList = written.some(({ format }) => format === 'json')
    ? `npx assay list --taken${extensionFlags()}${reportOption}`
    : `${fileListsWords(written)} what ${judgedParty(report)} does there`;
  return [
    ...unusualChoices(report),
    ...unshownPins(report),
    `choices: the traffic shows ${shownCount} of the ${plural(choices.length, 'point')} that the specification leaves open; ${fullList}`,
  ];
}

/** Choices in which the target no longer does what it did when the baseline was written. */
export function changedChoices({ choices }: Report): string[] {
  const quote = (alternatives: readonly string[]) =>
    alternatives.map((one) => `"${printable(one)}"`).join(', ');
  return choices.flatMap(({ id, taken, before }) => {
    if (before === undefined) return [];
    const change = `${id} is ${quote(taken)}, was ${quote([before])}`;
    return [`changed since the baseline: ${change}; npx assay explain ${id} says how to pin it`];
  });
}

/** Choices in which the target differs from most services, which surprises its clients. */
export function unusualChoices({ choices }: Report): string[] {
  return choices.flatMap(({ id, taken, usual, consistent }) => {
    if (!taken.some((alternative) => usual?.includes(alternative) === false)) return [];
    // Several alternatives are consistent if each depends on the request, as an error status may on the invalid field.
    const which = taken.map((alternative) => `"${printable(alternative)}"`).join(' or ');
    const varies = taken.length > 1 && consistent ? ', depending on the request' : '';
    return [`unlike most services: ${id} is ${which}${varies}, usually "${usual?.join('" or "')}"`];
  });
}

function unshownPins({ choices }: Report): string[] {
  const ids = choices.filter(({ unshown }) => unshown !== undefined).map(({ id }) => id);
  return present(ids.length > 0 && `pinned, but not shown by this traffic: ${ids.join(', ')}`);
}

/** Choices with inconsistent behaviour, which are only listed, because a choice never fails. */
export function inconsistentChoices(report: Report): string[] {
  return report.choices
    .filter(({ consistent }) => !consistent)
    .map(
      (one) =>
        `${judgedParty(report)} is inconsistent in choice ${one.id}: ${takenWords(one).map(printable).join(', ')}`,
    );
}

function inconsistentLines(report: Report): readonly string[] {
  const more = (rest: number) =>
    `and ${plural(rest, 'more choice')} in which ${judgedParty(report)} is inconsistent`;
  return firstOf(inconsistentChoices(report), MAX_LISTED, more);
}

export function errataLines({ dialect }: Report): string[] {
  return dialect.errata.map(({ id, reason, times, requirements }) => {
    const what = requirements.length === 0 ? [] : [plural(requirements.length, 'requirement')];
    return `${dialect.name} ${id}: ${printable(reason)} (${[...what, plural(times, 'time')].join(', ')})`;
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
  return present(
    plural(requests, 'request'),
    formatBytes(size),
    tokens > 0 && plural(tokens, 'token'),
    seconds !== null && `${seconds.toFixed(1)} s`,
  ).join(', ');
}

/** Names undecided requirements, only open MUSTs if there are any, and the report that lists all. */
function undecidedLines(report: Report, { written, cassette }: SummaryOptions): string[] {
  const { open, others } = findUndecided(report);
  const total = open.length + others.length;
  if (total === 0) return [];
  const listed = open.length > 0 ? open : others;
  const shown = listed.slice(0, MAX_LISTED).map(({ id }) => printable(id));
  const all =
    total > shown.length ? [`${fileListsWords(written, COMPLETE_FORMATS)} all ${formatNumber(total)}`] : [];
  const rest = present(
    listed.length > shown.length && `and ${formatNumber(listed.length - shown.length)} more`,
    open.length > 0 && others.length > 0 && restWords(report),
  );
  return [`could not be decided: ${[...shown, ...rest, ...all].join(', ')}`, ...showLine(listed, cassette)];
}

/** The command that prints the responses to blame; empty without such responses or a cassette. */
function showLine(requirements: readonly ReportedRequirement[], cassette: string | null): string[] {
  const ids = requirements.flatMap(({ cause }) =>
    cause !== null && 'exchange' in cause ? cause.exchange : [],
  );
  const shown = [...new Set(ids)].slice(0, MAX_LISTED);
  return cassette === null || shown.length === 0
    ? []
    : [`  answers: npx assay show ${cassette} ${shown.join(' ')}`];
}

/** `and 44 more (3 MUSTs accepted by the baseline, 41 because of failures)`. */
function restWords(report: Report): string {
  const { musts, shoulds, consequences } = countUndecidedOthers(report);
  const parts = present(
    musts > 0 && `${plural(musts, 'MUST')} accepted by the baseline`,
    consequences > 0 && `${formatNumber(consequences)} because of failures`,
    shoulds > 0 && plural(shoulds, 'SHOULD'),
  );
  if (parts.length === 1) return `and ${parts.join('')}`;
  return `and ${formatNumber(musts + shoulds + consequences)} more (${parts.join(', ')})`;
}

const MAX_NAMED_CAUSES = 2;

/**
 * `, all for createChatCompletion:accepts#body.tools` if all lack evidence because of causes that the report
 * counts: otherwise one fact would read as two.
 */
function sameCauseWords(requirements: readonly RequirementVerdict[]): string {
  if (requirements.length === 0 || !requirements.every(isConsequence)) return '';
  const ids = [...new Set(requirements.flatMap(({ consequenceOf = [] }) => consequenceOf))];
  const causes = ids.length > MAX_NAMED_CAUSES ? `${ids.length} causes of failures` : ids.join(' and ');
  return `, ${requirements.length === 1 ? '' : 'all '}for ${causes}`;
}
