import { CLAIM_PROFILES } from '../../drive/configuration/profiles.ts';
import { alignColumns } from '../../reports/words/layout.ts';
import { escapeMarkdown, markdownTable } from '../../reports/words/markdown.ts';
import { families, operations } from '../../schemas/index.ts';

type ClaimListing = ReturnType<typeof claimListing>;

export function listProfiles(format: 'text' | 'json' | 'md'): string {
  const listing = claimListing();
  if (format === 'json') return `${JSON.stringify(listing, null, 1)}\n`;
  return format === 'md' ? claimListingMarkdown(listing) : claimListingText(listing);
}

function claimListing() {
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
  const claimRows = profiles.flatMap(({ name, claims }) =>
    claims.map((part) => [name, part.name, part.reason].map(escapeMarkdown)),
  );
  const familyRows = rows.map(({ name, operations: ids }) => [name, ids.join(', ')].map(escapeMarkdown));
  return `${markdownTable(['profile', 'claims', 'reason'], claimRows)}\n\n${markdownTable(['family', 'operations'], familyRows)}\n`;
}
