// Material to look up: choices, errata, exclusions, evidence that a target may decline. Folded.
import { formatNumber, type Report } from '../report.ts';
import { takenWords } from '../words/taken.ts';
import { html, type Markup } from './markup.ts';

/** All tables that have rows. */
export function referenceSection(report: Report): Markup {
  return html`<section id="reference" aria-labelledby="h-reference">
<h2 id="h-reference">Reference lists</h2>
${errata(report)}
${choices(report)}
${freeEvidence(report)}
${exclusions(report)}
</section>`;
}

/** A folded table; nothing without rows. The first cell of a row is its id. */
function foldedTable(
  id: string,
  title: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): Markup | null {
  if (rows.length === 0) return null;
  return html`<details class="fold" id="${id}"><summary>${title} <span class="count">${formatNumber(rows.length)}</span></summary>
<div class="wide" tabindex="0" role="group" aria-label="${title}"><table>
<thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${rows.map(
    ([name = '', ...cells]) =>
      html`<tr><th scope="row"><code>${name}</code></th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>
`,
  )}</tbody></table></div></details>`;
}

/** Errata of the dialect that were needed. */
function errata({ dialect }: Report): Markup | null {
  // `times` counts disagreements and calls under another path.
  return foldedTable(
    'errata',
    `Excused by dialect ${dialect.name}`,
    ['erratum', 'reason', 'times', 'requirements'],
    dialect.errata.map(({ id, reason, times, requirements }) => [
      id,
      reason,
      formatNumber(times),
      requirements.join(', '),
    ]),
  );
}

/** Behaviour of the target where the specification leaves it open; points that the traffic did not meet are only counted. */
function choices(report: Report): Markup | null {
  // Points without an observation say nothing about the target.
  const met = report.choices.filter(({ taken }) => taken.length > 0);
  return foldedTable(
    'choices',
    `Points left open by the specification, and the way of the target: ${met.length} of ${report.choices.length} met`,
    ['choice', 'question', 'taken', 'consistent'],
    met.map((one) => [one.id, one.says, takenWords(one).join(', '), one.consistent ? 'yes' : 'no']),
  );
}

/** Requirements that a conforming target may give no evidence for. */
function freeEvidence(report: Report): Markup | null {
  return foldedTable(
    'free',
    'Evidence that a target is free not to give',
    ['requirement', 'decided by', 'why'],
    report.freeEvidence.map(({ requirement, decides, reason }) => [requirement, decides, reason]),
  );
}

/** Sentences of the specification that cannot be tested. */
function exclusions(report: Report): Markup | null {
  return foldedTable(
    'exclusions',
    'Sentences that no black-box test can see',
    ['exclusion', 'sentence', 'why'],
    report.exclusions.map(({ id, says, reason }) => [id, says, reason]),
  );
}
