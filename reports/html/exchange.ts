// One exchange that proves findings: request, response, and the cited places marked in the body.
import type { Exchange, HttpResponse } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { decodedContent } from '../../exchange/http/content.ts';
import { arrivalTime, type EventStream, eventsOf, type SseEvent } from '../../exchange/http/event-stream.ts';
import { briefJson, printable, truncateText } from '../../exchange/printable.ts';
import type { Finding } from '../../judge/verdict/verdict.ts';
import {
  answerLine,
  citedEvents,
  endingText,
  eventHead,
  excerptParts,
  formatMilliseconds,
  headerLines,
  isArray,
  isTextBody,
  memberOf,
  requestLine,
  shownFrames,
  tokensOfPointer,
} from '../failure/wire.ts';
import { plural } from '../words/text.ts';
import { html, type Markup, type MarkupPart } from './markup.ts';

const REQUEST = 320;
const TEXT = 400;
const FRAME = 160;
/** Maximum characters of an expectation next to a cited line. */
const EXPECTATION = 90;

export function exchangeEvidence(exchange: Exchange, findings: readonly Finding[]): Markup {
  const { id, response, end } = exchange;
  const request = html`<p class="line sent">${requestLine(exchange, REQUEST)}<span class="id">${id}</span></p>`;
  if (response === null)
    return html`${request}<p class="line received"><mark>${`no answer: ${endingText(exchange)}`}</mark></p>`;
  const stream = eventsOf(response);
  const answer = answerLine(response, stream, end.at);
  // Causes are about the statuses of valid requests.
  const isStatus = findings.some(({ at }) => at === 'status' || at.startsWith('valid requests'));
  const headers = headerLines(response, findings).map(
    (line) => html`<p class="line"><mark>${truncateText(line, REQUEST)}</mark></p>`,
  );
  const ending =
    end.how === 'complete' ? null : html`<p class="line"><mark>${endingText(exchange)}</mark></p>`;
  return html`${request}<p class="line received">${isStatus ? html`<mark>${answer}</mark>` : answer}</p>${headers}
${stream === null ? bodyView(response, findings) : frames(response, stream, findings)}${ending}`;
}

function bodyView(response: HttpResponse, findings: readonly Finding[]): Markup | null {
  const content = decodedContent(response);
  if (content === null || content.size === 0) return null;
  if (content.json === null) {
    const text = isTextBody(response) ? content.text : null;
    return text === null
      ? null
      : html`<pre tabindex="0" aria-label="Body">${truncateText(printable(text.slice(0, TEXT)), TEXT)}</pre>`;
  }
  const cited = findings.map(({ at }) => tokensOfPointer(at)).filter((tokens) => tokens !== null);
  // With one finding the expected value is next to the actual one; otherwise the table above has both.
  const [only, ...others] = findings;
  const expected = only === undefined || others.length > 0 ? null : only.expected;
  const lines = bodyExcerpt(content.json.value, cited);
  const label = findings.length === 0 ? 'Body' : 'Body with cited places marked';
  return html`<pre tabindex="0" aria-label="${label}">${lines.map((line) => bodyLine(line, expected))}</pre>`;
}

function bodyLine({ depth, text, mark }: ExcerptLine, expected: string | null): MarkupPart {
  const indent = '  '.repeat(depth);
  if (mark === null) return `${indent}${text}\n`;
  const wanted =
    expected === null
      ? null
      : html` <ins>${`← expected ${truncateText(printable(expected), EXPECTATION)}`}</ins>`;
  return html`${indent}<mark class="${mark}">${text}</mark>${wanted}
`;
}

function isAbsent(value: Json | undefined, [token, ...rest]: readonly string[]): boolean {
  if (value === undefined || token === undefined) return value === undefined;
  return isAbsent(memberOf(value, token), rest);
}

function frames(response: HttpResponse, stream: EventStream, findings: readonly Finding[]): Markup {
  const cited = citedEvents(stream, findings);
  const wrong = eventsAtFault(findings);
  const rows = shownFrames(stream, cited).map((event) => {
    const { stamp, name } = eventHead(event, response);
    return html`<span class="stamp">${stamp.padStart(10)}</span>  ${name}${frame(event, cited.get(event.n) ?? null, wrong.size === 0 || wrong.has(event.n) ? 'marked' : 'plain')}
`;
  });
  const rest =
    stream.rest === null
      ? null
      : html`<span class="stamp">${'cut off'.padStart(10)}</span>  ${truncateText(printable(stream.rest.data), TEXT)}
`;
  return html`<pre tabindex="0" aria-label="Events, cited places are marked">${rows}${rest}</pre>`;
}

/** Numbers of the events at fault: the ones at the place of a finding, not ones that its expectation mentions. */
function eventsAtFault(findings: readonly Finding[]): ReadonlySet<number> {
  return new Set(
    findings.flatMap(({ at }) =>
      [...at.matchAll(/\b(?:event|chunk|frame)s? (\d+)/g)].map(([, n]) => Number(n)),
    ),
  );
}

function frame(event: SseEvent, tokens: readonly string[] | null, mark: 'marked' | 'plain'): MarkupPart {
  if (event.json === null || tokens === null || tokens.length === 0)
    return truncateText(printable(event.data), FRAME);
  const { value } = event.json;
  if (isAbsent(value, tokens)) {
    const data = truncateText(printable(event.data), FRAME);
    return html`${data} <mark class="missing">${`${tokens.at(-1)}: nothing`}</mark>`;
  }
  const { before, cited, after } = excerptParts(value, tokens, FRAME);
  return [before, mark === 'marked' ? html`<mark>${cited}</mark>` : cited, after];
}

// A JSON body as lines around the cited places; members far from them are only counted.

interface ExcerptLine {
  readonly depth: number;
  readonly text: string;
  /** `cited`: the value of a finding. `missing`: a member that should be present. */
  readonly mark: 'cited' | 'missing' | null;
}

const NEAR = 2;
/** Maximum number of members shown of a body that is cited as a whole. */
const WHOLE = 14;
const CITED = 240;
const OTHER = 72;
const LINES = 28;

interface Position {
  readonly depth: number;
  /** `"id": `, or empty for an element of a list. */
  readonly name: string;
  /** `,` if another member follows. */
  readonly tail: string;
}

const ROOT: Position = { depth: 0, name: '', tail: '' };

/** The lines around the places, given as tokens of JSON pointers. Safe to print. */
function bodyExcerpt(value: Json, places: readonly (readonly string[])[]): readonly ExcerptLine[] {
  const below = places.filter(({ length }) => length > 0);
  const lines = below.length === 0 ? wholeBody(value) : linesOf(value, below, ROOT);
  return lines.length <= LINES ? lines : [...lines.slice(0, LINES), { depth: 0, text: '…', mark: null }];
}

function wholeBody(value: Json): ExcerptLine[] {
  const members = membersOf(value);
  if (members === null) return [{ depth: 0, text: briefJson(value, CITED), mark: 'cited' }];
  const lines = members.slice(0, WHOLE).flatMap(({ name, value: member }, n) => {
    return linesOf(member, [], { depth: 1, name, tail: n < members.length - 1 ? ',' : '' });
  });
  return bracketed(value, [...lines, ...elided(members.length - WHOLE, 1)], ROOT);
}

function linesOf(value: Json, places: readonly (readonly string[])[], position: Position): ExcerptLine[] {
  const { depth, name, tail } = position;
  const members = membersOf(value);
  if (members === null || places.length === 0 || places.some(({ length }) => length === 0)) {
    const isCited = places.length > 0;
    const text = `${name}${briefJson(value, isCited ? CITED : OTHER)}${tail}`;
    return [{ depth, text, mark: isCited ? 'cited' : null }];
  }
  const heads = new Set(places.map(([head = '']) => head));
  const absent = [...heads].filter((head) => memberOf(value, head) === undefined);
  const missing = absent.map((head): ExcerptLine => {
    return { depth: depth + 1, text: `${label(head)}nothing`, mark: 'missing' };
  });
  return bracketed(value, [...linesAround(members, places, depth + 1), ...missing], position);
}

function linesAround(
  members: readonly Member[],
  places: readonly (readonly string[])[],
  depth: number,
): ExcerptLine[] {
  const cited = members.flatMap(({ token }, n) => (places.some(([head]) => head === token) ? [n] : []));
  // A missing member is shown after the first members, which identify the object.
  const anchors = cited.length > 0 ? cited : [0];
  const lines: ExcerptLine[] = [];
  let left = 0;
  for (const [n, { token, name, value }] of members.entries()) {
    if (!anchors.some((anchor) => Math.abs(anchor - n) <= NEAR)) {
      left += 1;
      continue;
    }
    lines.push(...elided(left, depth));
    left = 0;
    const below = places.filter(([head]) => head === token).map(([, ...rest]) => rest);
    lines.push(...linesOf(value, below, { depth, name, tail: n < members.length - 1 ? ',' : '' }));
  }
  return [...lines, ...elided(left, depth)];
}

interface Member {
  readonly token: string;
  readonly name: string;
  readonly value: Json;
}

function membersOf(value: Json): readonly Member[] | null {
  if (value === null || typeof value !== 'object') return null;
  if (isArray(value)) return value.map((element, n) => ({ token: String(n), name: '', value: element }));
  return Object.entries(value).map(([key, member]) => ({ token: key, name: label(key), value: member }));
}

function label(key: string): string {
  return `${printable(JSON.stringify(key))}: `;
}

function bracketed(
  value: Json,
  lines: readonly ExcerptLine[],
  { depth, name, tail }: Position,
): ExcerptLine[] {
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return [
    { depth, text: `${name}${open}`, mark: null },
    ...lines,
    { depth, text: `${close}${tail}`, mark: null },
  ];
}

function elided(count: number, depth: number): ExcerptLine[] {
  return count <= 0 ? [] : [{ depth, text: `… ${count} more`, mark: null }];
}

// Exchanges over time: first byte, and arrival of each stream event.

/** Units of the drawing, which is stretched to the width of the page. */
const WIDTH = 1000;
const HEIGHT = 20;

/** One scale for all exchanges: the longest reaches the right edge. */
export function waterfall(exchanges: readonly Exchange[]): Markup {
  const longest = Math.max(...exchanges.map(({ end }) => end.at), 0.001);
  return html`<div class="waterfall">${exchanges.map((one) => lane(one, longest))}</div>`;
}

function lane(exchange: Exchange, longest: number): Markup {
  const { id, response, end } = exchange;
  const stream = response === null ? null : eventsOf(response);
  const words = wordsOf(exchange, stream);
  const scale = (at: number) => Math.round((at / longest) * WIDTH);
  const first = scale(response?.pieces[0]?.at ?? end.at);
  const last = Math.max(scale(end.at), first);
  // At least two units wide, so that a short body stays visible.
  const body =
    response === null
      ? null
      : html`<rect class="body" x="${first}" y="4" width="${Math.max(last - first, 2)}" height="12"/>`;
  const ticks = response === null || stream === null ? null : eventTicks(response, stream, scale);
  return html`<div class="lane"><span class="id">${id}</span><svg viewBox="0 0 ${WIDTH + 4} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${`${id}: ${words}`}">
<rect class="wait" x="0" y="8" width="${first}" height="4"/>${body}${ticks}</svg><span class="time">${words}</span></div>`;
}

/** Events at the same pixel share a line. */
function eventTicks(response: HttpResponse, { events }: EventStream, scale: (at: number) => number): Markup {
  // An event that ends in no recorded piece has no time.
  const places = events.flatMap(({ end }) => arrivalTime(response.pieces, end) ?? []).map(scale);
  const path = [...new Set(places)].map((x) => `M${x} 0v${HEIGHT}`).join('');
  return html`<path class="event" d="${path}"/>`;
}

/** `first byte 12ms, 5 events, 2ms apart, end 19ms`. */
function wordsOf({ response, end }: Exchange, stream: EventStream | null): string {
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
