import { countFailures, countKnownFailures, type FailureCount } from '../../judge/verdict/failure-count.ts';
import type { Latency, OperationUsage, OperationVerdict, Quantiles } from '../../judge/verdict/verdict.ts';
import {
  byFamily,
  claimedFamilies,
  type FamilyRow,
  type UndecidedCount,
  unclaimedFamilies,
} from '../counts.ts';
import type { Report } from '../report.ts';
import { reactionWords } from '../words/disturbed.ts';
import { sharedCauseWords, withSharedCause } from '../words/gate-reason.ts';
import { formatNumber, plural, present, usedParts } from '../words/text.ts';
import { html, type Markup } from './markup.ts';

/** One row per claimed family, with a chip per operation. Unclaimed families share the last line. */
export function coverageSection(report: Report): Markup {
  const claimed = claimedFamilies(report);
  const rows = byFamily(report).filter(({ family }) => claimed.includes(family));
  // No column of zeros if the baseline accepts nothing.
  const accepts = rows.some(({ accepted }) => accepted.total > 0);
  const families = new Set(rows.map(({ family }) => family));
  const isPartial = report.operations.some((one) => families.has(one.family) && !one.claimed);
  return html`<section id="coverage" aria-labelledby="h-coverage">
<h2 id="h-coverage">Coverage</h2>
<div class="wide" tabindex="0" role="group" aria-labelledby="h-coverage"><table class="${accepts ? 'coverage accepting' : 'coverage'}">
<thead><tr><th scope="col">family</th><th scope="col">operations</th><th scope="col">judged</th>
<th scope="col" class="n">pass</th><th scope="col" class="n">broken</th>${accepts ? html`<th scope="col" class="n">known</th>` : null}<th scope="col" class="n">open</th></tr></thead>
<tbody>${rows.map((row) => familyRow(row, report, accepts ? 'shown' : 'left out'))}</tbody></table></div>
<p class="key"><span class="chip pass">judged</span> <span class="chip fail">broken</span> ${accepts ? html`<span class="chip known">known</span> ` : null}<span class="chip absent">not offered</span> <span class="chip idle">never succeeded</span>${isPartial ? html` <span class="chip unclaimed">not claimed</span>` : null}</p>
${leftOut(report)}
</section>`;
}

/** A family's numbers add up to its requirements, and the small ones below a number add up to it. */
function familyRow(
  { family, counts, accepted, failures }: FamilyRow,
  report: Report,
  knownColumn: 'shown' | 'left out',
): Markup {
  // An operation with two variants has a chip in the family of each.
  const operations = report.operations.filter((operation) => operation.family === family);
  // Counted separately, so that a passing verdict has no red number next to it.
  const known = accepted.total;
  const [fail, warn] = [counts.fail - accepted.fail, counts.warn - accepted.warn];
  const { must, should } = failures;
  const broken = fail + warn;
  const open = counts.total - counts.pass - broken - known - counts.excused;
  return html`<tr><th scope="row">${family}</th>
<td><ul class="chips">${operations.map((one) => chip(one, report))}</ul></td>
<td class="bar">${bar({ pass: counts.pass + counts.excused, known, warn, fail, open })}</td>
<td class="n passed">${counted(counts.pass + counts.excused, counts.excused === 0 ? [] : [`${formatNumber(counts.excused)} excused`])}</td><td class="${broken === 0 ? 'n broken none' : 'n broken fail'}">${counted(broken, [...failureParts(must, 'MUST'), ...failureParts(should, 'SHOULD')])}</td>
${knownColumn === 'shown' ? html`<td class="${known === 0 ? 'n known none' : 'n known'}">${counted(known, [...failureParts(failures.known, 'failure'), ...undecidedPart(failures.undecided)])}</td>` : null}<td class="${open === 0 ? 'n open none' : 'n open'}">${formatNumber(open)}</td></tr>`;
}

function counted(all: number, parts: readonly string[]): Markup {
  const rows = parts.map((words) => html` <small>${words}</small>`);
  return html`${formatNumber(all)}${rows}`;
}

function failureParts(counts: FailureCount, noun: string): readonly string[] {
  return present(
    counts.count > 0 && plural(counts.count, noun),
    counts.consequences > 0 && sharedCauseWords(counts),
  );
}

function undecidedPart({ musts, shoulds, consequences }: UndecidedCount): readonly string[] {
  const all = musts + shoulds + consequences;
  return present(all > 0 && `${formatNumber(all)} not decided`);
}

/** Shares of the requirements by verdict, from left to right. */
function bar(shares: Readonly<Record<'pass' | 'known' | 'warn' | 'fail' | 'open', number>>): Markup {
  const total = Object.values(shares).reduce((sum, share) => sum + share, 0);
  // In percent of the width.
  let x = 0;
  const parts = Object.entries(shares).map(([kind, share]) => {
    if (share === 0) return null;
    // Wide enough that a single failure among hundreds stays visible.
    const width = Math.max((share / total) * 100, 1.5);
    const part = html`<rect class="${kind}" x="${x.toFixed(1)}" width="${width.toFixed(1)}" height="8"/>`;
    x += width;
    return part;
  });
  return html`<svg viewBox="0 0 ${Math.max(100, Math.ceil(x))} 8" preserveAspectRatio="none" aria-hidden="true">${parts}</svg>`;
}

/** The title says what the colour means. */
function chip(operation: OperationVerdict, report: Report): Markup {
  const failing = report.requirements.filter(
    ({ verdict, operations, family }) =>
      verdict === 'fail' && operations.includes(operation.id) && family === operation.family,
  );
  const judged = { requirements: failing, diagnoses: report.diagnoses ?? [] };
  const counts = { known: countKnownFailures(judged), broken: countFailures(judged, 'MUST') };
  const { kind, words } = stateOf(operation, counts);
  return html`<li class="${`chip ${kind}`}" title="${`${operation.method} ${operation.path}: ${words}`}">${operation.id}<span class="sr">${`: ${words}`}</span></li>`;
}

function stateOf(
  operation: OperationVerdict,
  { broken, known }: { readonly broken: FailureCount; readonly known: FailureCount },
): { readonly kind: string; readonly words: string } {
  // A family may be claimed in part.
  if (!operation.claimed) return { kind: 'unclaimed', words: 'not claimed' };
  if (operation.notImplemented) return { kind: 'absent', words: 'not offered' };
  const further = (words: string, counts: FailureCount) => withSharedCause(words, counts, ', and ');
  if (broken.count + broken.consequences > 0)
    return { kind: 'fail', words: further(`${plural(broken.count, 'requirement')} broken`, broken) };
  if (known.count + known.consequences > 0)
    return { kind: 'known', words: further(plural(known.count, 'known failure'), known) };
  if (operation.exercised === 0) return { kind: 'idle', words: 'never succeeded' };
  return { kind: 'pass', words: `judged, ${operation.exercised} × 2xx` };
}

function leftOut(report: Report): Markup | null {
  const families = unclaimedFamilies(report);
  if (families.length === 0) return null;
  return html`<p class="facts">${`Not claimed, so not judged: ${families.join(', ')}.`}</p>`;
}

// Response times of operations: observed, never judged.

interface Measured {
  readonly id: string;
  /** Set for operations with several variants, to tell them apart. */
  readonly family: string | null;
  readonly latency: Latency;
}

/** The section is open if it has at most this many rows. */
const OPEN = 8;
const WIDTH = 200;

/** One row per operation, with plots on one logarithmic scale. Empty if nothing was measured. */
export function latencySection({ operations }: Report): Markup {
  const measured = operations.flatMap(({ id, family, latency }): Measured[] => {
    const isVariant = operations.filter((one) => one.id === id).length > 1;
    return latency == null ? [] : [{ id, family: isVariant ? family : null, latency }];
  });
  if (measured.length === 0) return html``;
  const scale = scaleOf(measured);
  const operationCount = plural(new Set(measured.map(({ id }) => id)).size, 'operation');
  const count = measured.some(({ family }) => family !== null)
    ? `${operationCount}, ${plural(measured.length, 'variant')}`
    : operationCount;
  const streams = measured.some(({ latency }) => latency.betweenEvents !== null);
  const tokens = measured.some(({ latency }) => latency.tokensPerSecond !== null);
  return html`<section id="latency"><details class="fold"${measured.length <= OPEN ? html` open` : null}>
<summary><h2>Speed <span class="count">${count}</span></h2></summary>
<p class="facts">Observed, not judged: no requirement depends on a time. Milliseconds of complete 2xx responses; the plot runs from p50 over p90 to p99, the ring is the first byte (p50), on a logarithmic scale.</p>
<div class="wide" tabindex="0" role="group" aria-label="Speed by operation"><table class="latency">
<thead><tr><th scope="col">operation</th><th scope="col" class="n">responses</th><th scope="col" class="n">first byte</th>
<th scope="col" class="n">p50</th><th scope="col" class="n">p90</th><th scope="col" class="n">p99</th><th scope="col">${axis(scale)}</th>
${streams ? html`<th scope="col" class="n">between events, p50 / p99</th>` : null}${tokens ? html`<th scope="col" class="n">tokens/s</th>` : null}</tr></thead>
<tbody>${measured.map((one) => row(one, scale, { streams, tokens }))}</tbody></table></div></details></section>`;
}

interface Scale {
  readonly at: (milliseconds: number) => number;
  /** Powers of ten within the scale. */
  readonly marks: readonly number[];
}

function scaleOf(measured: readonly Measured[]): Scale {
  // Networks are never faster than a tenth of a millisecond.
  const times = measured.flatMap(({ latency: { total, firstByte } }) => [
    total.p50,
    total.p99,
    firstByte?.p50 ?? total.p50,
  ]);
  const low = Math.floor(Math.log10(Math.max(0.1, Math.min(...times))));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(0.1, ...times))));
  const at = (milliseconds: number) =>
    Math.round(((Math.log10(Math.max(milliseconds, 10 ** low)) - low) / (high - low)) * (WIDTH - 10)) + 5;
  return { at, marks: Array.from({ length: high - low + 1 }, (_, n) => 10 ** (low + n)) };
}

function axis({ at, marks }: Scale): Markup {
  const labels = marks.map((mark, n) => {
    const anchor = n === 0 ? 'start' : n === marks.length - 1 ? 'end' : 'middle';
    const x = n === 0 ? 0 : n === marks.length - 1 ? WIDTH : at(mark);
    return html`<text x="${x}" y="12" text-anchor="${anchor}">${durationWords(mark)}</text>`;
  });
  return html`<svg class="axis" viewBox="0 0 ${WIDTH} 16" width="${WIDTH}" height="16" role="img" aria-label="${`Scale from ${durationWords(marks[0] ?? 0)} to ${durationWords(marks.at(-1) ?? 0)}`}">${labels}</svg>`;
}

function row(
  { id, family, latency }: Measured,
  scale: Scale,
  columns: { readonly streams: boolean; readonly tokens: boolean },
): Markup {
  const { responses, total, firstByte, betweenEvents, tokensPerSecond } = latency;
  return html`<tr><th scope="row"><code>${id}</code>${family === null ? null : html` <span class="facts">${family}</span>`}</th><td class="n">${formatNumber(responses)}</td><td class="n">${figure(firstByte?.p50)}</td>
<td class="n">${figure(total.p50)}</td><td class="n">${figure(total.p90)}</td><td class="n">${figure(total.p99)}</td><td>${plot(total, firstByte, scale)}</td>
${columns.streams ? html`<td class="n">${spread(betweenEvents)}</td>` : null}${columns.tokens ? html`<td class="n">${figure(tokensPerSecond?.p50)}</td>` : null}</tr>`;
}

/** A line from p50 to p99, a dot at p50, a tick at p90, a ring at the first byte. */
function plot(total: Quantiles, firstByte: Quantiles | null, { at, marks }: Scale): Markup {
  // Paths instead of elements, because there are dozens of rows.
  const grid = marks.map((mark) => `M${at(mark)} 0v16`).join('');
  const ring =
    firstByte === null ? null : html`<circle class="first" cx="${at(firstByte.p50)}" cy="8" r="4"/>`;
  return html`<svg class="plot" viewBox="0 0 ${WIDTH} 16" aria-hidden="true"><path class="grid" d="${grid}"/><path class="range" d="M${at(total.p50)} 8H${at(total.p99)}M${at(total.p90)} 4v8M${at(total.p99)} 5v6"/>${ring}<circle cx="${at(total.p50)}" cy="8" r="3"/></svg>`;
}

function spread(quantiles: Quantiles | null): string {
  return quantiles === null ? '' : `${figure(quantiles.p50)} / ${figure(quantiles.p99)}`;
}

/** Formats a number with one decimal below a hundred, and none above. */
function figure(value: number | undefined): string {
  if (value === undefined) return '';
  return value < 100 ? value.toFixed(1) : formatNumber(Math.round(value));
}

function durationWords(milliseconds: number): string {
  return milliseconds >= 1000 ? `${formatNumber(milliseconds / 1000)} s` : `${milliseconds} ms`;
}

/** The operations, parameters, listed values and events that a client used. Empty if none was judged. */
export function usageSection({ usage = [] }: Report): Markup {
  if (usage.length === 0) return html``;
  const used = usage.filter(({ requests }) => requests > 0);
  const never = usage.filter(({ requests }) => requests === 0).map(({ subject }) => subject);
  return html`<section id="usage"><details class="fold" open>
<summary><h2>Use by the client <span class="count">${`${used.length} of ${usage.length} operations`}</span></h2></summary>
<table><thead><tr><th scope="col">Operation</th><th scope="col">Requests</th><th scope="col">Used</th><th scope="col">Never used</th></tr></thead>
<tbody>${used.map(operationRow)}</tbody></table>
<p class="facts">${`Never called: ${never.length === 0 ? 'none' : never.join(', ')}.`}</p>
</details></section>`;
}

function operationRow(usage: OperationUsage): Markup {
  const { subject, requests } = usage;
  const parts = usedParts(usage);
  const [used, rest] = [parts.filter(({ times }) => times > 0), parts.filter(({ times }) => times === 0)];
  return html`<tr><th scope="row"><code>${subject}</code></th><td>${requests}</td>
<td>${used.map(({ name, times }) => `${name} ×${times}`).join(', ') || 'nothing'}</td>
<td>${rest.length === 0 ? 'nothing' : html`<details><summary>${plural(rest.length, 'part')}</summary>${rest.map(({ name }) => name).join(', ')}</details>`}</td></tr>`;
}

/** The reactions of a client to responses that were disturbed on purpose. Empty without `--disturb`. */
export function disturbancesSection({ disturbances = [] }: Report): Markup {
  if (disturbances.length === 0) return html``;
  return html`<section id="disturbances"><details class="fold" open>
<summary><h2>Disturbed answers <span class="count">${plural(disturbances.length, 'disturbance')}</span></h2></summary>
<p class="facts">Responses that assay disturbed on purpose, and what the client did then. Findings are judged by client.creations.once and client.streams.whole.</p>
<table><thead><tr><th scope="col">Disturbance</th><th scope="col">Request</th><th scope="col">The client</th></tr></thead>
<tbody>${disturbances.map(disturbanceRow)}</tbody></table></details></section>`;
}

function disturbanceRow(one: NonNullable<Report['disturbances']>[number]): Markup {
  const { disturbance, request } = one;
  const met =
    request === null
      ? html`<td>none</td><td>sent no request that it fits</td>`
      : html`<td><code>${request}</code></td><td>${reactionWords(one).join(', ')}</td>`;
  return html`<tr><th scope="row"><code>${disturbance}</code></th>${met}</tr>`;
}
