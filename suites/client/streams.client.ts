// How clients read streams, and how they react if the disturber truncates one.
import { DISTURBED_FIELD, LOST_STREAMS, MIN_REUSED_LENGTH } from '../../exchange/disturbed.ts';
import { eventsOf, holdsText, isEventStream, streamedText } from '../../exchange/http/event-stream.ts';
import { firstHeader } from '../../exchange/http/headers.ts';
import { isFromClient } from '../../judge/client/client-side.ts';
import { ownOperations } from '../../schemas/index.ts';
import { choiceOf, rowOf } from '../rows/rows.ts';
import { callsOperation, setValue } from '../vocabulary/changes.ts';
import { follow } from '../vocabulary/collecting.ts';
import { withHeader, withRequestJson } from '../vocabulary/exchanges.ts';
import { requests, where } from '../vocabulary/selectors.ts';
import type { Call, Collector, Evidence, Exchange, Mutation } from '../vocabulary/types.ts';

/** A truncated stream, and its text if a later request sends it as if it were complete; otherwise null. */
interface HalfEvidence extends Evidence {
  readonly half: string | null;
}

/** A stream that the disturber truncated, and its text. */
interface Half {
  readonly call: Call;
  readonly text: string;
}

const MAX_HALVES = 100;

class HalfCollector implements Collector<HalfEvidence> {
  #halves: readonly Half[] = [];

  *call(call: Call): Generator<HalfEvidence> {
    const { exchange } = call;
    if (!isFromClient(exchange)) return;
    const used = this.#halves.filter((half) => isContinued(half, call));
    for (const half of used) yield { exchanges: [half.call.exchange, exchange], half: half.text };
    this.#forget((half) => used.includes(half));
    const text = textOf(exchange);
    if (text === null) {
      this.#forget((half) => holdsText(call.responseJson, half.text));
    } else if (isCut(exchange) && text.length >= MIN_REUSED_LENGTH && this.#halves.length < MAX_HALVES) {
      this.#halves = [...this.#halves, { call, text }];
    } else {
      this.#forget((half) => half.text === text);
      yield { exchanges: [exchange], half: null };
    }
  }

  *finish(): Generator<HalfEvidence> {
    for (const { call } of this.#halves) yield { exchanges: [call.exchange], half: null };
  }

  /** A text that a complete response contains as well is not a truncated one. */
  #forget(isWhole: (half: Half) => boolean): void {
    if (this.#halves.length > 0) this.#halves = this.#halves.filter((half) => !isWhole(half));
  }
}

function isContinued({ call, text }: Half, { exchange, requestJson }: Call): boolean {
  return call.exchange.ended <= exchange.after && holdsText(requestJson, text);
}

function isCut({ response }: Exchange): boolean {
  return response !== null && LOST_STREAMS.includes(firstHeader(response.headers, DISTURBED_FIELD) ?? '');
}

function textOf({ response }: Exchange): string | null {
  if (response === null || response.status >= 300 || !isEventStream(response)) return null;
  return (eventsOf(response)?.events ?? []).map(({ json }) => streamedText(json?.value)).join('');
}

/** Cuts the first stream, and sends its text in the next request. */
const continueTruncated: Mutation = (trace) => {
  const chats = trace.filter((one) => isFromClient(one) && callsOperation(one, 'createChatCompletion'));
  for (const stream of chats) {
    const text = textOf(stream) ?? '';
    const later = chats.find((one) => one.after >= stream.ended);
    if (text.length < MIN_REUSED_LENGTH || later === undefined) continue;
    const messages = [
      { role: 'assistant', content: text },
      { role: 'user', content: 'Go on.' },
    ];
    return trace.map((one) => {
      if (one === stream) return withHeader(one, DISTURBED_FIELD, 'cut-stream');
      return one === later ? withRequestJson(one, setValue('/messages', messages)) : one;
    });
  }
  return null;
};

/**
 * A SHOULD, and only for streams that were cut on purpose: a client may stop a stream itself and continue with the
 * received part. The text counts only as a whole string of a later request, so neither a note about the interruption
 * nor a text that was requested again is reported.
 */
export const streamsWhole = rowOf<HalfEvidence>('client.streams.whole', {
  evidence: follow(
    ownOperations().map(({ id }) => id),
    () => new HalfCollector(),
  ),
  broken_by: { 'half a text in the next request': continueTruncated },
});

const STREAMING_OPERATIONS = ['createChatCompletion', 'createCompletion', 'createRun', 'createThreadAndRun'];

/** A client that hangs up after the last event has read all of the stream. */
export const streamsRead = choiceOf('client.streams.read', {
  selector: where(
    requests(STREAMING_OPERATIONS),
    ({ call: { exchange } }) => isFromClient(exchange) && textOf(exchange) !== null,
  ),
  taken: ({ call: { exchange } }) => {
    const last = exchange.response === null ? undefined : eventsOf(exchange.response)?.events.at(-1);
    if (exchange.end.how === 'complete' || last?.data.trim() === '[DONE]') return 'to-the-end';
    return exchange.end.how === 'client-abort' ? 'hung-up' : null;
  },
});
