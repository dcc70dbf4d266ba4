import type { Exchange } from '../../exchange/exchange.ts';
import { matchOperation } from '../../schemas/index.ts';
import { groupBy } from '../../schemas/maps.ts';
import { formatNumber, plural } from '../../schemas/message-text.ts';
import type { FailureContext } from '../failure/failure.ts';
import { type TimedExchange, timedExchanges } from '../failure/timed-exchanges.ts';
import { formatMilliseconds } from '../failure/wire.ts';
import { html, type Markup } from './markup.ts';

const MAX_DRAWN = 20_000;
const MAX_ROWS = 30;
/** Width of a row in units of the drawing, which is stretched to the width of its column. */
const ROW_WIDTH = 1000;

interface TimedCall extends Pick<TimedExchange, 'from' | 'to'>, Pick<Exchange, 'scenario'> {
  readonly operation: string;
}

/** Returns null for fewer than two requests, for traffic without times, and for more than `MAX_DRAWN` exchanges. */
export function timelineSection(context: FailureContext): Markup | null {
  const timed = (context.timeline?.size ?? 0) > MAX_DRAWN ? [] : timedExchanges(context);
  const calls = Array.from(timed, ({ exchange, from, to }): TimedCall => {
    return { operation: operationLabel(exchange), scenario: exchange.scenario, from, to };
  });
  const from = Math.min(...calls.map((call) => call.from));
  const length = Math.max(...calls.map((call) => call.to)) - from;
  if (calls.length < 2 || from === 0 || !(length > 0)) return null;
  const scenarios = groupRows(calls, ({ scenario }) => scenario ?? 'no scenario');
  const longest = scenarios.toSorted((a, b) => b.duration - a.duration).slice(0, MAX_ROWS);
  const shown = scenarios.filter((row) => longest.includes(row));
  const operations = groupRows(calls, ({ operation }) => operation);
  const scale = (at: number) => Math.round(((at - from) / length) * ROW_WIDTH);
  const isTruncated = shown.length < scenarios.length;
  const summary = `${plural(calls.length, 'request')} in ${durationWords(length)}`;
  return html`<section id="timeline"><details class="fold"><summary><h2>Timeline of the run <span class="count">${summary}</span></h2></summary>
<h3>By operation</h3>${table('operation', operations, scale)}
<h3>By scenario${isTruncated ? html` <span class="count">${`the ${MAX_ROWS} longest of ${formatNumber(scenarios.length)}`}</span>` : null}</h3>${table('scenario', shown, scale)}
</details></section>`;
}

interface Row {
  readonly name: string;
  readonly calls: readonly TimedCall[];
  /** Milliseconds from the beginning of the first call to the end of the last. */
  readonly duration: number;
}

function groupRows(calls: readonly TimedCall[], nameOf: (call: TimedCall) => string): readonly Row[] {
  return [...groupBy(calls, nameOf)].map(([name, calls]) => {
    const duration = Math.max(...calls.map(({ to }) => to)) - Math.min(...calls.map(({ from }) => from));
    return { name, calls, duration };
  });
}

function table(title: string, rows: readonly Row[], scale: (at: number) => number): Markup {
  return html`<div class="wide" tabindex="0" role="group" aria-label="${`Timeline of the run, by ${title}`}"><table class="timeline">
<thead><tr><th scope="col">${title}</th><th scope="col">when</th><th scope="col" class="n">requests</th><th scope="col" class="n">took</th></tr></thead>
<tbody>${rows.map(
    ({ name, calls, duration }) =>
      html`<tr><th scope="row">${name}</th><td><svg viewBox="0 0 ${ROW_WIDTH} 8" preserveAspectRatio="none" aria-hidden="true"><path d="${busyPath(calls, scale)}"/></svg></td><td class="n">${formatNumber(calls.length)}</td><td class="n">${durationWords(duration)}</td></tr>
`,
  )}</tbody></table></div>`;
}

function durationWords(milliseconds: number): string {
  return milliseconds < 1000 ? formatMilliseconds(milliseconds) : `${(milliseconds / 1000).toFixed(1)} s`;
}

function busyPath(calls: readonly TimedCall[], scale: (at: number) => number): string {
  const spans = calls.map(({ from, to }) => [scale(from), Math.max(scale(to), scale(from) + 2)] as const);
  const merged: [from: number, to: number][] = [];
  for (const [from, to] of spans.toSorted((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged.map(([from, to]) => `M${from} 4H${to}`).join('');
}

export function operationLabel({ request }: Exchange): string {
  const [path = ''] = request.target.split('?', 1);
  return matchOperation(request.method, path)?.operation.id ?? 'no operation';
}
