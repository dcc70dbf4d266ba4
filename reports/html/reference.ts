import type { ChoiceVerdict } from '../../judge/verdict/verdict.ts';
import { formatNumber } from '../../schemas/message-text.ts';
import type { Report } from '../report.ts';
import { judgedParty } from '../verdict-words.ts';
import { html, type Markup, type MarkupPart } from './markup.ts';
import type { Traffic } from './traffic.ts';
import { wideTable } from './wide-table.ts';

export function referenceSection(report: Report, link: Traffic['link']): Markup {
  const { dialect, choices, freeEvidence, exclusions } = report;
  const observed = choices.filter(({ taken }) => taken.length > 0);
  return html`<section id="reference" aria-labelledby="h-reference">
<h2 id="h-reference">Reference lists</h2>
${foldedTable(
  'errata',
  `Excused by dialect ${dialect.name}`,
  ['erratum', 'reason', 'times', 'requirements'],
  dialect.errata.map((one) => [one.id, one.reason, formatNumber(one.times), one.requirements.join(', ')]),
)}
${foldedTable(
  'choices',
  `Points left open by the specification, and what ${judgedParty(report)} does: ${observed.length} of ${choices.length} observed`,
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

export type Rows = readonly (readonly [id: string, ...cells: MarkupPart[]])[];

export function formatIds(rows: Rows): readonly (readonly MarkupPart[])[] {
  return rows.map(([id, ...cells]) => [html`<code>${id}</code>`, ...cells]);
}

function foldedTable(id: string, title: string, head: readonly string[], rows: Rows): Markup | null {
  if (rows.length === 0) return null;
  return html`<details class="fold" id="${id}"><summary>${title} <span class="count">${formatNumber(rows.length)}</span></summary>
${wideTable(title, head, formatIds(rows))}</details>`;
}

function takenCell({ taken, exchanges = [] }: ChoiceVerdict, link: Traffic['link']): Markup {
  return html`${taken.map((alternative, n) => {
    const exchange = exchanges[n] ?? null;
    return html`${n === 0 ? '' : ', '}${alternative}${exchange === null ? null : html` (${link(exchange)})`}`;
  })}`;
}
