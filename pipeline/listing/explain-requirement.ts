import type { Catalogue } from '../../judge/requirements/catalogue.ts';
import { isOnClient } from '../../judge/requirements/claimed.ts';
import { causeParts } from '../../judge/requirements/refusals.ts';
import { shellQuote } from '../../reports/failure/curl-command.ts';
import { exampleLines } from '../../reports/failure/example.ts';
import { listingEntries } from '../../reports/formats/entries.ts';
import type { ListingEntry } from '../../reports/formats/listing.ts';
import { mutationStatusOf } from '../../reports/mutation-status.ts';
import { columns } from '../../reports/terminal/columns.ts';
import { extensions } from '../../schemas/index.ts';
import { nearestNames } from '../../schemas/nearest-names.ts';
import { catalogue } from '../../suites/index.ts';
import { exampleFor } from '../example.ts';
import { committedMutationReport } from '../report/mutation-score.ts';
import { APART, keyFlag, rerunFlags, selectionFlags } from '../report/rerun-command.ts';
import { UsageError } from '../usage-error.ts';
import { type FoundEarlier, findingOf, type LastRun, lastRun, lastRunRows } from './last-run.ts';

/** Ends of the ids of the two requirements that probes of one request constraint show. */
const SIDES = ['.accepted', '.rejected'];

/** Names of the detail of an entry; that of a requirement is why its evidence is free. */
const DETAILS: Readonly<Partial<Record<ListingEntry['kind'], string>>> = {
  exclusion: 'why',
  choice: 'open',
};

/** Scenarios that are named. */
const SHOWN_BY = 12;

/** How an explanation is laid out. */
export interface ExplanationOptions {
  /** Whether exchanges that pass and fail the requirement are made with the embedded reference, which takes seconds. */
  readonly examples: 'made' | 'omitted';
  /** Columns of the page. */
  readonly width: number;
  /** Target of the command that judges the requirement alone; null for that of the last run, or the embedded reference. */
  readonly baseUrl: string | null;
  /** Variable of the key: that command names it, as it is not recorded. */
  readonly keyVariable: string;
  /** A report to look into; null for that of the usual folder. */
  readonly report: string | null;
}

/**
 * Explains the requirement, choice or exclusion of an id: one text for each entry, ready to print as soon as it is made. An id
 * without its side, as reports print it for a request constraint, explains both sides; that of a cause explains the requirement
 * that it breaks, with the finding of this cause.
 * @throws UsageError with the nearest ids where the id is unknown.
 */
export async function* explainRequirement(
  id: string,
  { examples, width, baseUrl, keyVariable, report }: ExplanationOptions,
): AsyncGenerator<string> {
  const last = lastRun(report);
  const suites = await catalogue('both');
  const cause = causeParts(id);
  for (const entry of entriesWithId(cause?.requirement ?? id, listingEntries(suites))) {
    const found = await findingOf(cause === null ? entry.id : id, last);
    const alone = aloneCommand(entry, { baseUrl, keyVariable }, { last, found });
    yield factsOf(entry, suites, { alone, last, found, width });
    // The reference is driven by scenarios, and those are no requests of a client.
    if (examples === 'made' && isRequirement(entry) && entry.side === undefined)
      yield exampleLines(await exampleFor(entry.id, suites), width);
  }
}

function entriesWithId(id: string, all: readonly ListingEntry[]): readonly ListingEntry[] {
  const exact = all.filter((one) => one.id === id);
  if (exact.length > 0) return exact;
  const sides = all.filter((one) => SIDES.some((side) => one.id === id + side));
  if (sides.length > 0) return sides;
  // An id without a side is one of the service: those of clients say so.
  const ids = all.filter((one) => (one.side === 'client') === isOnClient(id)).map((one) => one.id);
  throw new UsageError(`Requirement ${id} not found${nearestNames(id, ids)}. assay list prints all of them.`);
}

function isRequirement({ kind }: ListingEntry): boolean {
  return kind !== 'choice' && kind !== 'exclusion';
}

/** What an earlier run found, and the command that judges alone. */
interface Explanation {
  readonly alone: string;
  readonly last: LastRun | null;
  readonly found: FoundEarlier | null;
  /** Columns of the page. */
  readonly width: number;
}

/** The id of an entry, and a table of its sentence, level, section, family, proof and scenarios. */
function factsOf(
  entry: ListingEntry,
  { scenarios }: Catalogue,
  { alone, last, found, width }: Explanation,
): string {
  const { id, kind } = entry;
  const shown = scenarios.filter(({ shows }) => shows?.has(id) === true);
  const rows = [
    ['says', entry.says],
    ['level', [entry.level, entry.basis].filter((word) => word !== null).join(', ') || 'none'],
    ['kind', kind],
    ['spec', entry.spec],
    ...(entry.family === '' ? [] : [['family', entry.family]]),
    ...(entry.detail === null ? [] : [[DETAILS[kind] ?? 'free', entry.detail]]),
    ...(isRequirement(entry) ? proofRows(entry) : []),
    ...(shown.length === 0 ? [] : [['shown by', shownWords(shown.map(({ name }) => name))]]),
    ...lastRunRows(id, { last, found, width }),
    ...(isRequirement(entry) ? [['alone', alone]] : []),
  ];
  return `${id}\n\n${columns(rows.map((row) => ['  ', ...row])).join('\n')}\n`;
}

/** Names of scenarios; of many the first, and how many more. */
function shownWords(names: readonly string[]): string {
  const rest = names.length - SHOWN_BY;
  return `${names.slice(0, SHOWN_BY).join(', ')}${rest > 0 ? ` and ${rest} more scenarios` : ''}`;
}

/** The target of the last run; the embedded reference is gone with its port. */
function targetOf(last: LastRun | null): string | null {
  const target = last?.report.target;
  return target === undefined || target.name === 'reference' ? null : target.baseUrl;
}

/**
 * The command that judges an entry: against the target, with the models and the scenario of a finding of the last run. What a
 * client sends is judged with everything else that it sends.
 */
function aloneCommand(
  { id, side }: ListingEntry,
  { baseUrl: given, keyVariable }: Pick<ExplanationOptions, 'baseUrl' | 'keyVariable'>,
  { last, found }: Pick<Explanation, 'last' | 'found'>,
): string {
  if (side === 'client') return 'npx assay client -- COMMAND';
  const alone = `${selectionFlags(id, found?.exchange)}${APART}`;
  const baseUrl = given ?? targetOf(last);
  if (baseUrl === null) return `npx assay run${extensionFlags()}${alone}`;
  const header = found?.header ?? null;
  if (header === null) return `npx assay run --base-url ${shellQuote(baseUrl)}${extensionFlags()}${alone}`;
  const target = { ...header.target, name: 'service', baseUrl };
  return `npx assay run${rerunFlags({ ...header, target }, found?.exchange)}${keyFlag(header, keyVariable)}${alone}`;
}

/** The extensions of this command line, for another one. */
function extensionFlags(): string {
  return extensions()
    .map(({ file }) => ` --extension ${shellQuote(file)}`)
    .join('');
}

/** In which ways mutation testing violated the requirement, or why it did not. */
function proofRows({ id, families, side }: ListingEntry): readonly (readonly string[])[] {
  if (extensions().some(({ name }) => families.includes(name)))
    return [['proof', 'of an extension: assay prove shows it on a recorded run']];
  const status = mutationStatusOf(committedMutationReport(side))(id);
  return status === null ? [] : [['proof', status.words]];
}
