import {
  type ListingFilter,
  listProfiles,
  listRequirements,
  listTaken,
} from '../../pipeline/listing/list-requirements.ts';
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

/** Exits with 2 if the flags select nothing, because an empty list would hide a typo. */
export const execute: Execute<Flags> = async ({ flags, self }) => {
  const { format, profiles, taken, report, extension, config, ...filter } = flags;
  refuseContradictions(flags, Object.keys(filter)[0]);
  await useNamedExtensions(self);
  if (profiles === true) process.stdout.write(listProfiles(format));
  else if (taken === true)
    process.stdout.write(listTaken(report ?? null, format === 'json' ? 'json' : 'text'));
  else process.stdout.write(FORMATS[format](await listRequirements(filter)));
  return 0;
};

/** Throws UsageError for flags that exclude each other. `name`: one of the given flags that select requirements. */
function refuseContradictions(
  { format, profiles, taken, report, extension }: Flags,
  name: string | undefined,
): void {
  const isOther = profiles === true || taken === true;
  const contradictions: readonly (readonly [boolean, string])[] = [
    [profiles === true && taken === true, '--profiles and --taken are two lists: give one of them.'],
    [
      report !== undefined && taken !== true,
      '--report names the run for --taken: add --taken, or leave --report out.',
    ],
    [
      taken === true && format === 'md',
      '--taken has the formats text and json: give one of these as --format.',
    ],
    [
      taken === true && extension !== undefined,
      '--taken lists the choices in the report, with those of the extensions of that run: leave --extension out.',
    ],
    [
      name !== undefined && isOther,
      `--${name} selects requirements, which ${profiles === true ? '--profiles' : '--taken'} does not list: leave one of them out.`,
    ],
  ];
  for (const [isMet, message] of contradictions) if (isMet) throw new UsageError(message);
}
