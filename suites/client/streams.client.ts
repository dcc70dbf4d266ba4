import { DISTURBED_FIELD, STREAM_CUTS } from '../../exchange/disturbed.ts';
import { eventsOf, isEventStream } from '../../exchange/http/event-stream.ts';
import { firstHeader } from '../../exchange/http/headers.ts';
import { holdsText, MIN_REUSED_LENGTH, streamedText } from '../../exchange/http/streamed-text.ts';
import { isFromClient } from '../../judge/client/client-side.ts';
import { ownOperations } from '../../schemas/index.ts';
import { choiceOf, rowOf } from '../rows/rows.ts';
import { callsOperation, setValue } from '../vocabulary/changes.ts';
import { follow, precedes } from '../vocabulary/collecting.ts';
import { withHeader, withRequestJson } from '../vocabulary/exchanges.ts';
import { requests, where } from '../vocabulary/selectors.ts';
import type { Call, Collector, Evidence, Exchange, Mutation } from '../vocabulary/types.ts';

interface ReuseEvidence extends Evidence {
  /** The text of a truncated stream if a later request sends it as if it were complete; otherwise null. */
  readonly reusedText: string | null;
}

interface TruncatedStream {
  readonly call: Call;
  readonly text: string;
}

const MAX_STREAMS = 100;

class ReuseCollector implements Collector<ReuseEvidence> {
  #streams: readonly TruncatedStream[] = [];

  *call(call: Call): Generator<ReuseEvidence> {
    const { exchange } = call;
    if (!isFromClient(exchange)) return;
    const reused = this.#streams.filter((stream) => isContinued(stream, call));
    for (const stream of reused)
      yield { exchanges: [stream.call.exchange, exchange], reusedText: stream.text };
    this.#forget((stream) => reused.includes(stream));
    const text = textOf(exchange);
    if (text === null) {
      this.#forget((stream) => holdsText(call.responseJson, stream.text));
    } else if (isCut(exchange) && text.trim().length >= MIN_REUSED_LENGTH) {
      if (this.#streams.length < MAX_STREAMS) this.#streams = [...this.#streams, { call, text }];
    } else {
      this.#forget((stream) => stream.text === text);
      yield { exchanges: [exchange], reusedText: null };
    }
  }

  *finish(): Generator<ReuseEvidence> {
    for (const { call } of this.#streams) yield { exchanges: [call.exchange], reusedText: null };
  }

  /** Drops streams that no longer count: their reuse was reported, or a complete response contains the same text. */
  #forget(isDropped: (stream: TruncatedStream) => boolean): void {
    this.#streams = this.#streams.filter((stream) => !isDropped(stream));
  }
}

function isContinued({ call, text }: TruncatedStream, { exchange, requestJson }: Call): boolean {
  return precedes(call.exchange, exchange) && holdsText(requestJson, text);
}

function isCut({ response }: Exchange): boolean {
  return response !== null && STREAM_CUTS.includes(firstHeader(response.headers, DISTURBED_FIELD) ?? '');
}

function textOf({ response }: Exchange): string | null {
  if (response === null || response.status >= 300 || !isEventStream(response)) return null;
  return (eventsOf(response)?.events ?? []).map(({ json }) => streamedText(json?.value)).join('');
}

const continueTruncated: Mutation = (trace) => {
  const chats = trace.filter((one) => isFromClient(one) && callsOperation(one, 'createChatCompletion'));
  for (const stream of chats) {
    const text = textOf(stream) ?? '';
    const later = chats.find((one) => precedes(stream, one));
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
 * This is a SHOULD, and only for streams that were cut on purpose: a client may stop a stream itself and continue with
 * the received part. The text counts only as a whole string of a later request, so neither a note about the
 * interruption nor a text that was requested again is reported.
 */
export const streamsWhole = rowOf<ReuseEvidence>('client.streams.whole', {
  evidence: follow(
    ownOperations().map(({ id }) => id),
    () => new ReuseCollector(),
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
