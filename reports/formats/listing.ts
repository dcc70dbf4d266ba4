// The list of `assay list`.
import { columns } from '../terminal/columns.ts';
import { escapeMarkdown } from './markdown.ts';

/** A requirement, a choice or an exclusion. */
export interface ListingEntry {
  readonly id: string;
  /** Set for requirements and choices about what a client sends. */
  readonly side?: 'client';
  readonly kind: 'schema' | 'accepted' | 'rejected' | 'request' | 'behaviour' | 'choice' | 'exclusion';
  /** Null for an exclusion. */
  readonly level: 'MUST' | 'SHOULD' | 'CHOICE' | null;
  /** Whether the text states it or implies it; null for choices and exclusions. */
  readonly basis: 'stated' | 'implied' | null;
  /** Section of the specification. */
  readonly spec: string;
  readonly says: string;
  /** The family under which it is reported. */
  readonly family: string;
  /** All families that it concerns, as in `--claim`. */
  readonly families: readonly string[];
  /** Alternatives of a choice, reason of an exclusion; of a requirement only why a target may give no evidence for it, else null. */
  readonly detail: string | null;
}

/** Columns in their order. */
const FIELDS = ['id', 'kind', 'level', 'basis', 'family', 'spec', 'says', 'detail'] as const;

/** The list as JSON. */
export function listingJson(entries: readonly ListingEntry[]): string {
  return `${JSON.stringify(entries, [...FIELDS, 'side'], 1)}\n`;
}

/** The list as a Markdown table. */
export function listingMarkdown(entries: readonly ListingEntry[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(escapeMarkdown).join(' | ')} |`;
  const rows = entries.map((entry) => line(FIELDS.map((field) => entry[field] ?? '')));
  return `${[line(FIELDS), `|${' --- |'.repeat(FIELDS.length)}`, ...rows].join('\n')}\n`;
}

/** The list in columns for a terminal. */
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
