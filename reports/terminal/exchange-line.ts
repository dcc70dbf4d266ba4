// The list that `assay show` prints of a cassette.
import type { Exchange } from '../../exchange/exchange.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import { printable, truncateText } from '../failure/excerpt.ts';
import { endingText, formatMilliseconds } from '../failure/wire.ts';
import { formatBytes, plural } from '../report.ts';
import type { Columns } from './wrap.ts';

/** Columns of method and path; longer ones push what follows to the right. */
const REQUEST_COLUMNS = 44;

/** How the lines of a list are set. */
interface ListStyle {
  /** The largest number of an exchange. */
  readonly widest: number;
  readonly width: Columns;
}

/** An exchange on a line: id, request line, status, size or number of events, time, and the scenario that sent it. */
export function exchangeLine(exchange: Exchange, { widest, width }: ListStyle): string {
  const { id, request, end, scenario } = exchange;
  const parts = [
    id.padEnd(`e${widest}`.length),
    printable(`${request.method} ${request.target}`).padEnd(REQUEST_COLUMNS),
    answerWords(exchange),
    formatMilliseconds(end.at),
    ...(scenario === null ? [] : [printable(scenario)]),
  ];
  const line = parts.join('  ');
  return width === null ? line : truncateText(line, width);
}

/** The status with the size of the answer, or how the exchange ended without one. */
function answerWords(exchange: Exchange): string {
  const { response, end } = exchange;
  if (response === null || end.how !== 'complete') return endingText(exchange);
  const events = eventsOf(response)?.events;
  return `${response.status}  ${events === undefined ? formatBytes(response.body.size) : plural(events.length, 'event')}`;
}
