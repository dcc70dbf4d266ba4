// Streams that were cut short, and what a client does with the half that it has.
import { DISTURBED_FIELD, LOST_STREAMS, SHORTEST_HALF } from '../../exchange/disturbed.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { eventsOf, holdsText, isEventStream, streamedText } from '../../exchange/http/event-stream.ts';
import { firstHeader } from '../../exchange/http/headers.ts';

import { isOfClient } from '../../judge/client/client-side.ts';
import type { RequestEvidence } from '../../judge/evidence/calls.ts';
import { section } from '../../judge/requirements/define.ts';
import type { Collector, Mutation, Selector } from '../../judge/requirements/requirement.ts';
import { type Call, operationOf } from '../../judge/trace/call.ts';
import { withHeader } from '../../proof/mutations/exchanges.ts';
import { withRequestJson } from '../../proof/mutations/requests.ts';
import { setValue } from '../../proof/mutations/values.ts';
import { ownOperations } from '../../schemas/index.ts';

const { implied } = section('2 Chat completions');

/** Half a stream, and the later request that takes its text for the whole; null where none does. */
interface HalfEvidence extends RequestEvidence {
  readonly half: string | null;
}

/** Streams that were cut short and are remembered. */
const MOST = 100;
/** A cut stream in a trace. */
interface Half {
  readonly call: Call;
  readonly text: string;
}

/** Every operation: what a stream said may be sent anywhere. */
const EVERY = ownOperations().map(({ id }) => id);

/** Each stream of a client, as soon as nothing can be said against it any more. */
const halves: Selector<HalfEvidence> = {
  operations: EVERY,
  variant: null,
  collect: () => new HalfCollector(),
};

/** Remembers streams that were cut, and looks for their texts in later requests. */
class HalfCollector implements Collector<HalfEvidence> {
  #open: readonly Half[] = [];

  *call(call: Call): Generator<HalfEvidence> {
    const { exchange } = call;
    if (!isOfClient(exchange)) return;
    for (const half of this.#open.filter((one) => isUsed(one, call))) {
      this.#open = this.#open.filter((one) => one !== half);
      const exchanges = [half.call.exchange, exchange];
      yield { exchanges, call, asked: call.requestJson, half: half.text };
    }
    const text = textOf(exchange);
    if (text === null) {
      this.#forget((half) => holdsText(call.responseJson, half.text));
    } else if (isCut(exchange) && text.length >= SHORTEST_HALF && this.#open.length < MOST) {
      this.#open = [...this.#open, { call, text }];
    } else {
      this.#forget((half) => half.text === text);
      yield innocent(call);
    }
  }

  *finish(): Generator<HalfEvidence> {
    for (const { call } of this.#open) yield innocent(call);
  }

  /** A text that a whole answer holds as well is not a half. */
  #forget(isWhole: (half: Half) => boolean): void {
    if (this.#open.length > 0) this.#open = this.#open.filter((half) => !isWhole(half));
  }
}

/** A stream of which no request takes a half for the whole. */
function innocent(call: Call): HalfEvidence {
  return { exchanges: [call.exchange], call, asked: call.requestJson, half: null };
}

/** Whether a request holds the text of a stream that had ended before. */
function isUsed({ call, text }: Half, { exchange, requestJson }: Call): boolean {
  return call.exchange.ended <= exchange.after && holdsText(requestJson, text);
}

/** Whether a stream was cut short on purpose. */
function isCut({ response }: Exchange): boolean {
  return response !== null && LOST_STREAMS.includes(firstHeader(response.headers, DISTURBED_FIELD) ?? '');
}

/** The text of a stream; null for other answers. */
function textOf({ response }: Exchange): string | null {
  if (response === null || response.status >= 300 || !isEventStream(response)) return null;
  return (eventsOf(response)?.events ?? []).map(({ json }) => streamedText(json?.value)).join('');
}

/** Cuts a stream of a chat, and lets a later chat go on with its text; null where the trace has no such pair. */
const goesOn: Mutation = (trace) => {
  const isChat = (exchange: Exchange) =>
    isOfClient(exchange) && operationOf(exchange.request)?.operation.id === 'createChatCompletion';
  const streams = trace.filter((one) => isChat(one) && (textOf(one)?.length ?? 0) >= SHORTEST_HALF);
  for (const stream of streams) {
    const later = trace.find((one) => isChat(one) && one.after >= stream.ended);
    if (later === undefined) continue;
    const messages = [
      { role: 'assistant', content: textOf(stream) },
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
 * A SHOULD, and only of streams that were cut on purpose: a client that stops a stream may well go on with what it has. A text counts
 * where it is the whole of a string of a later request: a note on the interruption does not count, nor does a text that was
 * asked for again.
 */
export const clientStreamsWhole = implied('client.streams.whole', {
  level: 'SHOULD',
  says: 'A client does not go on with half a stream as if it were whole.',
  selector: halves,
  check: ({ half }) =>
    half === null
      ? []
      : [{ at: 'request body', expected: 'no text of a stream that was cut short', actual: half }],
  mutations: { 'half a text in the next request': goesOn },
});
