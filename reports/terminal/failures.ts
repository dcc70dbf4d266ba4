import { truncateText } from '../../exchange/printable.ts';
import { shellQuote } from '../../exchange/shell-quote.ts';
import { isBroken } from '../../judge/verdict/failure-count.ts';
import { firstOf, plural } from '../../schemas/message-text.ts';
import { type BrokenItem, brokenItems, itemText, placeInGroup } from '../failure/broken-items.ts';
import { extensionFlags } from '../failure/extension-flags.ts';
import { type FailureContext, type FailureText, failureBlocks } from '../failure/failure.ts';
import type { Report } from '../report.ts';
import { moreWords, type WrittenFile } from '../summary/written-file.ts';
import type { Colours } from '../words/colours.ts';
import {
  type Columns,
  countRows,
  hangLines,
  narrowBy,
  wrapCommand,
  wrapList,
  wrapText,
} from '../words/layout.ts';

/** Failures are shown at length while all take at most this many rows: people read a screen or two. */
const MAX_SCREEN_ROWS = 60;
const MAX_ROWS = 20;
const MAX_FINDING_ROWS = 3;
const MAX_NAMED = 12;
export const MAX_NAMED_BRIEFLY = 3;
const LIST_COLUMNS = 112;
/** Lengths of a failure, longest first. `spare` leaves out curl lines of more than a few rows. */
const LENGTHS = ['full', 'short', 'spare', 'brief'] as const;
/** Maximum number of terminal rows for a curl line, in full and if there is less room. */
const CURL_ROWS = { full: 12, spare: 5 } as const;
const INDENT = 6;
export const MARGIN = ' '.repeat(INDENT);
const MIN_SENTENCE_COLUMNS = 12;

/** `none`: only the row in the list. */
type Length = (typeof LENGTHS)[number] | 'none';

interface FailingItem extends Readonly<Record<Length, readonly string[]>> {
  readonly row: string;
  readonly at: readonly string[];
  readonly each: readonly string[];
}

export interface FailingOptions extends FailureContext, LineStyle {
  readonly written: readonly WrittenFile[];
  readonly reasons?: ReadonlyMap<string, string>;
}

/** Lists the failures, if there are several, then shows the first ones at length while there is room. */
export function failingPart(report: Report, options: FailingOptions): readonly string[] {
  const items = brokenItems(report).map((item) => failingItem(item, options));
  // A single failure has no row in a list, so it is never left out.
  const shortest: Length = items.length === 1 ? 'brief' : 'none';
  const lengths = items.map((): Length => shortest);
  // Lengthens items in order while there is room, so that the first become the longest.
  let position = 0;
  for (const length of LENGTHS) {
    for (; position < items.length; position += 1) {
      lengths[position] = length;
      if (countRows(layOut(items, lengths, options), options.columns) <= MAX_SCREEN_ROWS) continue;
      lengths[position] = shortest;
      break;
    }
  }
  return layOut(items, lengths, options);
}

export function knownPart(report: Report, options: FailingOptions): readonly string[] {
  const { diagnoses = [] } = report;
  const reasons = new Map<string, string>();
  for (const { id, requirement, baseline } of diagnoses.flatMap(({ operations }) => operations))
    if (baseline !== undefined) reasons.set(id, baseline).set(requirement, baseline);
  for (const requirement of report.requirements)
    if (isBroken(requirement) && requirement.baseline !== null)
      reasons.set(requirement.id, requirement.baseline);
  // Reasons of the baseline and the gate are removed, because accepted and tolerated failures are not laid out.
  const withoutBaseline = {
    ...report,
    summary: { ...report.summary, causes: [] },
    choices: [],
    requirements: report.requirements
      .filter((requirement) => isBroken(requirement) && reasons.has(requirement.id))
      .map((requirement) => ({ ...requirement, baseline: null })),
    diagnoses: diagnoses.map((cause) => ({
      ...cause,
      operations: cause.operations.flatMap(({ baseline, ...operation }) =>
        baseline === undefined ? [] : operation,
      ),
    })),
  };
  return failingPart(withoutBaseline, { ...options, reasons });
}

function firstFinding({ findings: [first] }: FailureText): readonly string[] {
  return first === undefined ? [] : [`at ${first.at}: expected ${first.expected}, actual ${first.actual}`];
}

function layOut(
  items: readonly FailingItem[],
  lengths: readonly Length[],
  options: FailingOptions,
): readonly string[] {
  const long = items.flatMap((item, n) => item[lengths[n] ?? 'none']);
  if (items.length < 2) return long;
  const rows = items.map(({ row, each }, n) => (lengths[n] === 'none' ? [row, ...each] : [row]));
  return [
    ...firstOf(rows, MAX_ROWS, (hidden) => [`${MARGIN}${moreWords(hidden, options.written)}`]).flat(),
    ...(lengths.some((length) => length === 'brief' || length === 'none') ? explainHint(options) : []),
    '',
    ...long,
  ];
}

function explainHint(options: FailingOptions): readonly string[] {
  const words = `any of them: ${explainCommand('ID', options)} names the exchange, and the command that judges it alone`;
  return wrapText(words, narrowBy(options.columns, INDENT), 2).map((line) => `${MARGIN}${line}`);
}

function explainCommand(id: string, { reportDir = null }: FailingOptions): string {
  const reportOption = reportDir === null ? '' : ` --report ${shellQuote(reportDir)}`;
  return `npx assay explain ${id}${extensionFlags()}${reportOption}`;
}

export function failingItem(item: BrokenItem, options: FailingOptions): FailingItem {
  const { alike, shape, subject, says, cause } = item;
  const plain = itemText(item, options);
  const known = options.reasons?.get(plain.id);
  const text = known === undefined ? plain : ({ ...plain, word: 'KNOWN', known } as const);
  const each = shape === null ? [] : explainLines(item, options);
  const listsBelow = (max: number): readonly string[] => [
    ...(cause?.further ?? []).flatMap(({ title, requirements }) =>
      titledList(
        `${title}:`,
        requirements.map(({ id }) => id),
        { ...options, max },
      ),
    ),
    ...titledList(othersTitle(item), alike.map(placeInGroup), { ...options, max }, each),
  ];
  const consequences = cause?.further[0]?.requirements.length ?? 0;
  const more = consequences === 0 ? '' : ` (${consequences} more for this cause)`;
  const places = shape === null ? '' : `: ${placesInGroup(item, options)}`;
  const full = failureInFull(text, { ...options, curlRows: CURL_ROWS.full });
  return {
    full: [...full, ...listsBelow(MAX_NAMED)],
    short: [...full, ...listsBelow(MAX_NAMED_BRIEFLY)],
    spare: [
      ...failureInFull(text, { ...options, curlRows: CURL_ROWS.spare }),
      ...listsBelow(MAX_NAMED_BRIEFLY),
    ],
    brief: [...failureInBrief(text, options), ...listsBelow(MAX_NAMED_BRIEFLY)],
    at: firstFinding(text),
    none: [],
    row: failureAsLine(text.word, subject, { ...options, says: `${says}${more}${places}` }),
    each,
  };
}

export function placesInGroup({ first, alike }: BrokenItem, { written }: FailingOptions): string {
  const places = [first, ...alike].map(placeInGroup);
  return firstOf(places, MAX_NAMED, (hidden) => moreWords(hidden, written)).join(', ');
}

function othersTitle({ shape, subject, alike }: BrokenItem): string {
  if (shape === 'breaks-on-invalid')
    return `and ${plural(alike.length, 'more request')} on which ${subject} breaks down:`;
  return shape === 'accepts-invalid'
    ? `and ${plural(alike.length, 'more request')} that ${subject} does not reject:`
    : `and ${plural(alike.length, 'more field')} that ${subject} lacks:`;
}

function explainLines({ first, alike: [other] }: BrokenItem, options: FailingOptions): readonly string[] {
  const command = explainCommand(shellQuote((other ?? first).id), options);
  const label = `${MARGIN}each   `;
  return hangLines(label, wrapCommand(command, narrowBy(options.columns, label.length)));
}

function titledList(
  title: string,
  items: readonly string[],
  { paint, columns, written, max }: FailingOptions & { readonly max: number },
  further: readonly string[] = [],
): string[] {
  if (items.length === 0) return [];
  const names = firstOf(items, max, (hidden) => moreWords(hidden, written));
  const lines = wrapList(names, (columns ?? LIST_COLUMNS + INDENT) - INDENT - 2);
  return [
    `${MARGIN}${paint.bold(title)}`,
    ...lines.map((line) => indentLine(line, { indent: INDENT + 2, columns })),
    ...further,
    '',
  ];
}

interface LineStyle {
  readonly paint: Colours;
  readonly columns: Columns;
}

function failureInFull(
  text: FailureText,
  { paint, columns, curlRows }: LineStyle & { readonly curlRows: number },
): string[] {
  const blocks = failureBlocks(
    { ...text, next: withoutLongCurl(text.next, columns, curlRows) },
    { columns: narrowBy(columns, INDENT), paint, mark: colourOf(text.word, paint) },
  );
  const lines = blocks.flatMap((block) => ['', ...block.map((line) => `${MARGIN}${line}`)]);
  return [heading(text, paint), ...lines, ''];
}

function withoutLongCurl(next: FailureText['next'], columns: Columns, max: number): FailureText['next'] {
  const isLong = next.some(({ what, text }) => what === 'curl' && countRows([text], columns) > max);
  return isLong ? next.filter(({ what }) => what !== 'curl' && what !== 'set') : next;
}

function failureInBrief(text: FailureText, { paint, columns }: LineStyle): string[] {
  const inner = narrowBy(columns, INDENT);
  const finding = firstFinding(text).flatMap((line) =>
    firstOf(wrapText(line, inner, 2), MAX_FINDING_ROWS, () => '  …'),
  );
  const reason = text.known === undefined ? [] : wrapText(`known because: ${text.known}`, inner, 2);
  const lines = [...wrapText(text.says, inner), ...reason, ...finding];
  return [heading(text, paint), ...lines.map((line) => `${MARGIN}${line}`), ''];
}

function failureAsLine(
  word: FailureText['word'],
  name: string,
  { says, paint, columns }: LineStyle & { readonly says: string },
): string {
  const room = columns === null ? says.length : columns - `${word}  ${name}  `.length;
  // A name nearly as wide as the terminal leaves no room for the word.
  if (room < -2) return name;
  const shown = room < MIN_SENTENCE_COLUMNS ? '' : `  ${paint.dim(truncateText(says, room))}`;
  return `${paintWord(word, paint)}  ${name}${shown}`;
}

/** Indents a line, by less if it is nearly as wide as the terminal. */
function indentLine(
  line: string,
  { indent, columns }: { readonly indent: number; readonly columns: Columns },
): string {
  const room = columns === null ? indent : Math.max(0, columns - line.length);
  return `${' '.repeat(Math.min(indent, room))}${line}`;
}

function heading({ word, id }: FailureText, paint: Colours): string {
  return `${paintWord(word, paint)}  ${paint.bold(id)}`;
}

function paintWord(word: FailureText['word'], paint: Colours): string {
  return paint.bold(colourOf(word, paint)(word));
}

function colourOf(word: FailureText['word'], paint: Colours): (text: string) => string {
  if (word === 'KNOWN') return paint.cyan;
  return word === 'FAIL' ? paint.red : paint.yellow;
}
