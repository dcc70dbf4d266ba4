import type { Exchange, HeaderPairs, HttpRequest, HttpResponse } from '../../exchange/exchange.ts';
import { decodedContent } from '../../exchange/http/content.ts';
import { eventsOf, isEventStream } from '../../exchange/http/event-stream.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import { readEvents } from '../../exchange/http/sse-reader.ts';
import { printable, printableLines, truncateText } from '../../exchange/printable.ts';
import { compact, formatBytes, plural } from '../../schemas/message-text.ts';
import { endingText, eventHead, formatMilliseconds } from '../failure/wire.ts';
import type { Colours } from '../words/colours.ts';
import type { Columns } from '../words/layout.ts';

const REQUEST_COLUMNS = 44;

export function exchangeText(exchange: Exchange, paint: Colours): string {
  const { id, scenario, probe, request, response, end } = exchange;
  const labels = compact(
    scenario !== null && `of ${scenario}`,
    probe !== null && `probe ${probe.id}, ${probe.side}`,
  );
  const lines = compact(
    paint.bold([id, ...labels.map(printable)].join('  ')),
    paint.bold(`> ${printable(`${request.method} ${request.target}`)}`),
    ...fieldLines('>', request.headers, paint),
    ...requestBodyLines(request),
    ...(response === null ? [] : responseLines(response, paint)),
    (response === null || end.how !== 'complete') && `< ${endingText(exchange)}`,
    paint.dim(`ended after ${formatMilliseconds(end.at)}`),
  );
  return `${lines.join('\n')}\n`;
}

function fieldLines(sign: string, headers: HeaderPairs, paint: Colours): string[] {
  return headers.map(([name, value]) => paint.dim(`${sign} ${printable(`${name}: ${value}`)}`));
}

function responseLines(response: HttpResponse, paint: Colours): string[] {
  const head = printable(`${response.status} ${response.reason}`.trim());
  return [
    paint.bold(`< ${head}`),
    ...fieldLines('<', response.headers, paint),
    ...(streamLines(response, paint) ?? bodyLines(response)),
    ...fieldLines('<', response.trailers, paint),
  ];
}

function requestBodyLines(request: HttpRequest): string[] {
  const parts = formDataParts(request);
  if (parts === null) return bodyLines(request);
  return parts.map(({ name, filename, type, body }) => {
    const { text } = body;
    if (filename === null) return printable(`${name ?? '(no name)'}=${text ?? formatBytes(body.size)}`);
    const content = text === null ? '' : `\n${printableLines(text.replaceAll('\r\n', '\n'))}`;
    return `${printable(`${name ?? '(no name)'}=@${filename}`)} (${formatBytes(body.size)}, ${printable(type ?? 'no type')})${content}`;
  });
}

/** JSON is indented; content that cannot be shown as text is described by size and digest. */
function bodyLines(message: HttpRequest | HttpResponse): string[] {
  if (message.body.size === 0) return [];
  const content = decodedContent(message);
  if (content === null || content.text === null) {
    const { size, sha256 } = message.body;
    return [
      `(${formatBytes(size)}, not shown: it is not text, was not kept or is too large; sha256 ${sha256})`,
    ];
  }
  const { json, text } = content;
  return [
    printableLines(json === null ? text.replaceAll('\r\n', '\n') : JSON.stringify(json.value, null, 2)),
  ];
}

function streamLines(response: HttpResponse, paint: Colours): string[] | null {
  const bytes = isEventStream(response) ? (decodedContent(response)?.bytes ?? null) : null;
  // `eventsOf` returns null if an event is too long to be judged; the other events can still be printed.
  const stream = eventsOf(response) ?? (bytes === null ? null : readEvents(bytes));
  if (stream === null) return null;
  const lines = stream.events.map((event) => {
    const { stamp, name } = eventHead(event, response);
    return `${paint.dim(stamp)}  ${name}${printable(event.data)}${event.isTooLong ? '… (too long to be read)' : ''}`;
  });
  if (stream.rest !== null) lines.push(`cut off  ${printable(stream.rest.data)}`);
  const count = plural(response.pieces.length, 'piece');
  return [...lines, paint.dim(`${plural(stream.events.length, 'event')} in ${count}`)];
}

interface ListStyle {
  readonly maxNumber: number;
  readonly width: Columns;
}

export function exchangeLine(exchange: Exchange, { maxNumber, width }: ListStyle): string {
  const { id, request, end, scenario } = exchange;
  const parts = compact(
    id.padEnd(`e${maxNumber}`.length),
    printable(`${request.method} ${request.target}`).padEnd(REQUEST_COLUMNS),
    answerWords(exchange),
    formatMilliseconds(end.at),
    scenario !== null && printable(scenario),
  );
  const line = parts.join('  ');
  return width === null ? line : truncateText(line, width);
}

function answerWords(exchange: Exchange): string {
  const { response, end } = exchange;
  if (response === null || end.how !== 'complete') return endingText(exchange);
  const events = eventsOf(response)?.events;
  return `${response.status}  ${events === undefined ? formatBytes(response.body.size) : plural(events.length, 'event')}`;
}
