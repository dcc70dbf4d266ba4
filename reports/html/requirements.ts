// All requirements in scope, folded by family. The page's script filters them; the lists work without it.
import { printable } from '../../exchange/printable.ts';
import { isBroken } from '../../judge/verdict/failure-count.ts';
import type { MutationReport } from '../../proof/mutation-report.ts';
import { groupBy } from '../../schemas/maps.ts';
import { compact, formatNumber } from '../../schemas/message-text.ts';
import { acceptanceLabel } from '../accepted-groups.ts';
import { type FailureContext, levelWords } from '../failure/failure.ts';
import { leftOutWords } from '../left-out.ts';
import { type MutationStatus, mutationStatusOf } from '../mutation.ts';
import type { Report, ReportedRequirement } from '../report.ts';
import { countVerdicts, requirementsInScope } from '../selection.ts';
import { unjudgedLines } from '../summary/unjudged.ts';
import { html, type Markup } from './markup.ts';
import type { Traffic } from './traffic.ts';

const MAX_LINKED_EXCHANGES = 20;

/** The form is hidden until the script of the page shows it, because it does nothing without the script. */
export function filterForm(report: Report): Markup {
  const scope = requirementsInScope(report.requirements);
  const fields = {
    verdict: [...new Set(scope.map(({ verdict }) => verdict))].toSorted(),
    family: [...new Set(scope.map(({ family }) => family))],
    operation: judgedOperations(report),
    level: [...new Set(scope.map(({ level }) => level))].toSorted(),
  };
  return html`<form id="filters" role="search" aria-label="Filter findings and requirements" hidden>
<label>Search <input type="search" name="search" autocomplete="off"></label>
${Object.entries(fields).map(
  ([name, values]) =>
    html`<label>${name} <select name="${name}"><option value="">any</option>${values.map((value) => html`<option>${value}</option>`)}</select></label>`,
)}
<button type="reset">Show all</button><output id="shown"></output></form>`;
}

function judgedOperations({ requirements, operations }: Report): readonly string[] {
  const claimed = new Set(operations.filter((one) => one.claimed).map(({ id }) => id));
  const named = requirementsInScope(requirements).flatMap((one) => one.operations);
  return [...new Set(named)].filter((id) => claimed.has(id)).toSorted();
}

export function requirementsSection(
  report: Report,
  proof: MutationReport | null,
  { link, cassette }: Pick<Traffic, 'link'> & Pick<FailureContext, 'cassette'>,
): Markup {
  const scope = requirementsInScope(report.requirements);
  const families = [...new Set(scope.map(({ family }) => family))];
  const statusOf = mutationStatusOf(proof);
  const excluded = leftOutWords(report);
  const places = new Map(judgedOperations(report).map((id, n) => [id, n + 1]));
  const links = new Map(findExchangesToLink(scope).map((id) => [id, link(id)]));
  return html`<section id="requirements" aria-labelledby="h-requirements">
<h2 id="h-requirements">Requirements <span class="count">${formatNumber(scope.length)}</span></h2>
${countsLine(report)}
<p class="facts">A requirement is a MUST that the specification states, unless its line says otherwise.</p>
${cassette === null ? null : html`<p class="facts">A pass names the exchanges that first show it; <code>${`npx assay show ${cassette} e1`}</code> prints one, and a link opens one that this page contains.</p>`}
${unjudgedList(report)}
${families.map((family) => familyList(family, scope, { statusOf, places, links }))}
${excluded === null ? null : html`<p class="facts">${`${excluded}.`}</p>`}
</section>`;
}

function countsLine(report: Report): Markup {
  const counts = Object.entries(countVerdicts(requirementsInScope(report.requirements)));
  const shown = counts.filter(([name, count]) => name === 'total' || count > 0);
  return html`<dl class="counts">${shown.map(([name, count]) => html`<div><dt>${name}</dt><dd>${formatNumber(count)}</dd></div>`)}</dl>`;
}

function unjudgedList(report: Report): Markup | null {
  const lines = unjudgedLines(report);
  if (lines.length === 0) return null;
  return html`<details class="fold" id="unjudged"><summary>Not judged, and why</summary><ul>${lines.map((line) => html`<li>${line.trim()}</li>`)}</ul></details>`;
}

interface RowFacts {
  readonly statusOf: (id: string) => MutationStatus | null;
  /** Position of each operation in the filter; thousands of rows refer to operations by number. */
  readonly places: ReadonlyMap<string, number>;
  readonly links: ReadonlyMap<string, Markup>;
}

function findExchangesToLink(scope: readonly ReportedRequirement[]): readonly string[] {
  const showing = scope.flatMap(({ shownBy = [] }) => shownBy);
  return [...groupBy(showing, (id) => id)]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .slice(0, MAX_LINKED_EXCHANGES)
    .map(([id]) => id);
}

function familyList(family: string, scope: readonly ReportedRequirement[], facts: RowFacts): Markup {
  const members = scope.filter((one) => one.family === family);
  const passed = members.filter(({ verdict }) => verdict === 'pass');
  const others = members.filter(({ verdict }) => verdict !== 'pass');
  const rows = [...others, ...passed].map((one) => requirementItem(one, facts));
  return html`<details class="fold family" data-f="${family}"><summary>${family} <span class="count">${`${formatNumber(passed.length)} of ${formatNumber(members.length)} pass`}</span></summary>
<ol class="rows">${rows}</ol></details>
`;
}

/** Leaves out the level MUST, the basis `stated` and the verdict `pass`, because the page has thousands of items. */
function requirementItem(one: ReportedRequirement, { statusOf, places, links }: RowFacts): Markup {
  const status = statusOf(one.id);
  const { id, verdict, level, spec, says, reason, observations, operations, baseline, shownBy = [] } = one;
  const name = isBroken(one)
    ? html`<a href="${`#${encodeURIComponent(`r:${id}`)}`}"><code>${id}</code></a>`
    : html`<code>${id}</code>`;
  const verdictWord = verdict === 'pass' ? null : html`<b>${verdict}</b> `;
  const facts = compact(
    level === 'MUST' ? one.basis !== 'stated' && one.basis : levelWords(one),
    spec,
    reason !== null && printable(reason),
    baseline !== null && `${acceptanceLabel(one)}: ${printable(baseline)}`,
    status !== null && status.word !== 'proved' && `proof: ${status.words}`,
    observations > 0 && `${formatNumber(observations)} seen${shownBy.length > 0 ? ':' : ''}`,
  );
  const verdictAttribute = verdict === 'pass' ? null : html` data-v="${verdict}"`;
  const levelAttribute = level === 'MUST' ? null : html` data-l="${level}"`;
  return html`<li${verdictAttribute}${levelAttribute} data-o="${operations.flatMap((id) => places.get(id) ?? []).join(' ')}">${verdictWord}${name} ${stripSubject(id, says)} <i>${facts.join(' · ')}${shownBy.map((exchange) => html` ${links.get(exchange) ?? exchange}`)}</i>
`;
}

function stripSubject(id: string, says: string): string {
  const [subject = ''] = id.split(':', 1);
  const remainder = says.slice(subject.length);
  return says.startsWith(subject) && /^:? /.test(remainder) ? remainder.replace(/^:? /, '') : says;
}
