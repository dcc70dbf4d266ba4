import type { Json } from '../../../exchange/body.ts';
import { decoded } from '../../../exchange/content.ts';
import { events } from '../../../exchange/events.ts';
import type { Exchange } from '../../../exchange/exchange.ts';
import { isNote } from '../../../exchange/trace.ts';
import { Call } from '../../call.ts';
import { withAnswer } from '../../edit/exchanges.ts';
import { reframe, withEvents } from '../../edit/streams.ts';
import { put } from '../../edit/values.ts';
import { dueShape } from '../../schema/due.ts';
import { schemaOf } from '../../schema/examiner.ts';
import { kindOf } from '../../schema/kinds.ts';
import { carriedTrees } from '../../schema/library.ts';
import type { Node } from '../../schema/node.ts';
import { walk } from '../../schema/walk.ts';
import type { Benign } from './benign.ts';

const EXTRA: Json = { nobody: ['asked', 1, null] };

/** An unknown field in every object of every answer; only maps, whose keys are data, are left as they are. */
export function extraFields(betaHeader: string): Benign {
  return {
    name: 'an unknown field in every object',
    apply: (items) => items.map((item) => (isNote(item) ? item : extend(item, betaHeader))),
  };
}

function extend(exchange: Exchange, betaHeader: string): Exchange {
  const call = Call.of(exchange, betaHeader);
  const shape = call?.outcome === 'accepted' ? dueShape(call) : null;
  if (shape === null || exchange.response === null) return exchange;
  const { schema, events: known } = shape;
  if (schema !== null && decoded(exchange.response)?.json)
    return withAnswer(exchange, (value) => grown(schema, value));
  const told = events(exchange.response)?.events;
  if (known === null || told === undefined) return exchange;
  return withEvents(exchange, (frames) =>
    frames.map((frame, i) => {
      const event = told[i];
      const name = event === undefined ? null : schemaOf(event, known);
      return name === null ? frame : reframe(frame, (value) => grown(name, value));
    }),
  );
}

function grown(schema: string, value: Json): Json {
  const places = new Set<string>();
  const maps = new Set<string>();
  walk(carriedTrees(), schema, value, {
    visit: (node, here, at) => {
      if (kindOf(here) !== 'object') return;
      if (isMap(node)) maps.add(at);
      else if (node.members.length > 0) places.add(at);
    },
    breach: () => {},
  });
  return [...places]
    .filter((at) => !maps.has(at))
    .reduce((changed, at) => put(`${at}/x_unknown_field`, EXTRA)(changed), value);
}

function isMap(node: Node): boolean {
  return node.values !== null || node.keys !== null;
}
