import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { decodedContent } from '../../exchange/http/content.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import type { SchemaConstraint } from '../../judge/schema/constraints.ts';
import { type ConditionalRule, extendPointer, type SchemaNode } from '../../judge/schema/node.ts';
import {
  isTextEvent,
  responseConstraints,
  responseInspector,
  responseTrees,
} from '../../judge/schema/response-schemas.ts';
import { eventSchemaOf, expectedShape } from '../../judge/schema/response-shape.ts';
import { conditionalRuleIn } from '../../judge/schema/sentence.ts';
import { walkTree } from '../../judge/schema/walk.ts';
import type { Call } from '../../judge/trace/call.ts';
import { isOfType, type JsonType, jsonKindOf } from '../../judge/trace/json.ts';
import { type JsonSchema, operations } from '../../schemas/index.ts';
import { isJsonObject, isObject } from '../../schemas/json.ts';
import { groupBy } from '../../schemas/maps.ts';
import {
  editFrame,
  frameWithData,
  withBody,
  withEvents,
  withHeader,
  withResponseJson,
} from '../mutations/exchanges.ts';
import { type Edit, removeValue, setValue } from '../mutations/values.ts';
import type { BaselineTrace, Mutant } from './mutant.ts';
import { mutationKindsOfConstraint, partMutationKind, schemaList } from './mutation-kinds.ts';

const MAX_PLACES = 3;
const ODD_VALUES: readonly Json[] = [null, 'odd', 12_345, 1.5, true, ['odd'], { odd: true }];

interface Occurrence {
  readonly exchange: Exchange;
  /** Index of the event; null for a response that is not a stream. */
  readonly event: number | null;
  /** JSON pointer. */
  readonly at: string;
  readonly value: Json | undefined;
}

export function* schemaMutants(baseline: BaselineTrace): Generator<Mutant> {
  const ids = operations().map(({ id }) => id);
  const calls = baseline.calls(ids).filter(({ responseClass }) => responseClass === 'accepted');
  const places = findPlaces(calls);
  for (const [id, constraint] of responseConstraints()) {
    if (!baseline.selected.has(id)) continue;
    for (const [n, place] of (places.get(constraint) ?? []).entries()) {
      for (const { kind, name, edit } of constraintMutations(constraint, place.at, place.value)) {
        const fullName = `${name} at place ${n + 1}`;
        yield { requirement: id, kind, name: fullName, exchanges: [editPlace(place, edit)] };
      }
    }
  }
  for (const operation of ids) yield* envelopeMutants(operation, baseline);
}

function findPlaces(calls: readonly Call[]): ReadonlyMap<SchemaConstraint, readonly Occurrence[]> {
  const byNode = groupBy(responseConstraints().values(), ({ node }) => node);
  const places = new Map<SchemaConstraint, readonly Occurrence[]>();

  function visit(node: SchemaNode, value: Json, at: string, where: Pick<Occurrence, 'exchange' | 'event'>) {
    for (const rule of node.rules)
      if (responseInspector().holds(rule.condition, value)) visit(rule.node, value, at, where);
    for (const constraint of byNode.get(node) ?? []) {
      if (!constraint.kinds.includes(jsonKindOf(value))) continue;
      const earlier = places.get(constraint) ?? [];
      // Elements of one array usually come from the same code.
      const isFresh = earlier.every(({ exchange }) => exchange !== where.exchange);
      // Keeps the first place in the first exchange, and the last place in the second one.
      const isLater = earlier.length === 2 && earlier[1]?.exchange === where.exchange;
      if (!isLater && (earlier.length >= MAX_PLACES || !isFresh)) continue;
      const last = constraint.steps.length > node.steps.length ? constraint.steps.at(-1) : undefined;
      const name = last?.step === 'property' ? last.name : null;
      const place =
        name === null
          ? { at, value }
          : { at: extendPointer(at, name), value: isJsonObject(value) ? value[name] : undefined };
      places.set(constraint, [...(isLater ? earlier.slice(0, 1) : earlier), { ...where, ...place }]);
    }
  }

  for (const call of calls) {
    const { exchange } = call;
    const shape = expectedShape(call);
    if (shape === null || exchange.response === null) continue;
    // Walks the tree that the judge uses, so that only judged places are changed.
    const visitTree = (schema: string, value: Json, event: number | null): void =>
      walkTree(responseTrees(), schema, value, {
        visit: (node, here, at) => visit(node, here, at, { exchange, event }),
        breach: () => {},
      });
    const json = decodedContent(exchange.response)?.json;
    if (shape.schema !== null && json) visitTree(shape.schema, json.value, null);
    if (shape.events === null) continue;
    for (const [i, event] of (eventsOf(exchange.response)?.events ?? []).entries()) {
      const schema = eventSchemaOf(event, shape.events);
      if (schema === null) continue;
      const value = isTextEvent(schema) ? event.data : event.json?.value;
      if (value !== undefined) visitTree(schema, value, i);
    }
  }
  return places;
}

function editPlace({ exchange, event, value }: Occurrence, edit: Edit): Exchange {
  if (event === null) return withResponseJson(exchange, edit);
  return withEvents(exchange, (frames) =>
    frames.map((frame, i) => {
      if (i !== event) return frame;
      const changed = editFrame(frame, edit);
      return changed !== frame || typeof value !== 'string'
        ? changed
        : frameWithData(frame.event, String(edit(value)));
    }),
  );
}

function* envelopeMutants(operation: string, baseline: BaselineTrace): Generator<Mutant> {
  const calls = baseline.calls([operation]).filter(({ responseClass }) => responseClass === 'accepted');
  const plain = calls.find((call) => expectedShape(call)?.schema != null)?.exchange;
  const stream = calls.find((call) => expectedShape(call)?.events != null)?.exchange;
  const responses = { [`${operation}:answer`]: plain, [`${operation}:stream`]: stream };
  for (const [part, exchange] of Object.entries(responses)) {
    if (exchange === undefined) continue;
    // The content stays valid, so that only a check of the media type kills the mutant.
    yield* mutantsByName(`${part}#contentType`, 'wrong label', {
      'as HTML': withHeader(exchange, 'content-type', 'text/html'),
      'as text': withHeader(exchange, 'content-type', 'text/plain'),
    });
    yield* mutantsByName(`${part}#contentType`, 'no label', {
      'without a label': withHeader(exchange, 'content-type', null),
    });
  }
  if (plain !== undefined)
    yield* mutantsByName(`${operation}:answer#json`, 'unreadable', {
      nothing: withBody(plain, ''),
      'half of it': withBody(plain, '{"id": "half'),
      words: withBody(plain, 'all is well'),
    });
  if (stream === undefined) return;
  // Later events stay valid, so that a check of the last event alone does not kill the mutant.
  const replaceFirst = (data: string) =>
    withEvents(stream, ([one, ...others]) =>
      one === undefined ? [] : [frameWithData(one.event, data), ...others],
    );
  yield* mutantsByName(`${operation}:stream#json`, 'unreadable', {
    'half of the first event': replaceFirst('{"id": "half'),
    'words in the first event': replaceFirst('all is well'),
  });
}

function* mutantsByName(
  requirement: string,
  kind: string,
  exchanges: Readonly<Record<string, Exchange>>,
): Generator<Mutant> {
  for (const [name, exchange] of Object.entries(exchanges))
    yield { requirement, kind, name, exchanges: [exchange] };
}

/** A way to violate a constraint at a place, without deliberately violating another one. */
interface SchemaMutation {
  readonly kind: string;
  readonly name: string;
  readonly edit: Edit;
}

function constraintMutations(
  constraint: SchemaConstraint,
  at: string,
  value: Json | undefined,
): readonly SchemaMutation[] {
  const { keyword, value: expected, steps } = constraint;
  const rule = conditionalRuleIn(expected);
  if (rule !== null) return ruleMutations(rule, at, value ?? null);
  if (keyword === 'required' || keyword === 'expected')
    return [{ kind: 'missing', name: 'missing', edit: removeValue(at) }];
  if (steps.at(-1)?.step === 'keys') return keyMutations(constraint, at);
  const kind = mutationKindsOfConstraint(constraint).at(-1);
  return wrongValues(keyword, expected, value).map(([name, broken]) => ({
    kind: keyword === 'type' && broken === null ? 'null' : (kind ?? keyword),
    name,
    edit: setValue(at, broken),
  }));
}

function wrongValues(
  keyword: string,
  expected: unknown,
  value: Json | undefined,
): readonly (readonly [string, Json])[] {
  if (keyword === 'type') {
    // Null and 1.5 are tried wherever they are wrong; one of the other types is enough.
    const types = Array.isArray(expected) ? expected : [expected];
    const odd = ODD_VALUES.filter((one) => !types.some((type: JsonType) => isOfType(one, type)));
    return [
      ...odd.filter((one) => one === null || one === 1.5),
      ...odd.filter((one) => one !== null && one !== 1.5).slice(0, 1),
    ].map((one) => [`${JSON.stringify(one)} instead`, one]);
  }
  if (keyword === 'enum' || keyword === 'const') {
    return typeof value === 'boolean' ? [['the opposite', !value]] : [['another value', 'no_such_value']];
  }
  return valuesBeyond(keyword, Number(expected), value);
}

function valuesBeyond(
  keyword: string,
  limit: number,
  value: Json | undefined,
): readonly (readonly [string, Json])[] {
  switch (keyword) {
    case 'minimum':
      return [['one less', limit - 1]];
    case 'maximum':
      return [['one more', limit + 1]];
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return [['at the limit', limit]];
    case 'minLength':
      return [['too short', 'x'.repeat(Math.max(0, limit - 1))]];
    case 'maxLength':
      return [['too long', 'x'.repeat(limit + 1)]];
    case 'pattern':
      return [['another form', '\u0000 odd']];
    case 'minItems':
      return Array.isArray(value) ? [['too few', value.slice(0, Math.max(0, limit - 1))]] : [];
    case 'maxItems':
      return Array.isArray(value) ? [['too many', Array<Json>(limit + 1).fill(value[0] ?? 'odd')]] : [];
    case 'uniqueItems':
      return Array.isArray(value) ? [['one twice', [...value, value[0] ?? null, value[0] ?? null]]] : [];
    case 'maxProperties':
      return [
        ['too many', Object.fromEntries(Array.from({ length: limit + 1 }, (_, i) => [`key${i}`, 'odd']))],
      ];
    case 'minProperties':
      return [['too few', {}]];
    default:
      return [];
  }
}

function keyMutations(constraint: SchemaConstraint, at: string): readonly SchemaMutation[] {
  const { keyword, value } = constraint;
  const [kind = keyword] = mutationKindsOfConstraint(constraint);
  const parent = at.slice(0, at.lastIndexOf('/'));
  return wrongValues(keyword, value, '').flatMap(([name, key]) => {
    if (typeof key !== 'string') return [];
    const edit = setValue(parent, (old) => (isJsonObject(old) ? { ...old, [key]: 'odd' } : (old ?? null)));
    return [{ kind, name, edit }];
  });
}

function ruleMutations(
  { condition, demand }: ConditionalRule,
  at: string,
  value: Json,
): readonly SchemaMutation[] {
  const listedTexts = listedTextsIn(condition);
  const inspector = responseInspector();
  const here = demandMutations(demand, '', listedTexts);
  return demandMutations(demand, at, listedTexts).filter((_, i) => {
    const broken = here[i]?.edit(value) ?? value;
    // A rule that does not apply is not violated, so the condition must still hold.
    return inspector.holds(condition, broken) && !inspector.holds(demand, broken);
  });
}

function listedTextsIn(schema: JsonSchema): readonly string[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (keyword === 'enum' || keyword === 'const')
      return [value].flat().filter((one) => typeof one === 'string');
    return isObject(value) ? listedTextsIn(value) : [];
  });
}

function demandMutations(
  schema: JsonSchema,
  at: string,
  listedTexts: readonly string[],
): readonly SchemaMutation[] {
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  const properties = isObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  return [
    ...required.map((name) => ({
      kind: partMutationKind(name, 'missing'),
      name: `${name} missing`,
      edit: removeValue(extendPointer(at, name)),
    })),
    ...properties.flatMap(([name, inner]) =>
      isObject(inner) ? propertyMutations(name, inner, at, listedTexts) : [],
    ),
    ...schemaList(schema['allOf']).flatMap((part) => demandMutations(part, at, listedTexts)),
  ];
}

function propertyMutations(
  name: string,
  schema: JsonSchema,
  at: string,
  listedTexts: readonly string[],
): readonly SchemaMutation[] {
  const place = extendPointer(at, name);
  const keywords = ['type', 'const', 'enum'].filter((keyword) => schema[keyword] !== undefined);
  const constant = schema['const'] as Json | undefined; // as: schemas are JSON
  const own = keywords.flatMap((keyword) => wrongValues(keyword, schema[keyword], constant));
  const swapped = keywords.includes('const')
    ? listedTexts.map((text) => [`${text} instead`, text] as const)
    : [];
  return [
    ...[...own, ...swapped].map(([what, value]) => ({
      kind: partMutationKind(name, 'wrong'),
      name: `${name}: ${what}`,
      edit: setValue(place, value),
    })),
    ...demandMutations(schema, place, listedTexts),
  ];
}
