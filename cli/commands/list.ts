import { Option } from 'commander';
import type { ListingFilter } from '../../pipeline/listing/list-requirements.ts';
import { UsageError } from '../../pipeline/setup/usage-error.ts';
import { listingJson, listingMarkdown, listingText } from '../../reports/formats/listing.ts';
import type { AddCommand } from '../options/command.ts';
import { addConfigFlag, configUse } from '../options/config-file.ts';
import { collectRepeated } from '../options/flag-values.ts';
import { addExtensionFlag, useNamedExtensions } from '../options/run-flags.ts';

interface Flags extends ListingFilter {
  readonly format: 'text' | 'json' | 'md';
  readonly profiles?: true;
  readonly taken?: true;
  readonly report?: string;
  readonly config?: boolean;
  readonly extension?: readonly string[];
}

/** `accepted` and `rejected` are the two requirements of a request constraint. */
const KINDS = ['schema', 'accepted', 'rejected', 'request', 'behaviour', 'choice', 'exclusion'];
const FORMATS = { text: listingText, json: listingJson, md: listingMarkdown };

/** Exits with 2 if the flags select nothing: an empty list would hide a typo. */
export const addCommand: AddCommand = (program, { finish }) => {
  const command = program
    .command('list')
    .description(
      'Lists requirements (judged), choices (only reported) and exclusions (not observable from outside the service).',
    )
    .option(
      '--section <title>',
      'only sections of the specification whose title begins like this, such as "2 File"',
    )
    .option('--family <names>', 'only these families, separated by commas')
    .addOption(new Option('--side <name>', 'only entries that judge this side').choices(['server', 'client']))
    .addOption(new Option('--kind <name>', 'only entries of this kind').choices(KINDS))
    .option('--only <glob>', 'only ids that match; repeatable', collectRepeated)
    .option(
      '--profiles',
      'list what --claim takes instead: profiles with their reasons, families, operations',
    )
    .option('--taken', 'list instead the choices that the last run met, with what its target does')
    .option('--report <path>', 'with --taken: report.json of a run, or its folder (default: assay-report)')
    .addOption(new Option('--format <name>', 'output format').choices(Object.keys(FORMATS)).default('text'));
  addConfigFlag(addExtensionFlag(command), 'data')
    .addHelpText('after', '\nExample:\n  assay list --family chat --kind behaviour')
    .action(async (flags: Flags) => {
      const { format, profiles, taken, report, extension, config, ...filter } = usableTogether(flags);
      await useNamedExtensions(extension, configUse(config, 'data'));
      if (profiles === true) {
        const { listProfiles } = await import('../../pipeline/listing/list-requirements.ts');
        process.stdout.write(listProfiles(format));
        finish(0);
        return;
      }
      if (taken === true) {
        const { listTaken } = await import('../../pipeline/listing/list-requirements.ts');
        process.stdout.write(listTaken(report ?? null, format === 'json' ? 'json' : 'text'));
        finish(0);
        return;
      }
      const { listRequirements } = await import('../../pipeline/listing/list-requirements.ts');
      process.stdout.write(FORMATS[format](await listRequirements(filter)));
      finish(0);
    });
};

function usableTogether(flags: Flags): Flags {
  const { format, profiles, taken, report, extension, config: _, ...filter } = flags;
  const other = profiles === true ? '--profiles' : '--taken';
  if (profiles === true && taken === true)
    throw new UsageError('--profiles and --taken are two lists: give one of them.');
  if (report !== undefined && taken !== true)
    throw new UsageError('--report names the run for --taken: add --taken, or leave --report out.');
  if (taken === true && format === 'md')
    throw new UsageError('--taken has the formats text and json: give one of these as --format.');
  if (taken === true && extension !== undefined)
    throw new UsageError(
      '--taken lists the choices in the report, with those of the extensions of that run: leave --extension out.',
    );
  const [name] = Object.keys(filter);
  if (name !== undefined && (profiles === true || taken === true))
    throw new UsageError(
      `--${name} selects requirements, which ${other} does not list: leave one of them out.`,
    );
  return flags;
}
