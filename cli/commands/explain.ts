import type { Catalogue } from '../../judge/requirements/catalogue.ts';
import { matchesGlob } from '../../judge/requirements/glob.ts';
import { committedMutationReport } from '../../pipeline/report/mutation-score.ts';
import { UsageError } from '../../pipeline/usage-error.ts';
import { exampleLines } from '../../reports/failure/example.ts';
import type { ListingEntry } from '../../reports/formats/listing.ts';
import { mutationStatusOf } from '../../reports/mutation-status.ts';
import { columns } from '../../reports/terminal/columns.ts';
import type { AddCommand } from '../command.ts';

/** `assay explain ID`: one requirement, choice or exclusion in full. */
export const explainCommand: AddCommand = (program, { finish }) => {
  program
    .command('explain')
    .description(
      'Tells one requirement, choice or exclusion in full: what it says, where, and what shows evidence for it; ' +
        'a requirement with an exchange that keeps it and one that breaks it, made with the embedded reference.',
    )
    .option('--no-example', 'leave the examples out')
    .argument('<id>', 'its id, as assay list prints it')
    .addHelpText('after', "\nExample:\n  assay explain 'file:bytes#type'")
    .action(async (id: string, { example: asked }: { readonly example: boolean }) => {
      const [{ catalogue }, { listingEntries: entriesOf }] = await Promise.all([
        import('../../suites/index.ts'),
        import('../../reports/formats/entries.ts'),
      ]);
      const suites = await catalogue();
      const all = entriesOf(suites);
      // Reports name what is not turned down without the side that it is on.
      const meant = all.filter((one) => one.id === id);
      const found =
        meant.length > 0 ? meant : all.filter((one) => SIDES.some((side) => one.id === id + side));
      if (found.length === 0) {
        const { nearestIds: nearestOf } = await import('../../pipeline/unmatched-globs.ts');
        const near = nearestOf(
          id,
          all.map((one) => one.id),
        );
        throw new UsageError(`${id} is no requirement; ${near}. assay list prints all of them.`);
      }
      for (const [n, entry] of found.entries()) {
        if (n > 0) process.stdout.write('\n');
        await explained(entry, suites, asked);
      }
      finish(0);
    });
};

/** The ends of the ids of the two requirements that probes of one rule prove. */
const SIDES = ['.accepted', '.rejected'];

async function explained(entry: ListingEntry, suites: Catalogue, withExample: boolean): Promise<void> {
  const { id } = entry;
  const isRequirement = entry.kind !== 'choice' && entry.kind !== 'exclusion';
  const shown = suites.scenarios.filter(({ shows }) => shows.some((glob) => matchesGlob(glob, id)));
  const rows = [
    ['says', entry.says],
    ['level', [entry.level, entry.basis].filter((word) => word !== null).join(', ') || 'none'],
    ['kind', entry.kind],
    ['spec', entry.spec],
    ...(entry.family === '' ? [] : [['family', entry.family]]),
    ...(entry.detail === null ? [] : [[entry.kind === 'exclusion' ? 'why' : 'taken', entry.detail]]),
    ...(isRequirement ? proofRows(id) : []),
    ...(shown.length === 0 ? [] : [['shown by', shown.map(({ name }) => name).join(', ')]]),
    ...(entry.kind === 'exclusion' ? [] : [['alone', `npx assay run --only '${id}'`]]),
  ];
  process.stdout.write(`${id}\n\n${columns(rows.map((row) => ['  ', ...row])).join('\n')}\n`);
  if (!withExample || !isRequirement) return;
  const { exampleFor } = await import('../../pipeline/example.ts');
  process.stdout.write(exampleLines(await exampleFor(id, suites), process.stdout.columns ?? 100));
}

/** In which ways the requirement was broken to prove it, or why it was not. */
function proofRows(id: string): readonly (readonly string[])[] {
  const status = mutationStatusOf(committedMutationReport())(id);
  return status === null ? [] : [['proof', status.words]];
}
