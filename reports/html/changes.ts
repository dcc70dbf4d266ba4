import type { Comparison, ReportChange } from '../comparison/compare.ts';
import { CHANGE_GROUPS } from '../comparison/comparison-text.ts';
import { html, type Markup } from './markup.ts';

const MAX_SHOWN_CHANGES = 40;

export function changesSection(comparison: Comparison | null): Markup {
  if (comparison === null) return html``;
  const { before, after } = comparison;
  const groups = CHANGE_GROUPS.map(({ group, title, look }) => changeGroup(title, comparison[group], look));
  const isSame = groups.every((one) => one === null);
  return html`<section id="changes" aria-labelledby="h-changes">
<h2 id="h-changes">Changes since the earlier report</h2>
<dl class="about"><div><dt>before</dt><dd>${before}</dd></div><div><dt>now</dt><dd>${after}</dd></div></dl>
${isSame ? html`<p>No verdict and no choice changed.</p>` : groups}
</section>`;
}

function changeGroup(title: string, changes: readonly ReportChange[], look: string): Markup | null {
  if (changes.length === 0) return null;
  const rows = changes.map(
    ({ id, says, how }) =>
      html`<li><code>${id}</code> <b class="${`word ${look}`}">${how}</b> <span class="says">${says}</span></li>`,
  );
  const folded = rows.slice(MAX_SHOWN_CHANGES);
  return html`<details class="change"${look === '' ? null : html` open`}><summary><b class="${`word ${look}`}">${`${changes.length} ${title}`}</b></summary>
<ul class="rows">${rows.slice(0, MAX_SHOWN_CHANGES)}</ul>${folded.length === 0 ? null : html`<details class="fold"><summary>${`and ${folded.length} more`}</summary><ul class="rows">${folded}</ul></details>`}</details>`;
}
