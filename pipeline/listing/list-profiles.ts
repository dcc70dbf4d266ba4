import { CLAIM_PROFILES, type ClaimProfile } from '../../drive/configuration/profiles.ts';
import { escapeMarkdown } from '../../reports/formats/markdown.ts';
import { columns } from '../../reports/terminal/columns.ts';
import { families, operations } from '../../schemas/index.ts';

/** Everything that `--claim` takes beside `all` and `auto`. */
interface ClaimListing {
  readonly profiles: readonly ClaimProfile[];
  /** Each family with the ids of its operations. */
  readonly families: readonly { readonly name: string; readonly operations: readonly string[] }[];
}

/** Profiles, families and operations in the format of `assay list --format`. */
export function listProfiles(format: 'text' | 'json' | 'md'): string {
  const listing = claimListing();
  if (format === 'json') return `${JSON.stringify(listing, null, 1)}\n`;
  return format === 'md' ? inMarkdown(listing) : inText(listing);
}

function claimListing(): ClaimListing {
  const operationsOf = (family: string) =>
    operations().filter(({ variants }) => variants.some((one) => one.family === family));
  return {
    profiles: CLAIM_PROFILES,
    families: families().map((name) => ({ name, operations: operationsOf(name).map(({ id }) => id) })),
  };
}

/** Columns for a terminal: each profile with the reasons for its parts, then each family with its operations. */
function inText({ profiles, families: rows }: ClaimListing): string {
  const parts = profiles.flatMap(({ name, says, claims, allow }) => [
    `${name}: ${says}${allow.length > 0 ? `; run it with --allow ${allow.join(',')}` : ''}`,
    ...columns(claims.map((part) => [`  ${part.name}`, part.reason])),
    '',
  ]);
  const names = columns(rows.map(({ name, operations: ids }) => [`  ${name}`, ids.join(', ')]));
  return `${[...parts, 'families and their operations', ...names].join('\n')}\n`;
}

/** Two tables of the same. */
function inMarkdown({ profiles, families: rows }: ClaimListing): string {
  const line = (cells: readonly string[]) => `| ${cells.map(escapeMarkdown).join(' | ')} |`;
  return `${[
    line(['profile', 'claims', 'reason']),
    '| --- | --- | --- |',
    ...profiles.flatMap(({ name, claims }) => claims.map((part) => line([name, part.name, part.reason]))),
    '',
    line(['family', 'operations']),
    '| --- | --- |',
    ...rows.map(({ name, operations: ids }) => line([name, ids.join(', ')])),
  ].join('\n')}\n`;
}
