import { didYouMean } from '../../drive/configuration/option-readers.ts';
import { matchesAnyGlob, matchesGlob } from '../../exchange/glob.ts';
import { listingEntries } from '../../reports/formats/entries.ts';
import type { ListingEntry } from '../../reports/formats/listing.ts';
import { families } from '../../schemas/index.ts';
import { nearestNames } from '../../schemas/nearest-names.ts';
import { catalogue } from '../../suites/index.ts';
import { UsageError } from '../usage-error.ts';

/** Which entries are listed; an absent field selects all. */
export interface ListingFilter {
  /** Beginning of a section title of the specification. */
  readonly section?: string;
  /** Names of families, separated by commas. */
  readonly family?: string;
  /** Who is judged: `server` or `client`. */
  readonly side?: string;
  /** Kind of an entry: schema, accepted, rejected, request, behaviour, choice or exclusion. */
  readonly kind?: string;
  /** Globs of ids; one has to match. */
  readonly only?: readonly string[];
}

/**
 * Every requirement, choice and exclusion that the filter selects, in the order of the catalogue.
 * @throws UsageError where the filter names an unknown family, or selects nothing.
 */
export async function listRequirements(filter: ListingFilter): Promise<readonly ListingEntry[]> {
  const all = listingEntries(await catalogue('both'));
  refuseUnknownFamily(filter.family, all);
  const found = all.filter((entry) => isSelected(entry, filter));
  if (found.length === 0) throw new UsageError(nothingFound(filter, all));
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

/** Names the part of the filter that matches nothing by itself, with the nearest names. */
function nothingFound({ section, only = [] }: ListingFilter, all: readonly ListingEntry[]): string {
  const glob = only.find((one) => !all.some(({ id }) => matchesGlob(one, id)));
  if (glob !== undefined) {
    const ids = all.map(({ id }) => id);
    return `--only ${glob} matches nothing${nearestNames(glob, ids)}. assay list prints all of them.`;
  }
  if (section === undefined || all.some(({ spec }) => spec.startsWith(section)))
    return 'No entry matches all of these options: leave out one of --section, --family, --side, --kind and --only.';
  const titles = [...new Set(all.map(({ spec }) => spec))].toSorted();
  return `--section ${section}: no section begins so. There are ${titles.join(', ')}.`;
}

/** Splits names as `--claim` does. */
function namesIn(family: string): readonly string[] {
  return family.split(',').map((name) => name.trim());
}

/** A misspelt family must not print an empty list. */
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
