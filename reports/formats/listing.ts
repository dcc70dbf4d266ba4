import {
  type Catalogue,
  freeEvidenceOf,
  type Requirement,
  requirementsOf,
} from '../../judge/requirements/catalogue.ts';
import type { Basis, Choice, Evidence, Exclusion } from '../../judge/requirements/requirement.ts';
import { isClientRequirement } from '../../judge/requirements/selection.ts';
import { families, operation, operations } from '../../schemas/index.ts';
import { alignColumns } from '../words/layout.ts';
import { escapeMarkdown, markdownTable } from '../words/markdown.ts';

export interface ListingEntry {
  readonly id: string;
  readonly side?: 'client';
  readonly kind: 'schema' | 'accepted' | 'rejected' | 'request' | 'behaviour' | 'choice' | 'exclusion';
  readonly level: 'MUST' | 'SHOULD' | 'CHOICE' | null;
  readonly basis: Basis | null;
  readonly spec: string;
  readonly says: string;
  readonly family: string;
  /** All families that the entry concerns, by the names that `--claim` takes. */
  readonly families: readonly string[];
  /** Alternatives of a choice, reason of an exclusion, or why a target may show no evidence; else null. */
  readonly detail: string | null;
}

const FIELDS = ['id', 'kind', 'level', 'basis', 'family', 'spec', 'says', 'detail'] as const;

export function listingJson(entries: readonly ListingEntry[]): string {
  return `${JSON.stringify(entries, [...FIELDS, 'side'], 1)}\n`;
}

export function listingMarkdown(entries: readonly ListingEntry[]): string {
  const rows = entries.map((entry) => FIELDS.map((field) => escapeMarkdown(entry[field] ?? '')));
  return `${markdownTable(FIELDS, rows)}\n`;
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
  return `${[...alignColumns(rows), `${entries.length} in all`].join('\n')}\n`;
}

export function listingEntries(catalogue: Catalogue): readonly ListingEntry[] {
  return [
    ...[...requirementsOf(catalogue).values()].map((one) => toRequirementEntry(one, catalogue)),
    ...catalogue.choices.map(toChoiceEntry),
    ...catalogue.exclusions.map(toExclusionEntry),
  ];
}

function toRequirementEntry(
  { id, kind, level, basis, spec, says, families: names, side }: Requirement,
  { freeEvidence = [] }: Catalogue,
): ListingEntry {
  const free = freeEvidenceOf(freeEvidence, id);
  const detail = free === undefined ? null : `evidence is up to the ${free.decides}: ${free.reason}`;
  const entry = { id, kind, level, basis, spec, says, family: names[0] ?? '', families: names, detail };
  return side === undefined ? entry : { ...entry, side };
}

function toChoiceEntry({ id, spec, says, alternatives, selector }: Choice<Evidence>): ListingEntry {
  const names = familiesOf(selector.operations);
  const [family = ''] = names;
  const detail = alternatives.join(' or ');
  const facts = { id, kind: 'choice', level: 'CHOICE', basis: null, spec, says } as const;
  return { ...facts, family, families: names, detail, ...(isClientRequirement(id) && { side: 'client' }) };
}

/** The id begins with an operation or a family (before `.` or `:`); `assistants` means both versions. */
function toExclusionEntry({ id, spec, says, reason }: Exclusion): ListingEntry {
  const area = id.split(/[.:]/)[0] ?? '';
  const isOperation = operations().some((one) => one.id === area);
  const names = isOperation
    ? familiesOf([area])
    : families().filter((family) => family.replace(/-v\d$/, '') === area);
  const family = isOperation ? (names[0] ?? '') : area;
  const facts = { id, kind: 'exclusion', level: null, basis: null, spec, says } as const;
  return { ...facts, family, families: names, detail: reason };
}

function familiesOf(ids: readonly string[]): readonly string[] {
  return [...new Set(ids.flatMap((id) => operation(id).variants.map(({ family }) => family)))];
}
