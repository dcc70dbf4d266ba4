// Timeline of a stream.
import type { HttpResponse } from '../../exchange/exchange.ts';
import { arrivalTime, type EventStream } from '../../exchange/http/event-stream.ts';
import { formatMilliseconds } from '../failure/wire.ts';
import { html, type Markup } from './markup.ts';

/** Units of the drawing. */
const WIDTH = 720;
/** Marks that are drawn; more cannot be distinguished. */
const MARKS = 400;

/** A stream over time: a tick for each piece that arrived, a dot for each event that it completed. */
export function timeline(exchange: string, response: HttpResponse, stream: EventStream): Markup {
  // Milliseconds since the request began.
  const last = response.pieces.at(-1)?.at ?? 0;
  // One decimal is less than a tenth of a pixel off, and keeps the page small.
  const scale = (at: number) => Number((10 + (last === 0 ? 0 : (at / last) * (WIDTH - 20))).toFixed(1));
  const pieces = response.pieces.slice(0, MARKS).map(({ at }) => {
    const x = scale(at);
    return html`<line x1="${x}" x2="${x}" y1="8" y2="24"/>`;
  });
  // Events whose end lies in no recorded piece have no time, and no dot.
  const dots = stream.events.slice(0, MARKS).flatMap((event) => {
    const at = arrivalTime(response.pieces, event.end);
    if (at === null) return [];
    return [
      html`<circle cx="${scale(at)}" cy="34" r="3"><title>${`${event.n} ${event.event} +${formatMilliseconds(at)}`}</title></circle>`,
    ];
  });
  // Also the label for readers that do not see the drawing.
  const words = `${exchange}: ${stream.events.length} events in ${response.pieces.length} pieces over ${formatMilliseconds(last)}`;
  return html`<figure><svg viewBox="0 0 ${WIDTH} 42" role="img" aria-label="${words}">${pieces}${dots}</svg>
<figcaption>${words}</figcaption></figure>`;
}
