import type { Json } from '../../exchange/http/body.ts';
import { getOrMake } from '../../schemas/maps.ts';
import { LIMIT_KEYWORDS } from '../schema/constraints.ts';
import { extendPointer, type SchemaNode } from '../schema/node.ts';
import { collectVisits, type Visit } from '../schema/walk.ts';
import {
  deepEqual,
  isObject,
  JSON_KINDS,
  type JsonType,
  jsonKindOf,
  jsonKindOfType,
  valueAtPath,
} from '../trace/json.ts';

const featuresByNode = new WeakMap<SchemaNode, readonly NodeFeature[]>();

/**
 * The content of a request body as features with stable ids. Ids never contain free values such as texts, numbers or
 * identifiers of a caller. Examples: `body.n` (present), `body.n=null`, `body.stream=true`, `body.purpose="batch"` (a
 * listed value), `body.n>1`, `body.n>default`, `body.temperature=maximum` (value or length at a stated bound),
 * `body.tools=empty`, `body.stop=several`, `body.messages[].role=late` (a later element has the value that usually
 * comes first) and `=repeated` (equal to the one before). Paths name branches of unions: `body.stop(array)`.
 */
export interface BodyFeatures {
  readonly features: readonly string[];
  /** Pointers to members and values that the specification neither lists nor forbids. */
  readonly unlisted: readonly string[];
  /** Pointers to the values that break a constraint other than a rule, `format` or `x-greater-than`. */
  readonly broken: readonly string[];
  readonly visits: readonly Visit[];
}

export function bodyFeatures(tree: SchemaNode, value: Json): BodyFeatures {
  const { visits, broken } = collectVisits(tree, value);
  const features = new Set<string>();
  const places = new Map<string, ObjectPlace>();
  for (const { node, value: inner, at } of visits) {
    if (node.path !== '') for (const { name, has } of nodeFeatures(node)) if (has(inner)) features.add(name);
    if (isObject(inner))
      getOrMake(places, at, (): ObjectPlace => ({ value: inner, nodes: [] })).nodes.push(node);
  }
  const unlisted = [...visits.flatMap(unlistedAt), ...unlistedMembers(places)];
  return { features: [...features].sort(), unlisted, broken, visits };
}

interface ObjectPlace {
  readonly value: { readonly [name: string]: Json };
  readonly nodes: SchemaNode[];
}

function unlistedMembers(places: ReadonlyMap<string, ObjectPlace>): string[] {
  return [...places].flatMap(([at, { value, nodes }]) => {
    const names = new Set(nodes.flatMap(namesIn));
    if (names.size === 0 || nodes.some(({ values }) => values !== null)) return [];
    return Object.keys(value).flatMap((name) => (names.has(name) ? [] : [extendPointer(at, name)]));
  });
}

function namesIn({ members, union }: SchemaNode): readonly string[] {
  const tag = union?.by === 'tag' ? [union.property] : [];
  return [...members.map(({ name }) => name), ...tag];
}

function unlistedAt({ node, value, at }: Visit): readonly string[] {
  const { notes, union } = node;
  if (value === null) return [];
  const listed = notes['x-open-enum'];
  if (Array.isArray(listed) && !listed.some((one: Json) => deepEqual(one, value))) return [at];
  if (union?.by !== 'tag' || !isObject(value)) return [];
  const tag = value[union.property];
  const { property, branches } = union;
  const isListed = branches.some(
    ({ tags, seen }) => typeof tag === 'string' && [...(tags ?? []), ...seen].includes(tag),
  );
  return isListed ? [] : [extendPointer(at, property)];
}

interface NodeFeature {
  readonly name: string;
  /** False if only values of a type that the schema does not list have the feature. */
  readonly isListed: boolean;
  readonly has: (value: Json) => boolean;
}

export function nodeFeatures(node: SchemaNode): readonly NodeFeature[] {
  return getOrMake(featuresByNode, node, () => [...featuresAt(node)]);
}

function* featuresAt(node: SchemaNode): Generator<NodeFeature> {
  const { path, notes, assertions, items } = node;
  const types = typesOf(node);
  const feature = (end: string, isListed: boolean, has: NodeFeature['has']): NodeFeature => ({
    name: `body.${path}${end}`,
    isListed,
    has,
  });
  const isNumeric = types.includes('integer') || types.includes('number');
  const numberFeature = (end: string, has: (value: number) => boolean) =>
    feature(end, isNumeric, (value) => typeof value === 'number' && has(value));
  yield feature('', true, () => true);
  yield feature('=null', types.includes('null'), (value) => value === null);
  for (const flag of [true, false])
    yield feature(`=${flag}`, types.includes('boolean'), (value) => value === flag);
  yield numberFeature('<0', (value) => value < 0);
  yield numberFeature('=0', (value) => value === 0);
  yield numberFeature('>1', (value) => value > 1);
  const defaultValue = notes['default'];
  if (typeof defaultValue === 'number') {
    yield numberFeature('<default', (value) => value < defaultValue);
    yield numberFeature('>default', (value) => value > defaultValue);
  }
  const isSized = types.some((type) => ['string', 'array', 'object'].includes(type));
  yield feature('=empty', isSized, (value) => sizeOf(value) === 0);
  yield feature('=several', types.includes('array'), (value) => Array.isArray(value) && value.length > 1);
  for (const member of items?.members ?? []) yield* orderFeatures(member);
  const lists = [assertions.find(({ keyword }) => keyword === 'enum')?.value, notes['x-open-enum']];
  for (const listed of lists.flatMap((list): readonly Json[] => (Array.isArray(list) ? list : [])))
    yield feature(`=${JSON.stringify(listed)}`, true, (value) => deepEqual(listed, value));
  const kinds = (node.types ?? []).filter((type) => type !== 'null').map(jsonKindOfType);
  if (kinds.length > 1)
    for (const kind of JSON_KINDS.filter((one) => one !== 'null'))
      yield feature(`:${kind}`, kinds.includes(kind), (value) => jsonKindOf(value) === kind);
  for (const { keyword, value: bound } of assertions) {
    if (!LIMIT_KEYWORDS.has(keyword)) continue;
    const limitsValue = keyword === 'minimum' || keyword === 'maximum';
    yield feature(`=${keyword}`, true, (value) => (limitsValue ? value : sizeOf(value)) === bound);
  }
}

function* orderFeatures({ name, node }: SchemaNode['members'][number]): Generator<NodeFeature> {
  const first = node.notes['x-first'] as Json | undefined; // as: a value of a schema
  if (first === undefined) return;
  const feature = (end: string, has: (values: readonly (Json | undefined)[]) => boolean): NodeFeature => ({
    name: `body.${node.path}=${end}`,
    isListed: true,
    has: (value) => has(Array.isArray(value) ? value.map((element: Json) => valueAtPath(element, name)) : []),
  });
  yield feature('late', (values) => values.lastIndexOf(first) > 0);
  yield feature('repeated', (values) =>
    values.some((element, i) => i > 0 && element !== undefined && element === values[i - 1]),
  );
}

function typesOf({ types, union, members }: SchemaNode): readonly JsonType[] {
  if (types !== null) return types;
  if (union?.by === 'type') return union.branches.flatMap((branch) => branch.types);
  return union?.by === 'tag' || members.length > 0 ? ['object'] : JSON_KINDS;
}

function sizeOf(value: Json): number | null {
  if (typeof value === 'string') return [...value].length;
  if (Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : null;
}
