import { isDeepStrictEqual } from 'node:util';
import { printable } from '../../exchange/printable.ts';
import type { Cause } from '../../judge/verdict/cause.ts';
import { isConsequence } from '../../judge/verdict/failure-count.ts';
import type { RequirementVerdict } from '../../judge/verdict/verdict.ts';
import { groupBy } from '../../schemas/maps.ts';
import { compact, firstOf, formatNumber, plural } from '../../schemas/message-text.ts';
import type { Report, ReportedRequirement } from '../report.ts';
import { requirementsInScope } from '../selection.ts';
import { countUndecidedOthers, findUndecided } from '../undecided.ts';
import { blockerWords, type CauseText, causeText, receivedFromWords } from '../words/cause.ts';
import { explainedIds } from './missing-capabilities.ts';
import { COMPLETE_FORMATS, fileListsWords, type WrittenFile } from './written-file.ts';

const MAX_LISTED = 4;
const MAX_NAMED_CAUSES = 2;
/** Sorts `e2` before `e10`. */
const NUMERIC_ORDER = new Intl.Collator('en', { numeric: true });

export function unjudgedLines(report: Report): string[] {
  const inScope = requirementsInScope(report.requirements);
  const linesFor = (verdict: string) =>
    reasonsWithRequirements(inScope.filter((one) => one.verdict === verdict)).map(
      ([reason, members]) =>
        `${plural(members.length, 'requirement')} ${verdict}: ${printable(reason)}${sameCauseWords(members)}`,
    );
  return [
    ...report.blockers.map((one) => `${blockerWords(one)}${sameCauseWords(blockedBy(one, inScope))}`),
    ...linesFor('untested'),
    ...linesFor('inconclusive'),
    ...missingEvidenceLines(inScope, explainedIds(report)),
  ];
}

function blockedBy(
  { obstacle }: Report['blockers'][number],
  requirements: readonly RequirementVerdict[],
): readonly RequirementVerdict[] {
  return requirements.filter(
    ({ cause }) => cause?.kind === 'blocked' && isDeepStrictEqual(cause.obstacle, obstacle),
  );
}

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
  return firstOf(lines, MAX_LISTED, (hidden) => `  and ${plural(hidden, 'more such reason')}`);
}

/** The most frequent cause comes first. If a cause has many details, they are only counted. */
function reasonsWithRequirements(
  requirements: readonly RequirementVerdict[],
): readonly (readonly [reason: string, readonly RequirementVerdict[]])[] {
  const texts = requirements
    .filter(({ cause }) => cause?.kind !== 'blocked')
    .map((one) => ({ one, ...shortText(one.cause) }));
  return [...groupBy(texts, ({ head }) => head)]
    .map(([head, members]) => [`${head}${detailList(members)}`, members.map(({ one }) => one)] as const)
    .toSorted(([, a], [, b]) => b.length - a.length);
}

function detailList(texts: readonly [CauseText, ...CauseText[]]): string {
  const details = [...new Set(texts.map(({ detail }) => detail))].filter((detail) => detail !== '');
  if (details.length === 0) return '';
  const exchanges = [...new Set(texts.flatMap(({ exchange }) => exchange ?? []))];
  const areExchanges = texts.every(({ exchange }) => exchange !== undefined);
  if (details.length > MAX_LISTED)
    return areExchanges ? `, in ${details.length} exchanges` : `, for ${details.length} reasons`;
  const list = areExchanges
    ? `(${exchanges.toSorted(NUMERIC_ORDER.compare).join(', ')})`
    : details.toSorted().join('; ');
  return `${texts[0].joint}${list}`;
}

function shortText(cause: Cause | null): CauseText {
  // Reports up to version 0.1 have no cause.
  if (cause === null) return { head: 'no reason given', joint: ': ', detail: '' };
  return cause.kind === 'no-evidence' ? { ...causeText(cause), detail: '' } : causeText(cause);
}

export function undecidedLines(
  report: Report,
  written: readonly WrittenFile[],
  cassette: string | null,
): string[] {
  const { open, others } = findUndecided(report);
  const total = open.length + others.length;
  if (total === 0) return [];
  const listed = open.length > 0 ? open : others;
  const shown = listed.slice(0, MAX_LISTED).map(({ id }) => printable(id));
  const listing =
    total > shown.length ? [`${fileListsWords(written, COMPLETE_FORMATS)} all ${formatNumber(total)}`] : [];
  const further = compact(
    listed.length > shown.length && `and ${formatNumber(listed.length - shown.length)} more`,
    open.length > 0 && others.length > 0 && furtherWords(report),
  );
  return [
    `could not be decided: ${[...shown, ...further, ...listing].join(', ')}`,
    ...showLine(listed, cassette),
  ];
}

function showLine(requirements: readonly ReportedRequirement[], cassette: string | null): string[] {
  const ids = requirements.flatMap(({ cause }) =>
    cause !== null && 'exchange' in cause ? cause.exchange : [],
  );
  const shown = [...new Set(ids)].slice(0, MAX_LISTED);
  return cassette === null || shown.length === 0
    ? []
    : [`  answers: npx assay show ${cassette} ${shown.join(' ')}`];
}

function furtherWords(report: Report): string {
  const { musts, shoulds, consequences } = countUndecidedOthers(report);
  const parts = compact(
    musts > 0 && `${plural(musts, 'MUST')} accepted by the baseline`,
    consequences > 0 && `${formatNumber(consequences)} because of failures`,
    shoulds > 0 && plural(shoulds, 'SHOULD'),
  );
  if (parts.length === 1) return `and ${parts.join('')}`;
  return `and ${formatNumber(musts + shoulds + consequences)} more (${parts.join(', ')})`;
}

/** `, all for createChatCompletion:accepts#body.tools`; empty unless reported causes explain all of them. */
function sameCauseWords(requirements: readonly RequirementVerdict[]): string {
  if (requirements.length === 0 || !requirements.every(isConsequence)) return '';
  const ids = [...new Set(requirements.flatMap(({ consequenceOf = [] }) => consequenceOf))];
  const causes = ids.length > MAX_NAMED_CAUSES ? `${ids.length} causes of failures` : ids.join(' and ');
  return `, ${requirements.length === 1 ? '' : 'all '}for ${causes}`;
}
