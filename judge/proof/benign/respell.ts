import { Body, type Json } from '../../../exchange/body.ts';
import { decoded } from '../../../exchange/content.ts';
import type { Exchange } from '../../../exchange/exchange.ts';
import { withBody } from '../../edit/exchanges.ts';
import { type Frame, frameWith, withEvents } from '../../edit/streams.ts';

/** The exchange with every JSON value of its answer written anew: bodies and the data of events. */
export function respell(exchange: Exchange, write: (value: Json) => string): Exchange {
  const streamed = withEvents(exchange, (frames) => frames.map((frame) => respellFrame(frame, write)));
  if (streamed !== exchange || exchange.response === null) return streamed;
  const json = isJsonAnswer(exchange) ? decoded(exchange.response)?.json : null;
  return json ? withBody(exchange, write(json.value)) : exchange;
}

/** The exchange with its JSON request written anew. */
export function respellAsked(exchange: Exchange, write: (value: Json) => string): Exchange {
  const { json } = exchange.request.body;
  if (json === null) return exchange;
  return { ...exchange, request: { ...exchange.request, body: Body.of(write(json.value)) } };
}

/** Content of files may happen to be JSON; it is not ours to change. */
export function isJsonAnswer({ request }: Exchange): boolean {
  return !/^\/v1\/files\/[^/]+\/content/.test(request.target);
}

function respellFrame(frame: Frame, write: (value: Json) => string): Frame {
  let value: Json;
  try {
    value = JSON.parse(frame.data);
  } catch {
    return frame;
  }
  return frameWith(frame.event, write(value));
}
