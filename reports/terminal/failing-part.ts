// The failing part of the terminal report: at most sixty lines, causes first. A screen or two are read; the rest is in the report.
import type { DiagnosisVerdict, RequirementVerdict } from '../../judge/verdict/verdict.ts';
import { causeOfFailures, consequencesTitle, withoutEvidenceTitle } from '../failure/cause.ts';
import { shellQuote } from '../failure/curl-command.ts';
import { type FailureContext, type FailureText, failureText } from '../failure/failure.ts';
import { type FailureGroup, groupFailures, groupWords, placeInGroup } from '../failure/groups.ts';
import { openCauses, plural, type Report, unexcusedRequirements } from '../report.ts';
import {
  failureAsLine,
  failureInBrief,
  failureInFull,
  INDENT,
  indented,
  type LineStyle,
} from './failure-lines.ts';
import { moreIn, type WrittenFile } from './summary/written-file.ts';
import { rowsOf, wrapCommand, wrapList, wrapText } from './wrap.ts';

/** Lines of the failing part, however many failures there are. */
const MOST_LINES = 60;
/** Failures on a line each; more are counted. */
const AS_LINES = 20;
/** Ids or places that are named of what belongs to one failure, in full and where there is less room. */
const NAMED = 12;
const FEW_NAMED = 3;
/** Columns of a list in a file. */
const LIST_COLUMNS = 112;

/** Lengths with lines of their own, the longest first. Without its curl line, `spare` still has the other commands. */
const LENGTHS = ['full', 'short', 'spare', 'brief'] as const;
type Length = (typeof LENGTHS)[number];

/** A failure in several lengths. */
interface FailingItem extends Readonly<Record<Length, readonly string[]>> {
  readonly word: 'FAIL' | 'WARN';
  readonly line: string;
  /** Failures that it stands for. */
  readonly count: number;
  /** Lines with the command that shows one of several; none for one. */
  readonly each: readonly string[];
}

/** Where commands and lines come from. */
export interface FailingOptions extends FailureContext, LineStyle {
  /** Files that were written. */
  readonly written: readonly WrittenFile[];
}

/** Causes, failures and warnings: the first in full, as many as there is room for, further ones on a line each. */
export function failingPart(report: Report, options: FailingOptions): readonly string[] {
  const items = [
    ...openCauses(report).flatMap((one) => causeItem(one, report, options)),
    ...(['fail', 'warn'] as const)
      .flatMap((verdict) => groupFailures(unexcusedRequirements(report, verdict)))
      .map((group) => groupItem(group, options)),
  ];
  const lengths: (Length | 'line')[] = items.map(() => 'line');
  // Lengthened one after the other as long as there is room, so that the first are the longest.
  let place = 0;
  for (const length of LENGTHS) {
    for (; place < items.length; place += 1) {
      lengths[place] = length;
      if (rowsOf(set(items, lengths, options), options.columns) <= MOST_LINES) continue;
      lengths[place] = 'line';
      break;
    }
  }
  return set(items, lengths, options);
}

/** All items, each in its length. Items on a line stand below a heading that counts them. */
function set(
  items: readonly FailingItem[],
  lengths: readonly (Length | 'line')[],
  options: FailingOptions,
): readonly string[] {
  const { written } = options;
  const long = items.flatMap((item, n) => {
    const length = lengths[n] ?? 'line';
    return length === 'line' ? [] : item[length];
  });
  const short = items.filter((_, n) => lengths[n] === 'line');
  if (short.length === 0) return lengths.includes('brief') ? [...long, ...anyOfThem(options), ''] : long;
  const rows: string[] = [];
  for (const word of ['FAIL', 'WARN'] as const) {
    // The line that stands for most failures comes first: it is the largest part of the verdict.
    const of = short.filter((item) => item.word === word).toSorted((a, b) => b.count - a.count);
    if (of.length > 0) rows.push(`${word}  ${of.length} more:`);
    rows.push(...of.slice(0, AS_LINES).flatMap(({ line, each }) => [line, ...each]));
    if (of.length > AS_LINES) rows.push(`      ${moreIn(of.length - AS_LINES, written)}`);
  }
  return [...long, ...rows, ...anyOfThem(options), ''];
}

/** How to see a failure that stands here without its commands. */
function anyOfThem({ columns, reportDir = null }: FailingOptions): readonly string[] {
  const where = reportDir === null ? '' : ` --report ${shellQuote(reportDir)}`;
  const words = `any of them: npx assay explain ID${where} names the exchange, and the command that judges it alone`;
  const room = columns === null ? null : columns - INDENT;
  return wrapText(words, room, 2).map((line) => `${' '.repeat(INDENT)}${line}`);
}

/** A cause of refusals, with the names of what else fails for it. None where the report lacks its requirements. */
function causeItem(diagnosis: DiagnosisVerdict, report: Report, options: FailingOptions): FailingItem[] {
  const found = causeOfFailures(diagnosis, report, options);
  if (found === null) return [];
  const { text, consequences, withoutEvidence } = found;
  const below = (most: number) => [
    ...named(consequencesTitle(consequences), consequences, { ...options, most }),
    ...named(withoutEvidenceTitle(withoutEvidence), withoutEvidence, { ...options, most }),
  ];
  const [first] = text.findings;
  const count = consequences.length === 0 ? '' : ` (${consequences.length} more for this cause)`;
  return [
    {
      word: 'FAIL',
      ...inLengths(text, below, options),
      line: failureAsLine(text.id, `${first?.actual ?? text.says}${count}`, options),
      count: consequences.length + 1,
      each: [],
    },
  ];
}

/** Rows of a terminal that a curl line may take: of the first failures, and where there is less room. */
const CURL_ROWS = { full: 12, spare: 5 } as const;

/** A failure in all lengths. `below`: what follows it, with so many names in each list. */
function inLengths(
  text: FailureText,
  below: (most: number) => readonly string[],
  options: FailingOptions,
): Pick<FailingItem, Length> {
  const full = failureInFull(text, { ...options, curlRows: CURL_ROWS.full });
  return {
    full: [...full, ...below(NAMED)],
    short: [...full, ...below(FEW_NAMED)],
    spare: [...failureInFull(text, { ...options, curlRows: CURL_ROWS.spare }), ...below(FEW_NAMED)],
    brief: [...failureInBrief(text, options), ...below(FEW_NAMED)],
  };
}

/** Requirements by name, below a title; nothing for none. */
function named(title: string, all: readonly RequirementVerdict[], options: ListOptions): readonly string[] {
  const ids = all.map(({ id }) => id);
  return ids.length === 0 ? [] : listed(title, ids, options);
}

/** Failures that are one defect: the first, and the places of the others. */
function groupItem(group: FailureGroup, options: FailingOptions): FailingItem {
  const { first, alike, shape, subject } = group;
  const text = failureText(first, options);
  const below = (most: number) =>
    shape === null
      ? []
      : listed(othersTitle(group), alike.map(placeInGroup), { ...options, most }, explain(group, options));
  return {
    word: text.word,
    ...inLengths(text, below, options),
    line: failureAsLine(
      subject,
      shape === null ? first.says : `${groupWords(group)}: ${placesInGroup(group, options)}`,
      options,
    ),
    count: alike.length + 1,
    each: shape === null ? [] : explain(group, options),
  };
}

/** The places of a group, for one line. */
function placesInGroup({ first, alike }: FailureGroup, { written }: FailingOptions): string {
  const all = [first, ...alike].map(placeInGroup);
  const rest = all.length - NAMED;
  return [...all.slice(0, NAMED), ...(rest > 0 ? [moreIn(rest, written)] : [])].join(', ');
}

/** How the others of a group are introduced. */
function othersTitle({ shape, subject, alike }: FailureGroup): string {
  return shape === 'accepts-invalid'
    ? `and ${plural(alike.length, 'more request')} that ${subject} does not turn down:`
    : `and ${plural(alike.length, 'more field')} that ${subject} lacks:`;
}

/** The command that explains one of a group. */
function explain({ first, alike: [other] }: FailureGroup, { columns }: FailingOptions): string[] {
  const command = `npx assay explain ${shellQuote((other ?? first).id)}`;
  const room = columns === null ? null : columns - INDENT - 7;
  return wrapCommand(command, room).map((line, n) => `${n === 0 ? '      each   ' : ' '.repeat(13)}${line}`);
}

/** `most`: how many names a list has. */
interface ListOptions extends FailingOptions {
  readonly most: number;
}

/** A title, some of the names below it, and further lines. */
function listed(
  title: string,
  all: readonly string[],
  { paint, columns, written, most }: ListOptions,
  further: readonly string[] = [],
): string[] {
  const names = all.slice(0, most);
  if (all.length > names.length) names.push(moreIn(all.length - names.length, written));
  const lines = wrapList(names, (columns ?? LIST_COLUMNS + INDENT) - INDENT - 2);
  return [
    `      ${paint.bold(title)}`,
    ...lines.map((line) => indented(line, { indent: INDENT + 2, columns })),
    ...further,
    '',
  ];
}
