import type { Json } from '../../exchange/body.ts';
import { decoded } from '../../exchange/content.ts';
import { events } from '../../exchange/events.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { operations } from '../../schemas/index.ts';
import type { Call } from '../call.ts';
import type { GreenTrace, Mutant } from '../catalogue.ts';
import { withAnswer, withBody, withHeader } from '../edit/exchanges.ts';
import { frameWith, reframe, withEvents } from '../edit/streams.ts';
import type { Edit } from '../edit/values.ts';
import type { Constraint } from '../schema/constraints.ts';
import { dueShape } from '../schema/due.ts';
import { schemaOf } from '../schema/examiner.ts';
import { kindOf } from '../schema/kinds.ts';
import { answerInspector, carriedConstraints, carriedTrees, isText } from '../schema/library.ts';
import type { Node } from '../schema/node.ts';
import { pointer } from '../schema/steps.ts';
import { walk } from '../schema/walk.ts';
import { violations } from './violations.ts';

/** At how many places each constraint is broken. */
const PLACES = 3;

/** Where a constraint is kept. */
interface Occurrence {
  readonly exchange: Exchange;
  /** Index of the event, or null where the whole answer is meant. */
  readonly event: number | null;
  readonly at: string;
  readonly value: Json | undefined;
}

/** Breaks every constraint of a response schema at up to three places, and every label and form of an answer. */
export function* schemaMutants(green: GreenTrace): Generator<Mutant> {
  const ids = operations().map(({ id }) => id);
  const calls = green.calls(ids).filter(({ outcome }) => outcome === 'accepted');
  const places = new Places();
  for (const call of calls) visit(call, places);
  for (const [id, constraint] of carriedConstraints()) {
    if (!green.shown.has(id)) continue;
    for (const [n, place] of places.of(constraint).entries()) {
      for (const { kind, name, edit } of violations(constraint, place.at, place.value)) {
        const where = `${name} at place ${n + 1}`;
        yield { rule: id, kind, name: where, exchanges: [edited(place, edit)] };
      }
    }
  }
  for (const operation of ids) yield* envelopes(operation, green);
}

/** Collects where each constraint is kept, in as many exchanges as there are. */
class Places {
  readonly #byNode = new Map<Node, Constraint[]>();
  readonly #found = new Map<Constraint, Occurrence[]>();

  constructor() {
    for (const constraint of carriedConstraints().values()) {
      this.#byNode.set(constraint.node, [...(this.#byNode.get(constraint.node) ?? []), constraint]);
    }
  }

  of(constraint: Constraint): readonly Occurrence[] {
    return this.#found.get(constraint) ?? [];
  }

  /** A node is visited: its constraints are kept here, or at the property that they are about. */
  visit(node: Node, value: Json, at: string, where: Pick<Occurrence, 'exchange' | 'event'>): void {
    for (const rule of node.rules) {
      if (answerInspector().holds(rule.condition, value)) this.visit(rule.node, value, at, where);
    }
    for (const constraint of this.#byNode.get(node) ?? []) {
      if (!constraint.kinds.includes(kindOf(value))) continue;
      const known = this.#found.get(constraint) ?? [];
      const isFresh = known.every(({ exchange }) => exchange !== where.exchange);
      // Of an exchange with several the first place is taken, of the second exchange the last.
      const isLater = known.length === 2 && known[1]?.exchange === where.exchange;
      if (!isLater && (known.length >= PLACES || !isFresh)) continue;
      const last = constraint.steps.length > node.steps.length ? constraint.steps.at(-1) : undefined;
      const name = last?.step === 'property' ? last.name : null;
      const place = name === null ? { at, value } : { at: pointer(at, name), value: member(value, name) };
      this.#found.set(constraint, [...(isLater ? known.slice(0, 1) : known), { ...where, ...place }]);
    }
  }
}

function visit(call: Call, places: Places): void {
  const { exchange } = call;
  const shape = dueShape(call);
  if (shape === null || exchange.response === null) return;
  const see = (schema: string, value: Json, event: number | null): void =>
    walk(carriedTrees(), schema, value, {
      visit: (node, here, at) => places.visit(node, here, at, { exchange, event }),
      breach: () => {},
    });
  const json = decoded(exchange.response)?.json;
  if (shape.schema !== null && json) see(shape.schema, json.value, null);
  if (shape.events === null) return;
  for (const [i, event] of (events(exchange.response)?.events ?? []).entries()) {
    const schema = schemaOf(event, shape.events);
    if (schema === null) continue;
    const value = isText(schema) ? event.data : event.json?.value;
    if (value !== undefined) see(schema, value, i);
  }
}

function edited({ exchange, event, value }: Occurrence, edit: Edit): Exchange {
  if (event === null) return withAnswer(exchange, edit);
  return withEvents(exchange, (frames) =>
    frames.map((frame, i) => {
      if (i !== event) return frame;
      const changed = reframe(frame, edit);
      // Data that are no JSON are edited as the text that they are.
      return changed !== frame || typeof value !== 'string'
        ? changed
        : frameWith(frame.event, String(edit(value)));
    }),
  );
}

function* envelopes(operation: string, green: GreenTrace): Generator<Mutant> {
  const kind = 'unreadable';
  const calls = green.calls([operation]).filter(({ outcome }) => outcome === 'accepted');
  const plain = calls.find((call) => dueShape(call)?.schema != null)?.exchange;
  const stream = calls.find((call) => dueShape(call)?.events != null)?.exchange;
  const whole = { [`${operation}:answer`]: plain, [`${operation}:stream`]: stream };
  for (const [part, exchange] of Object.entries(whole)) {
    if (exchange === undefined) continue;
    const label = `${part}#contentType`;
    const labelled = (value: string | null) => [withHeader(exchange, 'content-type', value)];
    yield { rule: label, kind: 'wrong label', name: 'as HTML', exchanges: labelled('text/html') };
    yield { rule: label, kind: 'wrong label', name: 'as text', exchanges: labelled('text/plain') };
    yield { rule: label, kind: 'no label', name: 'without a label', exchanges: labelled(null) };
  }
  if (plain !== undefined) {
    const rule = `${operation}:answer#json`;
    yield { rule, kind, name: 'nothing', exchanges: [withBody(plain, '')] };
    yield { rule, kind, name: 'half of it', exchanges: [withBody(plain, '{"id": "half')] };
    yield { rule, kind, name: 'words', exchanges: [withBody(plain, 'all is well')] };
  }
  if (stream !== undefined) {
    const rule = `${operation}:stream#json`;
    const first = (data: string) => [
      withEvents(stream, ([one, ...others]) =>
        one === undefined ? [] : [frameWith(one.event, data), ...others],
      ),
    ];
    yield { rule, kind, name: 'half of the first event', exchanges: first('{"id": "half') };
    yield { rule, kind, name: 'words in the first event', exchanges: first('all is well') };
  }
}

function member(value: Json, name: string): Json | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}
