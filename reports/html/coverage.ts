import { countFailures, countKnownFailures, type FailureCount } from '../../judge/verdict/failure-count.ts';
import type { OperationVerdict } from '../../judge/verdict/verdict.ts';
import { compact, formatNumber, plural } from '../../schemas/message-text.ts';
import { claimedFamilies, type FamilyRow, listFamilies, unclaimedFamilies } from '../families.ts';
import type { Report } from '../report.ts';
import type { UndecidedCount } from '../undecided.ts';
import { sharedCauseWords, withSharedCause } from '../words/gate-reason.ts';
import { html, type Markup } from './markup.ts';

/** Width in per cent that keeps a single failure among hundreds visible. */
const MIN_BAR_WIDTH = 1.5;

export function coverageSection(report: Report): Markup {
  const claimed = claimedFamilies(report);
  const rows = listFamilies(report).filter(({ family }) => claimed.includes(family));
  const hasKnownColumn = rows.some(({ accepted }) => accepted.total > 0);
  const families = new Set(rows.map(({ family }) => family));
  const isPartial = report.operations.some((one) => families.has(one.family) && !one.claimed);
  return html`<section id="coverage" aria-labelledby="h-coverage">
<h2 id="h-coverage">Coverage</h2>
<div class="wide" tabindex="0" role="group" aria-labelledby="h-coverage"><table class="${hasKnownColumn ? 'coverage accepting' : 'coverage'}">
<thead><tr><th scope="col">family</th><th scope="col">operations</th><th scope="col">judged</th>
<th scope="col" class="n">pass</th><th scope="col" class="n">broken</th>${hasKnownColumn ? html`<th scope="col" class="n">known</th>` : null}<th scope="col" class="n">open</th></tr></thead>
<tbody>${rows.map((row) => familyRow(row, report, hasKnownColumn))}</tbody></table></div>
<p class="key"><span class="chip pass">judged</span> <span class="chip fail">broken</span> ${hasKnownColumn ? html`<span class="chip known">known</span> ` : null}<span class="chip absent">not offered</span> <span class="chip idle">never succeeded</span>${isPartial ? html` <span class="chip unclaimed">not claimed</span>` : null}</p>
${unclaimedNote(report)}
</section>`;
}

/** The numbers of a row add up to the requirements of the family; the small print breaks them down. */
function familyRow(
  { family, counts, accepted, failures }: FamilyRow,
  report: Report,
  hasKnownColumn: boolean,
): Markup {
  // An operation with two variants has a chip in the family of each.
  const operations = report.operations.filter((operation) => operation.family === family);
  // Known failures are counted separately, because they do not fail the verdict.
  const known = accepted.total;
  const [fail, warn] = [counts.fail - accepted.fail, counts.warn - accepted.warn];
  const broken = fail + warn;
  const open = counts.total - counts.pass - broken - known - counts.excused;
  return html`<tr><th scope="row">${family}</th>
<td><ul class="chips">${operations.map((one) => operationChip(one, report))}</ul></td>
<td class="bar">${verdictBar({ pass: counts.pass + counts.excused, known, warn, fail, open })}</td>
<td class="n passed">${countMarkup(counts.pass + counts.excused, counts.excused === 0 ? [] : [`${formatNumber(counts.excused)} excused`])}</td><td class="${broken === 0 ? 'n broken none' : 'n broken fail'}">${countMarkup(broken, [...failureParts(failures.must, 'MUST'), ...failureParts(failures.should, 'SHOULD')])}</td>
${hasKnownColumn ? html`<td class="${known === 0 ? 'n known none' : 'n known'}">${countMarkup(known, [...failureParts(failures.known, 'failure'), ...undecidedPart(failures.undecided)])}</td>` : null}<td class="${open === 0 ? 'n open none' : 'n open'}">${formatNumber(open)}</td></tr>`;
}

function countMarkup(count: number, parts: readonly string[]): Markup {
  return html`${formatNumber(count)}${parts.map((words) => html` <small>${words}</small>`)}`;
}

function failureParts(counts: FailureCount, noun: string): readonly string[] {
  return compact(
    counts.count > 0 && plural(counts.count, noun),
    counts.consequences > 0 && sharedCauseWords(counts),
  );
}

function undecidedPart({ musts, shoulds, consequences }: UndecidedCount): readonly string[] {
  const count = musts + shoulds + consequences;
  return compact(count > 0 && `${formatNumber(count)} not decided`);
}

function verdictBar(shares: Readonly<Record<'pass' | 'known' | 'warn' | 'fail' | 'open', number>>): Markup {
  const total = Object.values(shares).reduce((sum, share) => sum + share, 0);
  // The widths add up to 100, or to more if `MIN_BAR_WIDTH` enlarges some.
  let x = 0;
  const parts = Object.entries(shares).map(([kind, share]) => {
    if (share === 0) return null;
    const width = Math.max((share / total) * 100, MIN_BAR_WIDTH);
    const part = html`<rect class="${kind}" x="${x.toFixed(1)}" width="${width.toFixed(1)}" height="8"/>`;
    x += width;
    return part;
  });
  return html`<svg viewBox="0 0 ${Math.max(100, Math.ceil(x))} 8" preserveAspectRatio="none" aria-hidden="true">${parts}</svg>`;
}

function operationChip(operation: OperationVerdict, report: Report): Markup {
  const failing = report.requirements.filter(
    ({ verdict, operations, family }) =>
      verdict === 'fail' && operations.includes(operation.id) && family === operation.family,
  );
  const judged = { requirements: failing, diagnoses: report.diagnoses ?? [] };
  const counts = { known: countKnownFailures(judged), broken: countFailures(judged, 'MUST') };
  const { kind, words } = describeState(operation, counts);
  return html`<li class="${`chip ${kind}`}" title="${`${operation.method} ${operation.path}: ${words}`}">${operation.id}<span class="sr">${`: ${words}`}</span></li>`;
}

function describeState(
  operation: OperationVerdict,
  { broken, known }: { readonly broken: FailureCount; readonly known: FailureCount },
): { readonly kind: string; readonly words: string } {
  if (!operation.claimed) return { kind: 'unclaimed', words: 'not claimed' };
  if (operation.notImplemented) return { kind: 'absent', words: 'not offered' };
  const withConsequences = (words: string, counts: FailureCount) => withSharedCause(words, counts, ', and ');
  if (broken.count + broken.consequences > 0)
    return { kind: 'fail', words: withConsequences(`${plural(broken.count, 'requirement')} broken`, broken) };
  if (known.count + known.consequences > 0)
    return { kind: 'known', words: withConsequences(plural(known.count, 'known failure'), known) };
  if (operation.exercised === 0) return { kind: 'idle', words: 'never succeeded' };
  return { kind: 'pass', words: `judged, ${operation.exercised} × 2xx` };
}

function unclaimedNote(report: Report): Markup | null {
  const families = unclaimedFamilies(report);
  if (families.length === 0) return null;
  return html`<p class="facts">${`Not claimed, so not judged: ${families.join(', ')}.`}</p>`;
}
