// Collapsed sections of the page: errata, choices, free evidence, exclusions, mutation testing of the suite.
import type { ChoiceVerdict } from '../../judge/verdict/verdict.ts';
import { MUTATION_KINDS } from '../../proof/mutants/mutation-kinds.ts';
import type { MutationReport, RequirementMutants } from '../../proof/mutation-report.ts';
import { addCount, groupBy } from '../../schemas/maps.ts';
import { formatNumber, plural } from '../../schemas/message-text.ts';
import type { MutationScore, Report } from '../report.ts';
import { causeWords } from '../words/cause.ts';
import { html, type Markup, type MarkupPart, wideTable } from './markup.ts';
import type { Traffic } from './traffic.ts';

const GENERAL_KINDS: ReadonlySet<string> = new Set(MUTATION_KINDS);
const OWN_MUTATIONS = 'own mutations';

export function referenceSection(report: Report, link: Traffic['link']): Markup {
  const { dialect, choices, freeEvidence, exclusions } = report;
  // Choices that the traffic did not show are only counted.
  const observed = choices.filter(({ taken }) => taken.length > 0);
  return html`<section id="reference" aria-labelledby="h-reference">
<h2 id="h-reference">Reference lists</h2>
${foldedTable(
  'errata',
  `Excused by dialect ${dialect.name}`,
  ['erratum', 'reason', 'times', 'requirements'],
  // `times` counts excused violations, and calls to an alternative path.
  dialect.errata.map((one) => [one.id, one.reason, formatNumber(one.times), one.requirements.join(', ')]),
)}
${foldedTable(
  'choices',
  `Points left open by the specification, and what the target does: ${observed.length} of ${choices.length} met`,
  ['choice', 'question', 'taken', 'consistent'],
  observed.map((one) => [one.id, one.says, takenCell(one, link), one.consistent ? 'yes' : 'no']),
)}
${foldedTable(
  'free',
  'Evidence that a target is free to withhold',
  ['requirement', 'decided by', 'why'],
  freeEvidence.map(({ requirement, decides, reason }) => [requirement, decides, reason]),
)}
${foldedTable(
  'exclusions',
  'Sentences that no black-box test can check',
  ['exclusion', 'sentence', 'why'],
  exclusions.map(({ id, says, reason }) => [id, says, reason]),
)}
</section>`;
}

type Rows = readonly (readonly [id: string, ...cells: MarkupPart[]])[];

const withCode = (rows: Rows) => rows.map(([id, ...cells]) => [html`<code>${id}</code>`, ...cells]);

function foldedTable(id: string, title: string, head: readonly string[], rows: Rows): Markup | null {
  if (rows.length === 0) return null;
  return html`<details class="fold" id="${id}"><summary>${title} <span class="count">${formatNumber(rows.length)}</span></summary>
${wideTable(title, head, withCode(rows))}</details>`;
}

function takenCell({ taken, exchanges = [] }: ChoiceVerdict, link: Traffic['link']): Markup {
  const parts = taken.map((alternative, n) => {
    const exchange = exchanges[n] ?? null;
    return html`${n === 0 ? '' : ', '}${alternative}${exchange === null ? null : html` (${link(exchange)})`}`;
  });
  return html`${parts}`;
}

export function proofSection(report: Report, proof: MutationReport | null): Markup {
  return html`<section id="proof"><details class="fold"><summary><h2>How the suite is proved</h2></summary>
<p>${report.proof === null ? 'How this version of the suite was proved is not known here.' : scoreWords(report.proof)}</p>
${proof === null ? null : proofDetails(report, proof)}
</details></section>`;
}

function scoreWords({ mutants, killed, survived, benign, accused, requirements }: MutationScore): string {
  return (
    `${plural(requirements, 'requirement')} of this suite were proved: of ${plural(mutants, 'mutant')} (traces broken on purpose) ` +
    `${formatNumber(killed)} were killed and ${formatNumber(survived)} survived; of ${plural(benign, 'harmless change')} ` +
    `${formatNumber(accused)} were mistaken for a fault.`
  );
}

function proofDetails(report: Report, proof: MutationReport): Markup {
  const { survived, exceptions, accused, unproved } = proof;
  return html`<p>By family and by the kind of what was broken; <code>npx assay explain ID</code> shows those of one requirement.</p>
${killedMatrix(report, proof)}
${titledTable(
  'Survived',
  ['requirement', 'what was broken', 'why it survived'],
  survived.map(({ requirement, mutant, why }) => [requirement, mutant, why]),
)}
${titledTable(
  'Exceptions',
  ['requirement', 'kind', 'why it cannot be tried', 'until'],
  exceptions.map(({ requirement, kind, reason, expires }) => [
    requirement,
    kind,
    reason,
    expires ?? 'no end',
  ]),
)}
${titledTable(
  'Mistaken for a fault',
  ['requirement', 'harmless change', 'what was said'],
  accused.map(({ requirement, change, why }) => [requirement, change, why]),
)}
${titledTable(
  'Not proved',
  ['requirement', 'why the trace has no evidence'],
  unproved.map(({ requirement, cause }) => [requirement, causeWords(cause)]),
)}`;
}

function killedMatrix(report: Report, proof: MutationReport): Markup {
  // Grouped by the first family of each requirement, as everywhere in reports.
  const rows = [...groupBy(report.requirements, ({ family }) => family)]
    .map(([family, members]) => [family, members.flatMap(({ id }) => proof.requirements[id] ?? [])] as const)
    .filter(([, proofs]) => proofs.length > 0);
  const allProofs = rows.flatMap(([, proofs]) => proofs);
  const totals = killedByColumn(allProofs);
  // Kinds without killed mutants get no column, because the table is wide enough.
  const kinds = [...MUTATION_KINDS, OWN_MUTATIONS].filter((kind) => totals.has(kind));
  const line = (name: string, proofs: readonly RequirementMutants[]): readonly string[] => {
    const counts = killedByColumn(proofs);
    const cells = [
      proofs.length,
      sum(proofs.map(({ mutants }) => mutants)),
      sum(proofs.map(({ killed }) => killed)),
      ...kinds.map((kind) => counts.get(kind) ?? null),
    ];
    return [name, ...cells.map((cell) => (cell === null ? '' : formatNumber(cell)))];
  };
  return wideTable(
    'Killed mutants, by family and kind',
    ['family', 'requirements', 'mutants', 'killed', ...kinds],
    [...rows.map(([family, proofs]) => line(family, proofs)), line('all', allProofs)],
    'matrix',
  );
}

function killedByColumn(proofs: readonly RequirementMutants[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { by } of proofs) {
    for (const [kind, count] of Object.entries(by))
      addCount(counts, GENERAL_KINDS.has(kind) ? kind : OWN_MUTATIONS, count);
  }
  return counts;
}

function titledTable(title: string, head: readonly string[], rows: Rows): Markup | null {
  if (rows.length === 0) return null;
  return html`<h3>${`${title}: ${formatNumber(rows.length)}`}</h3>
${wideTable(title, head, withCode(rows))}`;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
