// Mutants of requirements on responses: every constraint is broken at some of the places where the trace keeps
// it.

import type { Exchange } from '../../../exchange/exchange.ts';
import type { Json } from '../../../exchange/http/body.ts';
import { decodedContent } from '../../../exchange/http/content.ts';
import { eventsOf } from '../../../exchange/http/event-stream.ts';
import { operations } from '../../../schemas/index.ts';
import { isJsonObject } from '../../../schemas/json.ts';
import { withBody, withHeader, withResponseJson } from '../../mutations/exchanges.ts';
import { editFrame, frameWithData, withEvents } from '../../mutations/streams.ts';
import type { Edit } from '../../mutations/values.ts';
import type { BaselineTrace, Mutant } from '../../requirements/catalogue.ts';
import {
  carriedConstraints,
  carriedTrees,
  isTextEvent,
  responseInspector,
} from '../../schema/carried-schemas.ts';
import type { SchemaConstraint } from '../../schema/constraints.ts';
import { expectedShape } from '../../schema/expected-shape.ts';
import { jsonKindOf } from '../../schema/json-kinds.ts';
import { eventSchemaOf } from '../../schema/response-evaluator.ts';
import type { SchemaNode } from '../../schema/tree/node.ts';
import { extendPointer } from '../../schema/tree/steps.ts';
import { walkTree } from '../../schema/tree/walk.ts';
import type { Call } from '../../trace/call.ts';
import { schemaMutationsOf } from './schema-mutations.ts';

/** Places at which each constraint is broken. */
const PLACES = 3;

/** A place where a constraint is kept. */
interface Occurrence {
  readonly exchange: Exchange;
  /** Index of the event; null if the whole body is meant. */
  readonly event: number | null;
  /** JSON pointer in the body or in the data of the event. */
  readonly at: string;
  readonly value: Json | undefined;
}

/**
 * Breaks every constraint of a response schema at up to three places, and the media type and JSON of each
 * response.
 */
export function* schemaMutants(baseline: BaselineTrace): Generator<Mutant> {
  const ids = operations().map(({ id }) => id);
  const calls = baseline.calls(ids).filter(({ responseClass: outcome }) => outcome === 'accepted');
  const places = new Places();
  for (const call of calls) visit(call, places);
  for (const [id, constraint] of carriedConstraints()) {
    if (!baseline.proved.has(id)) continue;
    for (const [n, place] of places.of(constraint).entries()) {
      for (const { kind, name, edit } of schemaMutationsOf(constraint, place.at, place.value)) {
        const where = `${name} at place ${n + 1}`;
        yield { requirement: id, kind, name: where, exchanges: [edited(place, edit)] };
      }
    }
  }
  for (const operation of ids) yield* envelopes(operation, baseline);
}

/** Collects where each constraint is kept, in as many exchanges as there are. */
class Places {
  readonly #byNode = new Map<SchemaNode, SchemaConstraint[]>();
  readonly #found = new Map<SchemaConstraint, Occurrence[]>();

  constructor() {
    for (const constraint of carriedConstraints().values()) {
      this.#byNode.set(constraint.node, [...(this.#byNode.get(constraint.node) ?? []), constraint]);
    }
  }

  /** The places of a constraint; empty where the trace does not reach it. */
  of(constraint: SchemaConstraint): readonly Occurrence[] {
    return this.#found.get(constraint) ?? [];
  }

  /** A node is visited: its constraints are kept here, or at the property that they are about. */
  visit(node: SchemaNode, value: Json, at: string, where: Pick<Occurrence, 'exchange' | 'event'>): void {
    for (const rule of node.rules) {
      if (responseInspector().holds(rule.condition, value)) this.visit(rule.node, value, at, where);
    }
    for (const constraint of this.#byNode.get(node) ?? []) {
      if (!constraint.kinds.includes(jsonKindOf(value))) continue;
      const known = this.#found.get(constraint) ?? [];
      // Places in different exchanges find more: elements of one array are usually made by the same code.
      const isFresh = known.every(({ exchange }) => exchange !== where.exchange);
      // Of an exchange with several the first place is taken, of the second exchange the last.
      const isLater = known.length === 2 && known[1]?.exchange === where.exchange;
      if (!isLater && (known.length >= PLACES || !isFresh)) continue;
      const last = constraint.steps.length > node.steps.length ? constraint.steps.at(-1) : undefined;
      const name = last?.step === 'property' ? last.name : null;
      const place =
        name === null ? { at, value } : { at: extendPointer(at, name), value: member(value, name) };
      this.#found.set(constraint, [...(isLater ? known.slice(0, 1) : known), { ...where, ...place }]);
    }
  }
}

/** Collects the places of one call: its body, or the data of its events. */
function visit(call: Call, places: Places): void {
  const { exchange } = call;
  const shape = expectedShape(call);
  if (shape === null || exchange.response === null) return;
  // Visits follow the same tree as the judge, so only places that it judges are changed.
  const see = (schema: string, value: Json, event: number | null): void =>
    walkTree(carriedTrees(), schema, value, {
      visit: (node, here, at) => places.visit(node, here, at, { exchange, event }),
      breach: () => {},
    });
  const json = decodedContent(exchange.response)?.json;
  if (shape.schema !== null && json) see(shape.schema, json.value, null);
  if (shape.events === null) return;
  for (const [i, event] of (eventsOf(exchange.response)?.events ?? []).entries()) {
    const schema = eventSchemaOf(event, shape.events);
    if (schema === null) continue;
    const value = isTextEvent(schema) ? event.data : event.json?.value;
    if (value !== undefined) see(schema, value, i);
  }
}

/** The exchange with one place changed. */
function edited({ exchange, event, value }: Occurrence, edit: Edit): Exchange {
  if (event === null) return withResponseJson(exchange, edit);
  return withEvents(exchange, (frames) =>
    frames.map((frame, i) => {
      if (i !== event) return frame;
      const changed = editFrame(frame, edit);
      // Data that are not JSON are edited as text.
      return changed !== frame || typeof value !== 'string'
        ? changed
        : frameWithData(frame.event, String(edit(value)));
    }),
  );
}

/** Mutants of the media type and of the JSON of an operation's responses. */
function* envelopes(operation: string, baseline: BaselineTrace): Generator<Mutant> {
  const kind = 'unreadable';
  const calls = baseline.calls([operation]).filter(({ responseClass: outcome }) => outcome === 'accepted');
  const plain = calls.find((call) => expectedShape(call)?.schema != null)?.exchange;
  const stream = calls.find((call) => expectedShape(call)?.events != null)?.exchange;
  const whole = { [`${operation}:answer`]: plain, [`${operation}:stream`]: stream };
  for (const [part, exchange] of Object.entries(whole)) {
    if (exchange === undefined) continue;
    const label = `${part}#contentType`;
    // The content stays valid: only the media type is wrong, so no other requirement can kill the mutant.
    const labelled = (value: string | null) => [withHeader(exchange, 'content-type', value)];
    yield { requirement: label, kind: 'wrong label', name: 'as HTML', exchanges: labelled('text/html') };
    yield { requirement: label, kind: 'wrong label', name: 'as text', exchanges: labelled('text/plain') };
    yield { requirement: label, kind: 'no label', name: 'without a label', exchanges: labelled(null) };
  }
  if (plain !== undefined) {
    const rule = `${operation}:answer#json`;
    yield { requirement: rule, kind, name: 'nothing', exchanges: [withBody(plain, '')] };
    yield { requirement: rule, kind, name: 'half of it', exchanges: [withBody(plain, '{"id": "half')] };
    yield { requirement: rule, kind, name: 'words', exchanges: [withBody(plain, 'all is well')] };
  }
  if (stream !== undefined) {
    const rule = `${operation}:stream#json`;
    // Later events stay valid, so that the mutant shows whether each event is read and not only the stream as
    // a whole.
    const first = (data: string) => [
      withEvents(stream, ([one, ...others]) =>
        one === undefined ? [] : [frameWithData(one.event, data), ...others],
      ),
    ];
    yield { requirement: rule, kind, name: 'half of the first event', exchanges: first('{"id": "half') };
    yield { requirement: rule, kind, name: 'words in the first event', exchanges: first('all is well') };
  }
}

/** The value of a property; undefined if it is absent. */
function member(value: Json, name: string): Json | undefined {
  if (!isJsonObject(value)) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}
