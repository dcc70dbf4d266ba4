import type { Json } from '../../exchange/http/body.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import type { Operation, Variant } from '../../schemas/index.ts';
import { addCount } from '../../schemas/maps.ts';
import { bodyTree, subjectOf, subjects } from '../probe/request-constraints.ts';
import { bodyOf } from '../probe/request-violations.ts';
import type { SchemaNode } from '../schema/node.ts';
import { nodesOf } from '../schema/schema-inspector.ts';
import { collectVisits } from '../schema/walk.ts';
import type { Call } from '../trace/call.ts';
import type { OperationUsage, UsedPart } from '../verdict/coverage.ts';
import { isFromClient } from './client-side.ts';

const UNNAMED_EVENT = 'data';

interface UsageCounts {
  readonly family: string;
  requests: number;
  readonly parameters: Map<string, { times: number; readonly values: Map<string, number> }>;
  readonly events: Map<string, number>;
}

/**
 * Counts, by operation, the requests of a client, the listed parameters, fields and values in them, and the listed
 * events that it received. A field of array elements counts once for each element; unused parts count 0.
 */
export class UsageTracker {
  readonly #counts = new Map<string, UsageCounts>();

  constructor() {
    for (const { operation, variant, subject } of subjects())
      this.#counts.set(subject, emptyCounts(operation, variant));
  }

  call(call: Call): void {
    const { operation, variant, exchange } = call;
    if (variant === null || !isFromClient(exchange)) return;
    const counts = this.#counts.get(subjectOf(operation, variant));
    if (counts === undefined) return;
    counts.requests += 1;
    for (const [name, value] of call.query) countParameter(counts, `query.${name}`, value);
    const body = bodyOf(call);
    const visits = body === null ? [] : collectVisits(body.tree, body.value).visits;
    // Several nodes with the same path may describe one value.
    for (const { node, value } of new Map(visits.map((one) => [`${one.at} ${one.node.path}`, one])).values())
      if (node.path !== '') countParameter(counts, `body.${node.path}`, JSON.stringify(value));
    const events = exchange.response === null ? undefined : eventsOf(exchange.response)?.events;
    for (const { event, data } of events ?? []) {
      const isUnnamed = event === '' || event === 'message';
      // In streams without event names, the end marker is not counted as an event.
      if (isUnnamed && data.trim() === '[DONE]') continue;
      addListed(counts.events, isUnnamed ? UNNAMED_EVENT : event, 1);
    }
  }

  absorb(part: readonly OperationUsage[]): void {
    for (const { subject, requests, parameters, events } of part) {
      const counts = this.#counts.get(subject);
      if (counts === undefined) continue;
      counts.requests += requests;
      for (const { name, times } of events) addListed(counts.events, name, times);
      for (const { name, times, values } of parameters) {
        const counter = counts.parameters.get(name);
        if (counter === undefined) continue;
        counter.times += times;
        for (const value of values) addListed(counter.values, value.name, value.times);
      }
    }
  }

  usage(): readonly OperationUsage[] {
    return [...this.#counts].map(([subject, { family, requests, parameters, events }]) => ({
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

function partsOf(counts: ReadonlyMap<string, number>): readonly UsedPart[] {
  return [...counts].map(([name, times]) => ({ name, times }));
}

function addListed(counts: Map<string, number>, name: string, times: number): void {
  if (counts.has(name)) addCount(counts, name, times);
}

function emptyCounts(operation: Operation, variant: Variant): UsageCounts {
  const counts: UsageCounts = {
    family: variant.family,
    requests: 0,
    parameters: new Map(),
    events: new Map(),
  };
  for (const { name, in: place, schema } of operation.parameters)
    if (place === 'query') {
      const listed = [schema['enum'], schema['x-open-enum']].flatMap(listOf).map(String);
      counts.parameters.set(`query.${name}`, { times: 0, values: zeroCounts(listed) });
    }
  const tree = bodyTree(variant);
  const nodes = tree === null ? [] : [...nodesOf(tree)].filter(({ path }) => path !== '');
  for (const node of nodes) {
    const known = counts.parameters.get(`body.${node.path}`)?.values ?? new Map();
    const values = new Map([
      ...known,
      ...zeroCounts(listedValues(node).map((value) => JSON.stringify(value))),
    ]);
    counts.parameters.set(`body.${node.path}`, { times: 0, values });
  }
  for (const { events } of variant.answers)
    for (const name of Object.keys(events ?? {})) counts.events.set(name === '' ? UNNAMED_EVENT : name, 0);
  return counts;
}

function zeroCounts(names: readonly string[]): Map<string, number> {
  return new Map(names.map((name) => [name, 0] as const));
}

function listedValues({ assertions, notes }: SchemaNode): readonly Json[] {
  const closed = assertions.find(({ keyword }) => keyword === 'enum' || keyword === 'const')?.value;
  return [closed === undefined || Array.isArray(closed) ? closed : [closed], notes['x-open-enum']].flatMap(
    listOf,
  );
}

function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function countParameter({ parameters }: UsageCounts, name: string, value: string): void {
  const counter = parameters.get(name);
  if (counter === undefined) return;
  counter.times += 1;
  addListed(counter.values, value, 1);
}

export function usedParts({ parameters, events }: OperationUsage): readonly UsedPart[] {
  return [
    ...parameters.flatMap((one) => [one, ...one.values.map((value) => prefixName(value, `${one.name} = `))]),
    ...events.map((event) => prefixName(event, 'event ')),
  ];
}

function prefixName({ name, times }: UsedPart, prefix: string): UsedPart {
  return { name: `${prefix}${name}`, times };
}
