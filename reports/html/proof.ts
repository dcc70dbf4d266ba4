import { MUTATION_KINDS } from '../../proof/mutants/mutation-kinds.ts';
import type { MutationReport, RequirementMutants } from '../../proof/mutation-report.ts';
import { addCount, groupBy } from '../../schemas/maps.ts';
import { formatNumber, plural } from '../../schemas/message-text.ts';
import type { MutationScore, Report } from '../report.ts';
import { causeWords } from '../words/cause.ts';
import { html, type Markup } from './markup.ts';
import { formatIds, type Rows } from './reference.ts';
import { wideTable } from './wide-table.ts';

const GENERAL_KINDS: ReadonlySet<string> = new Set(MUTATION_KINDS);
const OWN_MUTATIONS = 'own mutations';

export function proofSection(report: Report, proof: MutationReport | null): Markup {
  return html`<section id="proof"><details class="fold"><summary><h2>How the suite is proved</h2></summary>
<p>${report.proof === null ? 'How this version of the suite was proved is not known here.' : scoreWords(report.proof)}</p>
${proof === null ? null : proofDetails(report, proof)}
</details></section>`;
}

function scoreWords({ mutants, killed, survived, benign, accused, requirements }: MutationScore): string {
  return (
    `${plural(requirements, 'requirement')} of this suite were tested: of ${plural(mutants, 'mutant')} (traces broken on purpose) ` +
    `${formatNumber(killed)} were killed and ${formatNumber(survived)} survived; of ${plural(benign, 'equivalent mutant')} ` +
    `${formatNumber(accused)} were mistaken for a fault.`
  );
}

function proofDetails(report: Report, proof: MutationReport): Markup {
  const { survived, exceptions, accused, unproved } = proof;
  return html`<p>By family and kind of mutation; <code>npx assay explain ID</code> shows the mutants of one requirement.</p>
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
  ['requirement', 'equivalent mutant', 'what was said'],
  accused.map(({ requirement, change, why }) => [requirement, change, why]),
)}
${titledTable(
  'Not proved',
  ['requirement', 'why the trace has no evidence'],
  unproved.map(({ requirement, cause }) => [requirement, causeWords(cause)]),
)}`;
}

function killedMatrix(report: Report, proof: MutationReport): Markup {
  const rows = [...groupBy(report.requirements, ({ family }) => family)]
    .map(([family, members]) => [family, members.flatMap(({ id }) => proof.requirements[id] ?? [])] as const)
    .filter(([, proofs]) => proofs.length > 0);
  const allProofs = rows.flatMap(([, proofs]) => proofs);
  const totals = killedByColumn(allProofs);
  // Kinds without killed mutants get no column, because the table is wide enough without them.
  const kinds = [...MUTATION_KINDS, OWN_MUTATIONS].filter((kind) => totals.has(kind));
  const formatLine = (name: string, proofs: readonly RequirementMutants[]): readonly string[] => {
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
    [...rows.map(([family, proofs]) => formatLine(family, proofs)), formatLine('all', allProofs)],
    'matrix',
  );
}

function killedByColumn(proofs: readonly RequirementMutants[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [kind, count] of proofs.flatMap(({ by }) => Object.entries(by)))
    addCount(counts, GENERAL_KINDS.has(kind) ? kind : OWN_MUTATIONS, count);
  return counts;
}

function titledTable(title: string, head: readonly string[], rows: Rows): Markup | null {
  if (rows.length === 0) return null;
  return html`<h3>${`${title}: ${formatNumber(rows.length)}`}</h3>
${wideTable(title, head, formatIds(rows))}`;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
