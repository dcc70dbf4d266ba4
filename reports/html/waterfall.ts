import type { Exchange, HttpResponse } from '../../exchange/exchange.ts';
import { arrivalTime, eventsOf } from '../../exchange/http/event-stream.ts';
import type { EventStream } from '../../exchange/http/sse-reader.ts';
import { plural } from '../../schemas/message-text.ts';
import { formatMilliseconds } from '../failure/wire.ts';
import { html, type Markup } from './markup.ts';

/** Width of a lane in units of the drawing, which is stretched to the width of the page. */
const LANE_WIDTH = 1000;
const LANE_HEIGHT = 20;

/** All exchanges share one scale, on which the longest reaches the right edge. */
export function waterfall(exchanges: readonly Exchange[]): Markup {
  // At least a microsecond, so that nothing is divided by 0.
  const longest = Math.max(...exchanges.map(({ end }) => end.at), 0.001);
  return html`<div class="waterfall">${exchanges.map((one) => lane(one, longest))}</div>`;
}

function lane(exchange: Exchange, longest: number): Markup {
  const { id, response, end } = exchange;
  const stream = response === null ? null : eventsOf(response);
  const words = timingWords(exchange, stream);
  const scale = (at: number) => Math.round((at / longest) * LANE_WIDTH);
  const first = scale(response?.pieces[0]?.at ?? end.at);
  const last = Math.max(scale(end.at), first);
  const body =
    response === null
      ? null
      : html`<rect class="body" x="${first}" y="4" width="${Math.max(last - first, 2)}" height="12"/>`;
  const ticks = response === null || stream === null ? null : eventTicks(response, stream, scale);
  return html`<div class="lane"><span class="id">${id}</span><svg viewBox="0 0 ${LANE_WIDTH + 4} ${LANE_HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${`${id}: ${words}`}">
<rect class="wait" x="0" y="8" width="${first}" height="4"/>${body}${ticks}</svg><span class="time">${words}</span></div>`;
}

function eventTicks(response: HttpResponse, { events }: EventStream, scale: (at: number) => number): Markup {
  // An event that ends in no recorded piece has no time.
  const places = events.flatMap(({ end }) => arrivalTime(response.pieces, end) ?? []).map(scale);
  const path = [...new Set(places)].map((x) => `M${x} 0v${LANE_HEIGHT}`).join('');
  return html`<path class="event" d="${path}"/>`;
}

function timingWords({ response, end }: Exchange, stream: EventStream | null): string {
  const first = response?.pieces[0]?.at;
  const parts = first === undefined ? [] : [`first byte ${formatMilliseconds(first)}`];
  if (stream !== null && response !== null) parts.push(...eventWords(response, stream));
  return [...parts, `end ${formatMilliseconds(end.at)}`].join(', ');
}

function eventWords(response: HttpResponse, { events }: EventStream): string[] {
  const times = events.flatMap((event) => arrivalTime(response.pieces, event.end) ?? []);
  const [first, last] = [times[0], times.at(-1)];
  const count = plural(events.length, 'event');
  if (first === undefined || last === undefined || times.length < 2) return [count];
  return [count, `${formatMilliseconds((last - first) / (times.length - 1))} apart`];
}
