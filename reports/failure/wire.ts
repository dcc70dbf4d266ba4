import type { Exchange, HttpRequest, HttpResponse } from '../../exchange/exchange.ts';
import { decodedContent, mediaTypeOf } from '../../exchange/http/content.ts';
import { arrivalTime, eventsOf } from '../../exchange/http/event-stream.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import { firstHeader } from '../../exchange/http/headers.ts';
import type { EventStream, SseEvent } from '../../exchange/http/sse-reader.ts';
import { briefJson, printable, truncateText } from '../../exchange/printable.ts';
import type { Finding } from '../../judge/verdict/verdict.ts';
import { isJsonList, type Json } from '../../schemas/json.ts';
import { formatBytes, plural } from '../../schemas/message-text.ts';
import { excerpt, memberOf, parsePlace } from './excerpt.ts';

/** Maximum number of events of a stream, or of excerpts of a body. */
const MAX_SHOWN = 6;
/** Columns that a request body or an event keeps, as do the exchanges and values of failures, in a narrow terminal. */
export const MIN_COLUMNS = 40;
const MAX_TYPE_LENGTH = 60;
/** Members longer than this, in characters, are shortened if the body does not fit, so that more names are visible. */
const MAX_MEMBER_LENGTH = 24;

/**
 * The exchange as lines in the style of `curl -v`: `>` sent, `<` received, with milliseconds since the
 * request began. Shows the cited events of a stream, or its last two, and the path to the cited place of a JSON body.
 */
export function wireLines(exchange: Exchange, findings: readonly Finding[], width: number): string[] {
  const { response, end } = exchange;
  const lines = [`> ${requestLine(exchange, width - 2)}`];
  if (response === null)
    return [...lines, `< no answer: ${endingText(exchange)} after ${formatMilliseconds(end.at)}`];
  const stream = eventsOf(response);
  lines.push(`< ${answerLine(response, stream, end.at)}`);
  lines.push(...headerLines(response, findings).map((line) => truncateText(`<  ${line}`, width)));
  if (stream === null) lines.push(...bodyLines(response, findings, width));
  else lines.push(...eventLines(response, stream, findings, width));
  if (end.how !== 'complete') lines.push(`< ${endingText(exchange)} at ${formatMilliseconds(end.at)}`);
  return lines;
}

export function requestLine({ request, probe }: Exchange, width: number): string {
  const line = printable(`${request.method} ${request.target}`);
  const body = requestBody(request, probedPlace(probe), Math.max(width - line.length - 2, MIN_COLUMNS));
  return body === '' ? line : `${line}  ${body}`;
}

/** `messages`, `0`, `role` for `body.messages[].role`. */
function probedPlace(probe: Exchange['probe']): readonly string[] {
  if (probe === null || !probe.pointer.startsWith('body.')) return [];
  const place = probe.pointer.slice('body.'.length).replaceAll('[]', '.0');
  return place.replaceAll(/\[\w*\]/g, '').split('.');
}

function requestBody(request: HttpRequest, place: readonly string[], limit: number): string {
  if (request.body.size === 0) return '';
  const parts = formDataParts(request);
  if (parts !== null) {
    const shown = parts.map(({ name, filename, body }) => {
      const size = formatBytes(body.size);
      return `${name ?? '(no name)'}=${filename === null ? (body.text ?? size) : `@${filename} (${size})`}`;
    });
    return truncateText(printable(shown.join(' ')), limit);
  }
  const json = request.body.json;
  if (json === null) return `(${formatBytes(request.body.size)})`;
  const brief = briefJson(json.value, limit);
  if (!brief.endsWith('…')) return brief;
  return place.length > 0
    ? excerpt(json.value, place, limit)
    : briefJson(abbreviateMembers(json.value), limit);
}

function abbreviateMembers(value: Json): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const members = Object.entries(value).map(([name, member]): [string, Json] => {
    if (JSON.stringify(member).length <= MAX_MEMBER_LENGTH) return [name, member];
    if (typeof member === 'string') return [name, truncateText(member, MAX_MEMBER_LENGTH)];
    return [name, Array.isArray(member) ? ['…'] : { '…': '…' }];
  });
  return Object.fromEntries(members);
}

export function answerLine(response: HttpResponse, stream: EventStream | null, at: number): string {
  const type = firstHeader(response.headers, 'content-type') ?? 'no content type';
  const size = stream === null ? formatBytes(response.body.size) : plural(stream.events.length, 'event');
  return `${response.status} ${truncateText(printable(type), MAX_TYPE_LENGTH)}, ${size} in ${formatMilliseconds(at)}`;
}

export function headerLines(response: HttpResponse, findings: readonly Finding[]): string[] {
  const named = new Set(findings.flatMap(({ at }) => /^header (\S+)/.exec(at)?.[1]?.toLowerCase() ?? []));
  return response.headers
    .filter(([name]) => named.has(name.toLowerCase()))
    .map(([name, value]) => printable(`${name}: ${value}`));
}

function bodyLines(response: HttpResponse, findings: readonly Finding[], width: number): string[] {
  const content = decodedContent(response);
  const at = response.pieces.at(-1)?.at;
  const stamp = at === undefined ? '<  ' : `<  +${formatMilliseconds(at)}  `;
  const limit = width - stamp.length;
  if (content === null || content.size === 0) return [];
  const json = content.json;
  if (json === null) {
    const text = isTextBody(response) ? content.text : null;
    return text === null ? [] : [`${stamp}${truncateText(printable(text.slice(0, width)), limit)}`];
  }
  const places = findings.map(({ at: place }) => parsePlace(place) ?? []);
  const excerpts = new Set(places.map((tokens) => `${stamp}${excerpt(json.value, tokens, limit)}`));
  return [...excerpts].slice(0, MAX_SHOWN);
}

export function isTextBody(response: HttpResponse): boolean {
  const essence = mediaTypeOf(response.headers)?.essence ?? 'text/plain';
  return /^text\/|json|xml|javascript/.test(essence);
}

function eventLines(
  response: HttpResponse,
  stream: EventStream,
  findings: readonly Finding[],
  width: number,
): string[] {
  const cited = citedEvents(stream, findings);
  const shown = shownEvents(stream, cited);
  const digits = String(shown.at(-1)?.n ?? 0).length;
  const lines = shown.map((event) => {
    const { stamp, name } = eventHead(event, response);
    const head = `<  ${' '.repeat(digits - String(event.n).length)}${stamp}  ${name}`;
    return `${head}${eventText(event, cited.get(event.n) ?? [], Math.max(width - head.length, MIN_COLUMNS))}`;
  });
  if (stream.rest !== null)
    lines.push(`<  cut off  ${truncateText(printable(stream.rest.data), width - 12)}`);
  return lines;
}

/** The number of an event and when it arrived, `3 +40ms`, and its name, `thread.run.created: `. */
export function eventHead({ n, event, end }: SseEvent, { pieces }: HttpResponse) {
  const at = arrivalTime(pieces, end);
  return {
    stamp: `${n}${at === null ? '' : ` +${formatMilliseconds(at)}`}`,
    name: event === '' ? '' : `${printable(event)}: `,
  };
}

/** The first cited events, else the last two, because a finding on the whole stream is best seen at its end. */
export function shownEvents(
  stream: EventStream,
  cited: ReadonlyMap<number, readonly string[]>,
): readonly SseEvent[] {
  const shown = stream.events.filter(({ n }) => cited.has(n)).slice(0, MAX_SHOWN);
  return shown.length > 0 ? shown : stream.events.slice(-2);
}

function eventText(event: SseEvent, tokens: readonly string[], limit: number): string {
  return event.json === null
    ? truncateText(printable(event.data), limit)
    : excerpt(event.json.value, tokens, limit);
}

/**
 * Maps the number of each cited event to the place of the first finding that cites it. If no event is cited by number,
 * maps each event that has a value at the place of a finding, because such a finding concerns the joined stream.
 */
export function citedEvents(
  { events }: EventStream,
  findings: readonly Finding[],
): ReadonlyMap<number, readonly string[]> {
  const cited = new Map<number, readonly string[]>();
  for (const { at, expected, actual } of findings) {
    const tokens = parsePlace(at) ?? [];
    for (const text of [at, expected, typeof actual === 'string' ? actual : '']) {
      for (const n of eventNumbersIn(text)) if (!cited.has(n)) cited.set(n, tokens);
    }
  }
  if (cited.size > 0) return cited;
  for (const { at } of findings) {
    const tokens = parsePlace(at) ?? [];
    if (tokens.length === 0) continue;
    for (const { n, json } of events) {
      const place = json === null || cited.has(n) ? null : firstNonEmptyPlace(json.value, tokens);
      if (place !== null) cited.set(n, place);
    }
  }
  return cited;
}

export function eventNumbersIn(text: string): readonly number[] {
  return [...text.matchAll(/\bevent (\d+)/g)].map(([, n]) => Number(n));
}

/** A star matches any element. */
function firstNonEmptyPlace(value: Json, [token, ...inner]: readonly string[]): readonly string[] | null {
  if (token === undefined) {
    const isEmpty = value === null || value === '' || (isJsonList(value) && value.length === 0);
    return isEmpty ? null : [];
  }
  const names = token === '*' && isJsonList(value) ? value.map((_, i) => String(i)) : [token];
  // Events carry pieces of a `message` as `delta`.
  if (token === 'message') names.push('delta');
  for (const name of names) {
    const child = memberOf(value, name);
    const place = child === undefined ? null : firstNonEmptyPlace(child, inner);
    if (place !== null) return [name, ...place];
  }
  return null;
}

export function endingText({ end }: Exchange): string {
  const words = {
    complete: 'complete',
    'upstream-reset': 'connection reset by the target',
    'upstream-timeout': 'timed out waiting for the target',
    'client-abort': 'closed by the client',
    'recorder-killed': 'the recorder was stopped here',
  } as const;
  return end.detail === null ? words[end.how] : `${words[end.how]} (${printable(end.detail)})`;
}

/** Milliseconds, rounded to one decimal below ten, otherwise to an integer. */
export function formatMilliseconds(milliseconds: number): string {
  return `${milliseconds < 10 ? Number(milliseconds.toFixed(1)) : Math.round(milliseconds)}ms`;
}
