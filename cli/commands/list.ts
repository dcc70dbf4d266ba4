import { listTakenChoices } from '../../pipeline/listing/list-choices.ts';
import { listProfiles } from '../../pipeline/listing/list-profiles.ts';
import { type ListingFilter, listRequirements } from '../../pipeline/listing/list-requirements.ts';
import { UsageError } from '../../pipeline/setup/usage-error.ts';
import { listingJson, listingMarkdown, listingText } from '../../reports/formats/listing.ts';
import type { Execute } from '../options/command.ts';
import { useNamedExtensions } from '../options/settings.ts';

interface Flags extends ListingFilter {
  readonly format: 'text' | 'json' | 'md';
  readonly profiles?: true;
  readonly taken?: true;
  readonly report?: string;
  readonly config?: boolean;
  readonly extension?: readonly string[];
}

const FORMATS = { text: listingText, json: listingJson, md: listingMarkdown };

/** Exits with 2 if the filter selects nothing, because an empty list would hide a typo. */
export const execute: Execute<Flags> = async ({ flags, self }) => {
  const { format, profiles, taken, report, extension, config, ...filter } = flags;
  refuseContradictions(flags, Object.keys(filter)[0]);
  await useNamedExtensions(self);
  if (profiles === true) process.stdout.write(listProfiles(format));
  else if (taken === true)
    process.stdout.write(listTakenChoices(report ?? null, format === 'json' ? 'json' : 'text'));
  else process.stdout.write(FORMATS[format](await listRequirements(filter)));
  return 0;
};

function refuseContradictions(
  { format, profiles, taken, report, extension }: Flags,
  filterName: string | undefined,
): void {
  if (profiles === true && taken === true)
    throw new UsageError('--profiles and --taken print different lists: give only one of them.');
  if (report !== undefined && taken !== true)
    throw new UsageError('--report names the run for --taken: add --taken, or leave --report out.');
  if (taken === true && format === 'md')
    throw new UsageError('--taken cannot be printed as md: give text or json as --format.');
  if (taken === true && extension !== undefined)
    throw new UsageError(
      '--taken lists the choices in the report, with those of the extensions of that run: leave --extension out.',
    );
  const list = profiles === true ? '--profiles' : '--taken';
  if (filterName !== undefined && (profiles === true || taken === true))
    throw new UsageError(
      `--${filterName} selects requirements, which ${list} does not list: leave one of them out.`,
    );
}
