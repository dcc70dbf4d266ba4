import { Option } from 'commander';
import { didYouMean } from '../../drive/configuration/option-readers.ts';
import { matchesAnyGlob, matchesGlob } from '../../judge/requirements/glob.ts';
import { UsageError } from '../../pipeline/usage-error.ts';
import {
  type ListingEntry,
  listingJson,
  listingMarkdown,
  listingText,
} from '../../reports/formats/listing.ts';
import { families } from '../../schemas/index.ts';
import type { AddCommand } from '../command.ts';
import { collectRepeated } from '../flag-values.ts';

interface Flags {
  readonly section?: string;
  readonly family?: string;
  readonly kind?: string;
  readonly only?: readonly string[];
  readonly format: 'text' | 'json' | 'md';
}

const KINDS = ['schema', 'accepted', 'rejected', 'behaviour', 'choice', 'exclusion'];
const FORMATS = { text: listingText, json: listingJson, md: listingMarkdown };

/** `assay list`: every requirement, choice and exclusion. */
export const listCommand: AddCommand = (program, { finish }) => {
  program
    .command('list')
    .description(
      'Lists what is judged (requirements), what is only reported (choices) and what no test can see (exclusions).',
    )
    .option('--section <title>', 'only sections of the specification that begin so, such as "2 File"')
    .option('--family <names>', 'only these families, named as for --claim')
    .addOption(new Option('--kind <name>', 'only this kind').choices(KINDS))
    .option('--only <glob>', 'only ids that match; may be repeated', collectRepeated)
    .addOption(new Option('--format <name>', 'how to print').choices(Object.keys(FORMATS)).default('text'))
    .addHelpText('after', '\nExample:\n  assay list --family chat --kind behaviour')
    .action(async (flags: Flags) => {
      const [{ catalogue }, { listingEntries: entriesOf }] = await Promise.all([
        import('../../suites/index.ts'),
        import('../../reports/formats/entries.ts'),
      ]);
      const all = entriesOf(await catalogue());
      known(flags.family, all);
      const found = all.filter((entry) => fits(entry, flags));
      if (found.length === 0) throw new UsageError(await nothing(flags, all));
      process.stdout.write(FORMATS[flags.format](found));
      finish(0);
    });
};

function fits(entry: ListingEntry, { section, family, kind, only }: Flags): boolean {
  return (
    (section === undefined || entry.spec.startsWith(section)) &&
    (family === undefined ||
      namesIn(family).some((name) => entry.family === name || entry.families.includes(name))) &&
    (kind === undefined || entry.kind === kind) &&
    (only === undefined || matchesAnyGlob(only, entry.id))
  );
}

/** That nothing is listed, and what may be meant. */
async function nothing({ section, only = [] }: Flags, all: readonly ListingEntry[]): Promise<string> {
  const glob = only.find((one) => !all.some(({ id }) => matchesGlob(one, id)));
  if (glob !== undefined) {
    const { nearestIds: nearestOf } = await import('../../pipeline/unmatched-globs.ts');
    const ids = all.map(({ id }) => id);
    return `--only ${glob} matches nothing; ${nearestOf(glob, ids)}. assay list prints all of them.`;
  }
  if (section === undefined || all.some(({ spec }) => spec.startsWith(section)))
    return 'Nothing is all of what was asked for: leave out one of --section, --family, --kind and --only.';
  const titles = [...new Set(all.map(({ spec }) => spec))].toSorted();
  return `--section ${section}: no section begins so. There are ${titles.join(', ')}.`;
}

/** Written as for --claim. */
function namesIn(family: string): readonly string[] {
  return family.split(',').map((name) => name.trim());
}

/** A family that no entry has is a slip of the pen, not an empty list. */
function known(family: string | undefined, all: readonly ListingEntry[]): void {
  const names = [...new Set([...families(), ...all.map((entry) => entry.family)])].filter(
    (name) => name !== '',
  );
  const odd = family === undefined ? undefined : namesIn(family).find((name) => !names.includes(name));
  if (odd === undefined) return;
  throw new UsageError(
    `--family ${family}: no family is called ${odd}${didYouMean(odd, names)}. It takes ${names.toSorted().join(', ')}.`,
  );
}
