// An exchange that proves findings: the request, the answer, and the cited places highlighted in the body.
import type { Exchange, HttpResponse } from '../../../exchange/exchange.ts';
import type { Json } from '../../../exchange/http/body.ts';
import { decodedContent } from '../../../exchange/http/content.ts';
import {
  arrivalTime,
  type EventStream,
  eventsOf,
  type SseEvent,
} from '../../../exchange/http/event-stream.ts';

import type { Finding } from '../../../judge/verdict/verdict.ts';
import { excerptParts, memberOf, printable, tokensOfPointer, truncateText } from '../../failure/excerpt.ts';
import {
  answerLine,
  citedEvents,
  endingText,
  formatMilliseconds,
  headerLines,
  isTextBody,
  requestLine,
  shownFrames,
} from '../../failure/wire.ts';
import { html, type Markup } from '../markup.ts';
import { bodyExcerpt, type ExcerptLine } from './body-lines.ts';

/** Characters of a request, and of a text that is not JSON. */
const REQUEST = 320;
const TEXT = 400;
/** Characters of the cited value of an event. */
const FRAME = 160;
/** Characters of an expectation that stands beside a cited line. */
const EXPECTATION = 90;

/** Request, answer and evidence of one exchange. */
export function exchangeEvidence(exchange: Exchange, findings: readonly Finding[]): Markup {
  const { id, response, end } = exchange;
  const request = html`<p class="line sent">${requestLine(exchange, REQUEST)}<span class="id">${id}</span></p>`;
  if (response === null)
    return html`${request}<p class="line received"><mark>${`no answer: ${endingText(exchange)}`}</mark></p>`;
  // A stream is shown by its events, anything else by its body.
  const stream = eventsOf(response);
  const answer = answerLine(response, stream, end.at);
  // A cause is about the statuses of valid requests.
  const isStatus = findings.some(({ at }) => at === 'status' || at.startsWith('valid requests'));
  const headers = headerLines(response, findings).map(
    (line) => html`<p class="line"><mark>${truncateText(line, REQUEST)}</mark></p>`,
  );
  const ending =
    end.how === 'complete' ? null : html`<p class="line"><mark>${endingText(exchange)}</mark></p>`;
  return html`${request}<p class="line received">${isStatus ? html`<mark>${answer}</mark>` : answer}</p>${headers}
${stream === null ? body(response, findings) : frames(response, stream, findings)}${ending}`;
}

/** The body of an answer: JSON around the cited places, or the beginning of a text. */
function body(response: HttpResponse, findings: readonly Finding[]): Markup | null {
  const content = decodedContent(response);
  if (content === null || content.size === 0) return null;
  if (content.json === null) {
    const text = isTextBody(response) ? content.text : null;
    return text === null
      ? null
      : html`<pre tabindex="0" aria-label="Body">${truncateText(printable(text.slice(0, TEXT)), TEXT)}</pre>`;
  }
  const cited = findings.flatMap(({ at }) => {
    const tokens = tokensOfPointer(at);
    return tokens === null ? [] : [tokens];
  });
  // The expected value is shown beside the actual one where there is one finding; otherwise the table above has the pairs.
  const [only, ...others] = findings;
  const expected = only === undefined || others.length > 0 ? null : only.expected;
  const lines = bodyExcerpt(content.json.value, cited);
  return html`<pre tabindex="0" aria-label="Body, cited places are marked">${lines.map((line) => bodyLine(line, expected))}</pre>`;
}

/** A line of a body; the cited one with what was expected there, where `expected` is known. */
function bodyLine({ depth, text, mark }: ExcerptLine, expected: string | null): Markup {
  const indent = '  '.repeat(depth);
  if (mark === null)
    return html`${indent}${text}
`;
  const wanted =
    expected === null
      ? null
      : html` <ins>${`← expected ${truncateText(printable(expected), EXPECTATION)}`}</ins>`;
  return html`${indent}<mark class="${mark}">${text}</mark>${wanted}
`;
}

/** Whether nothing stands at a place of a JSON value. */
function isAbsent(value: Json, tokens: readonly string[]): boolean {
  let at: Json | undefined = value;
  for (const token of tokens) at = at === undefined ? undefined : memberOf(at, token);
  return at === undefined;
}

/** The cited events of a stream, with the milliseconds since the request began. */
function frames(response: HttpResponse, stream: EventStream, findings: readonly Finding[]): Markup {
  // By number of the event, which findings name in words.
  const cited = citedEvents(findings);
  const wrong = eventsAtFault(findings);
  const rows = shownFrames(stream, cited).map((event) => {
    const at = arrivalTime(response.pieces, event.end);
    const stamp = `${event.n}${at === null ? '' : ` +${formatMilliseconds(at)}`}`;
    const name = event.event === '' ? '' : `${printable(event.event)}: `;
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

/** Numbers of the events whose place is that of a finding; an event that an expectation names is not wrong. */
function eventsAtFault(findings: readonly Finding[]): ReadonlySet<number> {
  return new Set(
    findings.flatMap(({ at }) =>
      [...at.matchAll(/\b(?:event|chunk|frame)s? (\d+)/g)].map(([, n]) => Number(n)),
    ),
  );
}

/** The data of an event, around the cited place. */
function frame(event: SseEvent, tokens: readonly string[] | null, mark: 'marked' | 'plain'): Markup {
  if (event.json === null || tokens === null || tokens.length === 0)
    return html`${truncateText(printable(event.data), FRAME)}`;
  const { value } = event.json;
  if (isAbsent(value, tokens)) {
    const data = truncateText(printable(event.data), FRAME);
    return html`${data} <mark class="missing">${`${tokens.at(-1)}: nothing`}</mark>`;
  }
  const { before, cited, after } = excerptParts(value, tokens, FRAME);
  return html`${before}${mark === 'marked' ? html`<mark>${cited}</mark>` : cited}${after}`;
}
