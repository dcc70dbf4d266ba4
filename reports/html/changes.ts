import type { Comparison, ReportChange } from '../comparison/compare.ts';
import { html, type Markup } from './markup.ts';

/** Lines per group; `assay compare` prints more. */
const SHOWN = 40;

export function changesSection(comparison: Comparison | null): Markup {
  if (comparison === null) return html``;
  const { before, after, worse, better, unjudged, other, added, gone, choices } = comparison;
  const groups = [
    group('worse', worse, 'fail'),
    group('better', better, 'pass'),
    group('no longer judged', unjudged, 'warn'),
    group('changed, neither better nor worse', other, ''),
    group('other choice taken', choices, ''),
    group('new requirements', added, ''),
    group('requirements gone', gone, ''),
  ];
  const isSame = groups.every((one) => one === null);
  return html`<section id="changes" aria-labelledby="h-changes">
<h2 id="h-changes">Changes since the earlier report</h2>
<dl class="about"><div><dt>before</dt><dd>${before}</dd></div><div><dt>now</dt><dd>${after}</dd></div></dl>
${isSame ? html`<p>Nothing changed.</p>` : groups}
</section>`;
}

function group(title: string, changes: readonly ReportChange[], kind: string): Markup | null {
  if (changes.length === 0) return null;
  const rows = changes
    .slice(0, SHOWN)
    .map(
      ({ id, says, how }) =>
        html`<li><code>${id}</code> <b class="${`word ${kind}`}">${how}</b> <span class="says">${says}</span></li>`,
    );
  const rest = changes.length - SHOWN;
  return html`<details class="change"${kind === '' ? null : html` open`}><summary><b class="${`word ${kind}`}">${`${changes.length} ${title}`}</b></summary>
<ul class="rows">${rows}</ul>${rest > 0 ? html`<p class="facts">${`and ${rest} more, in assay compare`}</p>` : null}</details>`;
}
