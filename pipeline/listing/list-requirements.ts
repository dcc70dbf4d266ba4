import { didYouMean } from '../../drive/configuration/option-readers.ts';
import { CLAIM_PROFILES, type ClaimProfile } from '../../drive/configuration/profiles.ts';
import { matchesAnyGlob, matchesGlob } from '../../exchange/glob.ts';
import { printable } from '../../exchange/printable.ts';
import { type ListingEntry, listingEntries } from '../../reports/formats/listing.ts';
import { alignColumns } from '../../reports/words/layout.ts';
import { escapeMarkdown, markdownTable } from '../../reports/words/markdown.ts';
import { takenWords } from '../../reports/words/text.ts';
import { families, operations } from '../../schemas/index.ts';
import { nearestNames } from '../../schemas/nearest-names.ts';
import { catalogue } from '../../suites/index.ts';
import { UsageError } from '../setup/usage-error.ts';
import { NO_REPORT, readLastRun } from './last-run.ts';

export interface ListingFilter {
  readonly section?: string;
  readonly family?: string;
  readonly side?: string;
  readonly kind?: string;
  readonly only?: readonly string[];
}

/** Throws UsageError if the filter names an unknown family or selects nothing. */
export async function listRequirements(filter: ListingFilter): Promise<readonly ListingEntry[]> {
  const all = listingEntries(await catalogue('both'));
  refuseUnknownFamily(filter.family, all);
  const found = all.filter((entry) => isSelected(entry, filter));
  if (found.length === 0) throw new UsageError(nothingFoundMessage(filter, all));
  return found;
}

function isSelected(entry: ListingEntry, { section, family, side, kind, only }: ListingFilter): boolean {
  return (
    (section === undefined || entry.spec.startsWith(section)) &&
    (family === undefined ||
      namesIn(family).some((name) => entry.family === name || entry.families.includes(name))) &&
    (side === undefined || (entry.side ?? 'server') === side) &&
    (kind === undefined || entry.kind === kind) &&
    (only === undefined || matchesAnyGlob(only, entry.id))
  );
}

function nothingFoundMessage({ section, only = [] }: ListingFilter, all: readonly ListingEntry[]): string {
  const glob = only.find((one) => !all.some(({ id }) => matchesGlob(one, id)));
  if (glob !== undefined) {
    const ids = all.map(({ id }) => id);
    return `--only ${glob} matches nothing${nearestNames(glob, ids)}. assay list prints all of them.`;
  }
  if (section === undefined || all.some(({ spec }) => spec.startsWith(section)))
    return 'No entry matches all of these options: leave out one of --section, --family, --side, --kind and --only.';
  const titles = [...new Set(all.map(({ spec }) => spec))].toSorted();
  return `--section ${section}: no section title begins with this. There are ${titles.join(', ')}.`;
}

function namesIn(family: string): readonly string[] {
  return family.split(',').map((name) => name.trim());
}

/** Throws UsageError for an unknown family: a typo must not print an empty list. */
function refuseUnknownFamily(family: string | undefined, all: readonly ListingEntry[]): void {
  const names = [...new Set([...families(), ...all.map((entry) => entry.family)])].filter(
    (name) => name !== '',
  );
  const unknown = family === undefined ? undefined : namesIn(family).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new UsageError(
    `--family ${family}: unknown family ${unknown}${didYouMean(unknown, names)}. It takes ${names.toSorted().join(', ')}.`,
  );
}

/** The choices that the last run observed, with the alternatives taken. Throws UsageError without a report. */
export function listTaken(named: string | null, format: 'text' | 'json'): string {
  const last = readLastRun(named);
  if (last === null) throw new UsageError(`list --taken: ${NO_REPORT}.`);
  const met = last.report.choices.filter(({ taken }) => taken.length > 0);
  if (format === 'json')
    return `${JSON.stringify(
      met.map(({ id, taken, exchanges, consistent }) => ({ id, taken, exchanges, consistent })),
      null,
      1,
    )}\n`;
  if (met.length === 0) return `${last.path}: no choice was met\n`;
  const rows = met.map((one) => [
    one.id,
    `${takenWords(one).map(printable).join(', ')}${one.consistent ? '' : ' (inconsistent)'}`,
  ]);
  return `${alignColumns(rows).join('\n')}\n`;
}

interface ClaimListing {
  readonly profiles: readonly ClaimProfile[];
  readonly families: readonly { readonly name: string; readonly operations: readonly string[] }[];
}

export function listProfiles(format: 'text' | 'json' | 'md'): string {
  const listing = claimListing();
  if (format === 'json') return `${JSON.stringify(listing, null, 1)}\n`;
  return format === 'md' ? claimListingMarkdown(listing) : claimListingText(listing);
}

function claimListing(): ClaimListing {
  const operationsOf = (family: string) =>
    operations().filter(({ variants }) => variants.some((one) => one.family === family));
  return {
    profiles: CLAIM_PROFILES,
    families: families().map((name) => ({ name, operations: operationsOf(name).map(({ id }) => id) })),
  };
}

function claimListingText({ profiles, families: rows }: ClaimListing): string {
  const parts = profiles.flatMap(({ name, says, claims, allow }) => [
    `${name}: ${says}${allow.length > 0 ? `; run it with --allow ${allow.join(',')}` : ''}`,
    ...alignColumns(claims.map((part) => [`  ${part.name}`, part.reason])),
    '',
  ]);
  const names = alignColumns(rows.map(({ name, operations: ids }) => [`  ${name}`, ids.join(', ')]));
  return `${[...parts, 'families and their operations', ...names].join('\n')}\n`;
}

function claimListingMarkdown({ profiles, families: rows }: ClaimListing): string {
  const claimed = profiles.flatMap(({ name, claims }) =>
    claims.map((part) => [name, part.name, part.reason].map(escapeMarkdown)),
  );
  const named = rows.map(({ name, operations: ids }) => [name, ids.join(', ')].map(escapeMarkdown));
  return `${markdownTable(['profile', 'claims', 'reason'], claimed)}\n\n${markdownTable(['family', 'operations'], named)}\n`;
}
