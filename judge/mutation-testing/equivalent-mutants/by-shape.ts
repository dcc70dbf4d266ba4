// Equivalent mutants that need the schema of a value, such as extra fields in objects but not in maps.
import type { Exchange } from '../../../exchange/exchange.ts';
import type { Json } from '../../../exchange/http/body.ts';
import { decodedContent } from '../../../exchange/http/content.ts';
import { eventsOf } from '../../../exchange/http/event-stream.ts';
import { withResponseJson } from '../../mutations/exchanges.ts';
import { editFrame, withEvents } from '../../mutations/streams.ts';
import { expectedShape } from '../../schema/expected-shape.ts';
import { eventSchemaOf } from '../../schema/response-evaluator.ts';
import { Call } from '../../trace/call.ts';
import { type EquivalentMutant, inEachExchange } from './equivalent-mutant.ts';

/** Changes every response and every known event, given the name of its schema. */
export function byShape(
  name: string,
  betaHeader: string,
  change: (schema: string, value: Json) => Json,
): EquivalentMutant {
  return inEachExchange(name, (exchange) => changed(exchange, betaHeader, change));
}

/**
 * The exchange with its JSON changed; unchanged for errors and for responses whose schema the request does
 * not determine.
 */
function changed(
  exchange: Exchange,
  betaHeader: string,
  change: (schema: string, value: Json) => Json,
): Exchange {
  const call = Call.of(exchange, betaHeader);
  const shape = call?.responseClass === 'accepted' ? expectedShape(call) : null;
  if (shape === null || exchange.response === null) return exchange;
  const { schema, events: known } = shape;
  if (schema !== null && decodedContent(exchange.response)?.json)
    return withResponseJson(exchange, (value) => change(schema, value));
  const events = eventsOf(exchange.response)?.events;
  if (known === null || events === undefined) return exchange;
  return withEvents(exchange, (frames) =>
    frames.map((frame, i) => {
      const event = events[i];
      const name = event === undefined ? null : eventSchemaOf(event, known);
      return name === null ? frame : editFrame(frame, (value) => change(name, value));
    }),
  );
}
