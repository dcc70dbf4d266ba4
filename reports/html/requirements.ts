// All requirements in scope, folded by family. The page's script filters them; the lists work without it.
import { printable } from '../../exchange/printable.ts';
import { isBroken } from '../../judge/verdict/failure-count.ts';
import type { MutationReport } from '../../proof/mutation-report.ts';
import { acceptedAs, leftOutWords } from '../counts.ts';
import { type MutationStatus, mutationStatusOf } from '../mutation.ts';
import { formatNumber, type Report, type ReportedRequirement, requirementsInScope } from '../report.ts';
import { unjudgedLines } from '../summary/summary.ts';
import { levelWords, present } from '../words/text.ts';
import { anchor, html, type Markup } from './markup.ts';
import { countsLine } from './overview.ts';
import type { Traffic } from './run.ts';

/** Hidden until the script of the page shows it: without the script it would do nothing. */
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

/** The claimed operations; requirements may name others. */
function judgedOperations({ requirements, operations }: Report): readonly string[] {
  const claimed = new Set(operations.filter((one) => one.claimed).map(({ id }) => id));
  const all = requirementsInScope(requirements).flatMap((one) => one.operations);
  return [...new Set(all)].filter((id) => claimed.has(id)).toSorted();
}

export function requirementsSection(
  report: Report,
  proof: MutationReport | null,
  traffic: Pick<Traffic, 'answered' | 'link'>,
): Markup {
  const scope = requirementsInScope(report.requirements);
  const families = [...new Set(scope.map(({ family }) => family))];
  const statusOf = mutationStatusOf(proof);
  const left = leftOutWords(report);
  const places = new Map(judgedOperations(report).map((id, n) => [id, n + 1]));
  return html`<section id="requirements" aria-labelledby="h-requirements">
<h2 id="h-requirements">Requirements <span class="count">${formatNumber(scope.length)}</span></h2>
${countsLine(report)}
${unjudged(report)}
${families.map((family) => familyList(family, scope, { statusOf, places, answers: answersOf(family, report, traffic) }))}
${left === null ? null : html`<p class="facts">${`${left}.`}</p>`}
</section>`;
}

function unjudged(report: Report): Markup | null {
  const lines = unjudgedLines(report);
  if (lines.length === 0) return null;
  return html`<details class="fold" id="unjudged"><summary>Not judged, and why</summary><ul>${lines.map((line) => html`<li>${line.trim()}</li>`)}</ul></details>`;
}

interface RowFacts {
  readonly statusOf: (id: string) => MutationStatus | null;
  /** Where the filter lists an operation: thousands of rows name theirs by number. */
  readonly places: ReadonlyMap<string, number>;
}

/** The evidence behind a pass: the first successful answer of each operation. */
function answersOf(
  family: string,
  { operations }: Report,
  { answered, link }: Pick<Traffic, 'answered' | 'link'>,
): Markup | null {
  const ids = operations.filter((one) => one.family === family && one.exercised > 0).map(({ id }) => id);
  const found = [...new Set(ids)].flatMap((id) => {
    const exchange = answered.get(id);
    return exchange === undefined ? [] : [html` ${id} ${link(exchange)}`];
  });
  return found.length === 0
    ? null
    : html`<p class="facts">Judged answers, the first of each operation:${found}</p>`;
}

function familyList(
  family: string,
  scope: readonly ReportedRequirement[],
  { answers, ...facts }: RowFacts & { readonly answers: Markup | null },
): Markup | null {
  const all = scope.filter((one) => one.family === family);
  if (all.length === 0) return null;
  const passed = all.filter(({ verdict }) => verdict === 'pass');
  const others = all.filter(({ verdict }) => verdict !== 'pass');
  const rows = [...others, ...passed].map((one) => row(one, facts));
  return html`<details class="fold family" data-f="${family}"><summary>${family} <span class="count">${`${formatNumber(passed.length)} of ${formatNumber(all.length)} pass`}</span></summary>
${answers}<ol class="rows">${rows}</ol></details>
`;
}

/** Passing rows carry no attributes for verdict and level, because there are thousands of them. */
function row(one: ReportedRequirement, { statusOf, places }: RowFacts): Markup {
  const status = statusOf(one.id);
  const { id, verdict, level, basis, spec, says, reason, observations, operations, baseline } = one;
  const name = isBroken(one)
    ? html`<a href="${`#${anchor(`r:${id}`)}`}"><code>${id}</code></a>`
    : html`<code>${id}</code>`;
  const word = verdict === 'pass' ? null : html`<b class="${`word ${verdict}`}">${verdict}</b> `;
  const facts = present(
    levelWords({ level, basis }),
    spec,
    verdict !== 'untested' && `${formatNumber(observations)} seen`,
    reason !== null && printable(reason),
    baseline !== null && `${acceptedAs(one)}: ${printable(baseline)}`,
    !(status === null || status.word === 'proved') && `proof: ${status.words}`,
  );
  const isPass = verdict === 'pass' ? null : html` data-v="${verdict}"`;
  const isMust = level === 'MUST' ? null : html` data-l="${level}"`;
  return html`<li${isPass}${isMust} data-o="${operations.flatMap((id) => places.get(id) ?? []).join(' ')}">${word}${name} ${says} <i>${facts.join(' · ')}</i></li>
`;
}
