import type { Latency, Quantiles } from '../../judge/verdict/latency.ts';
import { compact, formatNumber, plural } from '../../schemas/message-text.ts';
import type { Report } from '../report.ts';
import { html, type Markup, type MarkupPart } from './markup.ts';
import { wideTable } from './wide-table.ts';

type Column = readonly [name: MarkupPart, write: (latency: Latency) => MarkupPart];

const MAX_OPEN_ROWS = 8;
const PLOT_WIDTH = 200;
const PLOT_PADDING = 5;

export function latencySection({ operations }: Report): Markup {
  const rows = operations.flatMap(({ id, family, latency }) => {
    // The family tells the variants of an operation apart.
    const isVariant = operations.filter((operation) => operation.id === id).length > 1;
    return latency == null ? [] : [{ id, family: isVariant ? family : null, latency }];
  });
  if (rows.length === 0) return html``;
  const scale = scaleOf(rows);
  const count = compact(
    plural(new Set(rows.map(({ id }) => id)).size, 'operation'),
    rows.some(({ family }) => family !== null) && plural(rows.length, 'variant'),
  ).join(', ');
  const hasStreams = rows.some(({ latency }) => latency.betweenEvents !== null);
  const hasTokens = rows.some(({ latency }) => latency.tokensPerSecond !== null);
  const columns: readonly Column[] = [
    ['responses', ({ responses }) => formatNumber(responses)],
    ['first byte', ({ firstByte }) => formatFigure(firstByte?.p50)],
    ...(['p50', 'p90', 'p99'] as const).map((key): Column => [key, ({ total }) => formatFigure(total[key])]),
    [axis(scale), ({ total, firstByte }) => plot(total, firstByte, scale)],
    ...compact<Column>(
      hasStreams && ['between events, p50 / p99', ({ betweenEvents }) => formatSpread(betweenEvents)],
      hasTokens && ['tokens/s', ({ tokensPerSecond }) => formatFigure(tokensPerSecond?.p50)],
    ),
  ];
  const head = ['operation', ...columns.map(([name]) => name)];
  const cells = rows.map(({ id, family, latency }) => [
    html`<code>${id}</code>${family === null ? null : html` <span class="facts">${family}</span>`}`,
    ...columns.map(([, write]) => write(latency)),
  ]);
  return html`<section id="latency"><details class="fold"${rows.length <= MAX_OPEN_ROWS ? html` open` : null}>
<summary><h2>Speed <span class="count">${count}</span></h2></summary>
<p class="facts">Observed, not judged: no requirement depends on these times. Milliseconds of complete 2xx responses; each plot runs from p50 through p90 to p99 on a logarithmic scale; the ring is the first byte (p50).</p>
${wideTable('Speed by operation', head, cells, 'latency stack')}</details></section>`;
}

interface Scale {
  readonly at: (milliseconds: number) => number;
  readonly marks: readonly number[];
}

function scaleOf(rows: readonly { readonly latency: Latency }[]): Scale {
  const times = rows.flatMap(({ latency: { total, firstByte } }) => [
    total.p50,
    total.p99,
    firstByte?.p50 ?? total.p50,
  ]);
  // The scale starts at 0.1 ms at the earliest, because a time of 0 has no logarithm.
  const low = Math.floor(Math.log10(Math.max(0.1, Math.min(...times))));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(0.1, ...times))));
  const at = (milliseconds: number) =>
    Math.round(
      ((Math.log10(Math.max(milliseconds, 10 ** low)) - low) / (high - low)) *
        (PLOT_WIDTH - 2 * PLOT_PADDING),
    ) + PLOT_PADDING;
  return { at, marks: Array.from({ length: high - low + 1 }, (_, n) => 10 ** (low + n)) };
}

function axis({ at, marks }: Scale): Markup {
  const labels = marks.map((mark, n) => {
    const label = formatDuration(mark);
    if (n === 0) return html`<text x="0" y="12" text-anchor="start">${label}</text>`;
    const [x, anchor] = n === marks.length - 1 ? [PLOT_WIDTH, 'end'] : [at(mark), 'middle'];
    return html`<text x="${x}" y="12" text-anchor="${anchor}">${label}</text>`;
  });
  return html`<svg class="axis" viewBox="0 0 ${PLOT_WIDTH} 16" width="${PLOT_WIDTH}" height="16" role="img" aria-label="${`Scale from ${formatDuration(marks[0] ?? 0)} to ${formatDuration(marks.at(-1) ?? 0)}`}">${labels}</svg>`;
}

/** A line from p50 to p99, a dot at p50, ticks at p90 and p99, a ring at the first byte. */
function plot(total: Quantiles, firstByte: Quantiles | null, { at, marks }: Scale): Markup {
  // One path draws all grid lines and another the range, because an element for each line would enlarge every row.
  const grid = marks.map((mark) => `M${at(mark)} 0v16`).join('');
  const ring =
    firstByte === null ? null : html`<circle class="first" cx="${at(firstByte.p50)}" cy="8" r="4"/>`;
  return html`<svg class="plot" viewBox="0 0 ${PLOT_WIDTH} 16" aria-hidden="true"><path class="grid" d="${grid}"/><path class="range" d="M${at(total.p50)} 8H${at(total.p99)}M${at(total.p90)} 4v8M${at(total.p99)} 5v6"/>${ring}<circle cx="${at(total.p50)}" cy="8" r="3"/></svg>`;
}

function formatSpread(quantiles: Quantiles | null): string {
  return quantiles === null ? '' : `${formatFigure(quantiles.p50)} / ${formatFigure(quantiles.p99)}`;
}

function formatFigure(value: number | undefined): string {
  if (value === undefined) return '';
  return value < 100 ? value.toFixed(1) : formatNumber(Math.round(value));
}

function formatDuration(milliseconds: number): string {
  return milliseconds >= 1000 ? `${formatNumber(milliseconds / 1000)} s` : `${milliseconds} ms`;
}
