import type { Json } from '../../../exchange/body.ts';
import { decoded } from '../../../exchange/content.ts';
import { events } from '../../../exchange/events.ts';
import type { Exchange } from '../../../exchange/exchange.ts';
import { Call } from '../../call.ts';
import { withAnswer } from '../../edit/exchanges.ts';
import { reframe, withEvents } from '../../edit/streams.ts';
import { dueShape } from '../../schema/due.ts';
import { schemaOf } from '../../schema/examiner.ts';
import { type Benign, ofEach } from './benign.ts';

/** A change of every answer, and of every known event, that knows the name of its schema. */
export function byShape(
  name: string,
  betaHeader: string,
  change: (schema: string, value: Json) => Json,
): Benign {
  return ofEach(name, (exchange) => changed(exchange, betaHeader, change));
}

function changed(
  exchange: Exchange,
  betaHeader: string,
  change: (schema: string, value: Json) => Json,
): Exchange {
  const call = Call.of(exchange, betaHeader);
  const shape = call?.outcome === 'accepted' ? dueShape(call) : null;
  if (shape === null || exchange.response === null) return exchange;
  const { schema, events: known } = shape;
  if (schema !== null && decoded(exchange.response)?.json)
    return withAnswer(exchange, (value) => change(schema, value));
  const told = events(exchange.response)?.events;
  if (known === null || told === undefined) return exchange;
  return withEvents(exchange, (frames) =>
    frames.map((frame, i) => {
      const event = told[i];
      const name = event === undefined ? null : schemaOf(event, known);
      return name === null ? frame : reframe(frame, (value) => change(name, value));
    }),
  );
}
