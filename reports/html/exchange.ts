import type { Exchange, HttpResponse } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { decodedContent } from '../../exchange/http/content.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import type { EventStream, SseEvent } from '../../exchange/http/sse-reader.ts';
import { printable, truncateText } from '../../exchange/printable.ts';
import type { Finding } from '../../judge/verdict/verdict.ts';
import { citesStatus } from '../failure/broken-items.ts';
import { excerptParts, memberOf, parsePlace } from '../failure/excerpt.ts';
import {
  answerLine,
  citedEvents,
  endingText,
  eventHead,
  eventNumbersIn,
  headerLines,
  isTextBody,
  requestLine,
  shownEvents,
} from '../failure/wire.ts';
import { bodyExcerpt, type ExcerptLine } from './body-excerpt.ts';
import { html, type Markup, type MarkupPart } from './markup.ts';

/** Lengths in characters to which texts are truncated; in the line of a request, only its body is. */
const LINE_LENGTH = 320;
const TEXT_LENGTH = 400;
const EVENT_LENGTH = 160;
const EXPECTATION_LENGTH = 90;

export function exchangeEvidence(exchange: Exchange, findings: readonly Finding[]): Markup {
  const { id, response, end } = exchange;
  const request = html`<p class="line sent">${requestLine(exchange, LINE_LENGTH)}<span class="id">${id}</span></p>`;
  if (response === null)
    return html`${request}<p class="line received"><mark>${`no answer: ${endingText(exchange)}`}</mark></p>`;
  const stream = eventsOf(response);
  const answer = answerLine(response, stream, end.at);
  const isStatusCited = findings.some(citesStatus);
  const headers = headerLines(response, findings).map(
    (line) => html`<p class="line"><mark>${truncateText(line, LINE_LENGTH)}</mark></p>`,
  );
  const ending =
    end.how === 'complete' ? null : html`<p class="line"><mark>${endingText(exchange)}</mark></p>`;
  return html`${request}<p class="line received">${isStatusCited ? html`<mark>${answer}</mark>` : answer}</p>${headers}
${stream === null ? bodyView(response, findings) : eventsView(response, stream, findings)}${ending}`;
}

function bodyView(response: HttpResponse, findings: readonly Finding[]): Markup | null {
  const content = decodedContent(response);
  if (content === null || content.size === 0) return null;
  if (content.json === null) {
    const text = isTextBody(response) ? content.text : null;
    if (text === null) return null;
    return html`<pre tabindex="0" aria-label="Body">${truncateText(printable(text.slice(0, TEXT_LENGTH + 1)), TEXT_LENGTH)}</pre>`;
  }
  const cited = findings.map(({ at }) => parsePlace(at)).filter((tokens) => tokens !== null);
  // With one finding the expected value is next to the actual one; otherwise the table above has both.
  const expected = findings.length === 1 ? (findings[0]?.expected ?? null) : null;
  const lines = bodyExcerpt(content.json.value, cited);
  const label = lines.every(({ mark }) => mark === null) ? 'Body' : 'Body with cited places marked';
  return html`<pre tabindex="0" aria-label="${label}">${lines.map((line) => bodyLine(line, expected))}</pre>`;
}

function bodyLine({ depth, text, mark }: ExcerptLine, expected: string | null): MarkupPart {
  const indent = '  '.repeat(depth);
  if (mark === null) return `${indent}${text}\n`;
  const expectation =
    expected === null
      ? null
      : html` <ins>${`← expected ${truncateText(printable(expected), EXPECTATION_LENGTH)}`}</ins>`;
  return html`${indent}<mark class="${mark}">${text}</mark>${expectation}
`;
}

function eventsView(response: HttpResponse, stream: EventStream, findings: readonly Finding[]): Markup {
  const cited = citedEvents(stream, findings);
  const atFault = eventsAtFault(findings);
  const rows = shownEvents(stream, cited).map((event) => {
    const { stamp, name } = eventHead(event, response);
    return html`<span class="stamp">${stamp.padStart(10)}</span>  ${name}${eventView(event, cited.get(event.n) ?? null, atFault.size === 0 || atFault.has(event.n))}
`;
  });
  const incompleteEvent =
    stream.rest === null
      ? null
      : html`<span class="stamp">${'cut off'.padStart(10)}</span>  ${truncateText(printable(stream.rest.data), TEXT_LENGTH)}
`;
  return html`<pre tabindex="0" aria-label="Events">${rows}${incompleteEvent}</pre>`;
}

/** Leaves out events that only an expected or actual value mentions. */
function eventsAtFault(findings: readonly Finding[]): ReadonlySet<number> {
  return new Set(findings.flatMap(({ at }) => eventNumbersIn(at)));
}

function eventView(event: SseEvent, tokens: readonly string[] | null, isMarked: boolean): MarkupPart {
  if (event.json === null || tokens === null || tokens.length === 0)
    return truncateText(printable(event.data), EVENT_LENGTH);
  const { value } = event.json;
  if (isAbsent(value, tokens)) {
    const data = truncateText(printable(event.data), EVENT_LENGTH);
    return html`${data} <mark class="missing">${`${tokens.at(-1)}: nothing`}</mark>`;
  }
  const { before, cited, after } = excerptParts(value, tokens, EVENT_LENGTH);
  return [before, isMarked ? html`<mark>${cited}</mark>` : cited, after];
}

function isAbsent(value: Json | undefined, [token, ...inner]: readonly string[]): boolean {
  if (value === undefined || token === undefined) return value === undefined;
  return isAbsent(memberOf(value, token), inner);
}
