// The section of all requirements. Search and filters need the script of the page; the list does not.
import type { MutationReport } from '../../judge/mutation-testing/mutation-report.ts';
import { printable } from '../failure/excerpt.ts';
import { type MutationStatus, mutationStatusOf } from '../mutation-status.ts';
import { formatNumber, type Report, type ReportedRequirement } from '../report.ts';
import { html, type Markup } from './markup.ts';

/** Fields with a filter. */
const FILTERS = ['verdict', 'family', 'level', 'basis', 'kind'] as const;

/** Every requirement, a line each, with a search and filters that the script of the page works. */
export function requirementsSection(report: Report, proof: MutationReport | null): Markup {
  const proved = mutationStatusOf(proof);
  const all = report.requirements;
  return html`<section id="requirements" aria-labelledby="h-requirements">
<h2 id="h-requirements">Requirements</h2>
<form id="filters" role="search" aria-label="Filter requirements">
<label>search <input type="search" name="search" autocomplete="off"></label>
${FILTERS.map((name) => select(name, [...new Set(all.map((one) => one[name]))].toSorted()))}
${proof === null ? null : select('proof', ['not proved', 'proved', 'survived', 'with exceptions'])}
<button type="reset">show all</button>
<output id="shown">${`${formatNumber(all.length)} shown`}</output>
</form>
<ol class="rows">${all.map((one) => row(one, proved(one.id)))}</ol>
</section>`;
}

/** A filter. */
function select(name: string, values: readonly string[]): Markup {
  return html`<label>${name} <select name="${name}"><option value="">any</option>${values.map(
    (value) => html`<option>${value}</option>`,
  )}</select></label>`;
}

/** One requirement. Its data attributes are read by the script. */
function row(one: ReportedRequirement, status: MutationStatus | null): Markup {
  const { id, verdict, family, level, basis, kind, spec, says, reason, observations } = one;
  // A broken requirement links to its failure, any other to its own row.
  const broken = verdict === 'fail' || verdict === 'warn';
  const to = broken ? anchor(id) : encodeURIComponent(`row:${id}`);
  // Ids are links, so that a failure can be cited by its address.
  const name = html`<a href="${`#${to}`}"><code>${id}</code></a>`;
  return html`<li id="${`row:${id}`}" data-verdict="${verdict}" data-family="${family}" data-level="${level}" data-basis="${basis}" data-kind="${kind}"${status === null ? null : html` data-proof="${status.word}"`}><span class="word ${verdict}">${verdict}</span> ${name}
<p>${says}</p><p class="facts">${`${level}, ${basis} · ${kind} · ${family} · spec ${spec} · ${formatNumber(observations)} seen`}${
    reason === null ? null : ` · ${printable(reason)}`
  }</p>${status === null ? null : html`<p class="facts">${`proof: ${status.words}`}</p>`}</li>
`;
}

/** The fragment of a broken requirement, stable for as long as its id. */
export function anchor(id: string): string {
  return encodeURIComponent(`r:${id}`);
}
