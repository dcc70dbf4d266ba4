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
  const requirements = [...requirementsOf(catalogue).values()];
  const familiesBySubject = new Map(requirements.map(({ id, families: names }) => [subjectOf(id), names]));
  return [
    ...requirements.map((one) => toRequirementEntry(one, catalogue)),
    ...catalogue.choices.map(toChoiceEntry),
    ...catalogue.exclusions.map((one) => toExclusionEntry(one, familiesBySubject)),
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
  return { ...facts, family, families: names, detail, ...sideOf(id) };
}

/**
 * The id, without a leading `client.`, begins with an operation or object (`batch:`), with a family, where
 * `assistants.` means both versions, or with a topic of no family (`service.`).
 */
function toExclusionEntry(
  { id, spec, says, reason }: Exclusion,
  familiesBySubject: ReadonlyMap<string, readonly string[]>,
): ListingEntry {
  const area = id.replace(/^client\./, '').split(/[.:]/)[0] ?? '';
  const subjectFamilies = operations().some((one) => one.id === area)
    ? familiesOf([area])
    : familiesBySubject.get(subjectOf(id));
  const names = subjectFamilies ?? families().filter((family) => family.replace(/-v\d$/, '') === area);
  const family = subjectFamilies?.[0] ?? area;
  const facts = { id, kind: 'exclusion', level: null, basis: null, spec, says } as const;
  return { ...facts, family, families: names, detail: reason, ...sideOf(id) };
}

/** The operation or object before the colon of an id; the whole id if it has no colon. */
function subjectOf(id: string): string {
  return id.split(':', 1)[0] ?? id;
}

function sideOf(id: string): Pick<ListingEntry, 'side'> {
  return isClientRequirement(id) ? { side: 'client' } : {};
}

function familiesOf(ids: readonly string[]): readonly string[] {
  return [...new Set(ids.flatMap((id) => operation(id).variants.map(({ family }) => family)))];
}
