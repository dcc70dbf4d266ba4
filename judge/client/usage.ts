// How often a client uses each operation, parameter, listed value and stream event of the specification.

import type { Json } from '../../exchange/http/body.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import { type Operation, operations, type Variant } from '../../schemas/index.ts';
import { bodyTree, subjectOf } from '../probe/constraints.ts';
import { bodyOf } from '../probe/unlabelled-violations.ts';
import type { SchemaNode } from '../schema/node.ts';
import { nodesOf } from '../schema/schema-inspector.ts';
import { walkTree } from '../schema/walk.ts';
import type { Call } from '../trace/call.ts';
import { addCount } from '../trace/timed.ts';
import type { OperationUsage, UsedPart } from '../verdict/verdict.ts';
import { isOfClient } from './client-side.ts';

interface Counter {
  times: number;
  readonly values: Map<string, number>;
}

interface Tally {
  readonly family: string;
  requests: number;
  readonly parameters: Map<string, Counter>;
  readonly events: Map<string, number>;
}

/** Counts what the requests of a client use; the suite's own requests do not count. */
export class UsageTracker {
  readonly #tallies = new Map<string, Tally>();

  constructor() {
    for (const operation of operations())
      for (const variant of operation.variants.filter(({ counted }) => counted))
        this.#tallies.set(subjectOf(operation, variant), emptyTally(operation, variant));
  }

  call(call: Call): void {
    const { operation, variant, exchange } = call;
    if (variant === null || !isOfClient(exchange)) return;
    const tally = this.#tallies.get(subjectOf(operation, variant));
    if (tally === undefined) return;
    tally.requests += 1;
    for (const [name, value] of call.query) count(tally, `query.${name}`, value);
    const body = bodyOf(call);
    if (body !== null)
      walkTree(new Map([['', body.tree]]), '', body.value, {
        // Broken constraints are judged elsewhere: here it counts that a field was sent.
        visit: (node, value) => countNode(tally, node, value),
        breach: () => {},
      });
    for (const { event, data } of (exchange.response && eventsOf(exchange.response)?.events) ?? []) {
      const isUnnamed = event === '' || event === 'message';
      // The end mark is not an event of its own in streams without event names.
      if (isUnnamed && data.trim() === '[DONE]') continue;
      const name = isUnnamed ? UNNAMED : event;
      const times = tally.events.get(name);
      if (times !== undefined) tally.events.set(name, times + 1);
    }
  }

  /** Adds what another part of the traffic uses, as `usage` of that part gives it. */
  absorb(part: readonly OperationUsage[]): void {
    for (const { subject, requests, parameters, events } of part) {
      const tally = this.#tallies.get(subject);
      if (tally === undefined) continue;
      tally.requests += requests;
      addParts(tally.events, events);
      for (const { name, times, values } of parameters) {
        const counter = tally.parameters.get(name);
        if (counter === undefined) continue;
        counter.times += times;
        addParts(counter.values, values);
      }
    }
  }

  usage(): readonly OperationUsage[] {
    return [...this.#tallies].map(([subject, { family, requests, parameters, events }]) => ({
      subject,
      family,
      requests,
      parameters: [...parameters].map(([name, { times, values }]) => ({
        name,
        times,
        values: partsOf(values),
      })),
      events: partsOf(events),
    }));
  }
}

/** Name of events that carry none. */
const UNNAMED = 'data';

function partsOf(counts: ReadonlyMap<string, number>): readonly UsedPart[] {
  return [...counts].map(([name, times]) => ({ name, times }));
}

function addParts(counts: Map<string, number>, parts: readonly UsedPart[]): void {
  for (const { name, times } of parts) if (counts.has(name)) addCount(counts, name, times);
}

function emptyTally(operation: Operation, variant: Variant): Tally {
  const tally: Tally = { family: variant.family, requests: 0, parameters: new Map(), events: new Map() };
  for (const { name, in: place, schema } of operation.parameters)
    if (place === 'query') {
      const listed = Array.isArray(schema['enum']) ? schema['enum'].map(String) : [];
      tally.parameters.set(`query.${name}`, { times: 0, values: zeros(listed) });
    }
  const tree = bodyTree(variant);
  for (const node of tree === null ? [] : nodesOf(tree)) {
    if (node.path === '') continue;
    const known = tally.parameters.get(`body.${node.path}`)?.values ?? new Map();
    const values = new Map([...known, ...zeros(listedValues(node).map((value) => JSON.stringify(value)))]);
    tally.parameters.set(`body.${node.path}`, { times: 0, values });
  }
  for (const { events } of variant.answers)
    for (const name of Object.keys(events ?? {})) tally.events.set(name === '' ? UNNAMED : name, 0);
  return tally;
}

function zeros(names: readonly string[]): Map<string, number> {
  return new Map(names.map((name) => [name, 0] as const));
}

function listedValues({ assertions, notes }: SchemaNode): readonly Json[] {
  const closed = assertions.find(({ keyword }) => keyword === 'enum' || keyword === 'const')?.value;
  const lists = [closed === undefined || Array.isArray(closed) ? closed : [closed], notes['x-open-enum']];
  return lists.flatMap((list): readonly Json[] => (Array.isArray(list) ? list : []));
}

function countNode(tally: Tally, node: SchemaNode, value: Json): void {
  if (node.path !== '') count(tally, `body.${node.path}`, JSON.stringify(value));
}

function count({ parameters }: Tally, name: string, value: string): void {
  const counter = parameters.get(name);
  if (counter === undefined) return;
  counter.times += 1;
  const times = counter.values.get(value);
  if (times !== undefined) counter.values.set(value, times + 1);
}
