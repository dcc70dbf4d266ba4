import { columns } from '../terminal/columns.ts';
import { escapeMarkdown } from './markdown.ts';

/** One line of the list of everything that the suites say of the specification. */
export interface ListingEntry {
  readonly id: string;
  readonly kind: 'schema' | 'accepted' | 'rejected' | 'behaviour' | 'choice' | 'exclusion';
  /** Null for an exclusion. */
  readonly level: 'MUST' | 'SHOULD' | 'CHOICE' | null;
  readonly basis: 'stated' | 'implied' | null;
  readonly spec: string;
  readonly says: string;
  /** The one that it is reported under. */
  readonly family: string;
  /** All that it speaks of, by the names that can be claimed. */
  readonly families: readonly string[];
  /** Alternatives of a choice, the reason of an exclusion. */
  readonly detail: string | null;
}

const FIELDS = ['id', 'kind', 'level', 'basis', 'family', 'spec', 'says', 'detail'] as const;

export function listingJson(entries: readonly ListingEntry[]): string {
  return `${JSON.stringify(entries, FIELDS.slice(), 1)}\n`;
}

export function listingMarkdown(entries: readonly ListingEntry[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(escapeMarkdown).join(' | ')} |`;
  const rows = entries.map((entry) => line(FIELDS.map((field) => entry[field] ?? '')));
  return `${[line(FIELDS), `|${' --- |'.repeat(FIELDS.length)}`, ...rows].join('\n')}\n`;
}

export function listingText(entries: readonly ListingEntry[]): string {
  const rows = entries.map(({ id, kind, level, basis, family, spec, says, detail }) => [
    level ?? '–',
    kind,
    basis ?? '–',
    family,
    id,
    `${says}${detail === null ? '' : ` (${detail})`}  [${spec}]`,
  ]);
  return `${[...columns(rows), `${entries.length} in all`].join('\n')}\n`;
}
