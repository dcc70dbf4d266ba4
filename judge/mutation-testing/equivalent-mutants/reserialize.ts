// Writes the JSON of an exchange anew, in bodies and in the data of events.
import type { Exchange } from '../../../exchange/exchange.ts';
import { Body, type Json } from '../../../exchange/http/body.ts';
import { decodedContent } from '../../../exchange/http/content.ts';
import { withBody } from '../../mutations/exchanges.ts';
import { frameWithData, type StreamFrame, withEvents } from '../../mutations/streams.ts';

/** The exchange with every JSON value of its answer written anew: bodies and the data of events. */
export function reserializeResponse(exchange: Exchange, write: (value: Json) => string): Exchange {
  const streamed = withEvents(exchange, (frames) => frames.map((frame) => respellFrame(frame, write)));
  // `withEvents` returns the same object for a response that is not a stream.
  if (streamed !== exchange || exchange.response === null) return streamed;
  const json = isJsonResponse(exchange) ? decodedContent(exchange.response)?.json : null;
  return json ? withBody(exchange, write(json.value)) : exchange;
}

/** The exchange with its JSON request written anew. */
export function reserializeRequest(exchange: Exchange, write: (value: Json) => string): Exchange {
  const { json } = exchange.request.body;
  if (json === null) return exchange;
  return { ...exchange, request: { ...exchange.request, body: Body.of(write(json.value)) } };
}

/** False for the content of files, which may happen to be JSON but must stay unchanged. */
export function isJsonResponse({ request }: Exchange): boolean {
  return !/^\/v1\/files\/[^/]+\/content/.test(request.target);
}

/** The event with its data written anew; the same event if they are not JSON. */
function respellFrame(frame: StreamFrame, write: (value: Json) => string): StreamFrame {
  let value: Json;
  try {
    value = JSON.parse(frame.data);
  } catch {
    return frame;
  }
  return frameWithData(frame.event, write(value));
}
