import { didYouMean } from '../../drive/configuration/option-readers.ts';
import { matchesAnyGlob, matchesGlob } from '../../exchange/glob.ts';
import { type ListingEntry, listingEntries } from '../../reports/formats/listing.ts';
import { families } from '../../schemas/index.ts';
import { suggestNames } from '../../schemas/nearest-names.ts';
import { catalogue } from '../../suites/index.ts';
import { UsageError } from '../setup/usage-error.ts';

export interface ListingFilter {
  readonly section?: string;
  readonly family?: string;
  readonly side?: string;
  readonly kind?: string;
  readonly only?: readonly string[];
}

/** Rejects with UsageError if the filter names an unknown family or selects nothing. */
export async function listRequirements(filter: ListingFilter): Promise<readonly ListingEntry[]> {
  const all = listingEntries(await catalogue('both'));
  refuseUnknownFamily(filter.family, all);
  const selected = all.filter((entry) => isSelected(entry, filter));
  if (selected.length === 0) throw new UsageError(nothingFoundMessage(filter, all));
  return selected;
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
    return `--only ${glob} matches nothing${suggestNames(glob, ids)}. assay list prints all of them.`;
  }
  if (section === undefined || all.some(({ spec }) => spec.startsWith(section)))
    return 'No entry matches all of these options: leave out one of --section, --family, --side, --kind and --only.';
  const titles = [...new Set(all.map(({ spec }) => spec))].toSorted();
  return `--section ${section}: no section title begins with this. The titles are ${titles.join(', ')}.`;
}

function namesIn(family: string): readonly string[] {
  return family.split(',').map((name) => name.trim());
}

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
