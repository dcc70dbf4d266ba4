import type { Json } from '../../exchange/http/body.ts';
import { getOrMake } from '../../schemas/grouping.ts';
import { LIMIT_KEYWORDS } from '../schema/constraints.ts';
import type { SchemaNode } from '../schema/node.ts';
import { walkTree } from '../schema/walk.ts';
import type { Call } from '../trace/call.ts';
import { deepEqual, isObject, jsonKindOf } from '../trace/json.ts';
import type { KnownObjects } from './known-objects.ts';

/**
 * The content of a request body as features with stable ids. Ids never contain free values such as texts,
 * numbers or identifiers of a caller. Examples: `body.n` (present), `body.n=null`, `body.stream=true`,
 * `body.order="asc"` (a listed value), `body.n>1`, `body.n>default`, `body.top_p=maximum` (value or length at
 * a stated bound), `body.tools=empty`, `body.stop=several`, `body.messages[].role=late` (a value that usually comes first) and
 * `=repeated` (that of the element before). Paths name the branches of unions: `body.stop(array)`.
 */
export interface BodyFeatures {
  readonly features: readonly string[];
  /** Pointers to members and values that the specification neither lists nor forbids. */
  readonly unlisted: readonly string[];
  /** Pointers to values that break a constraint. */
  readonly broken: readonly string[];
  /** Nodes with their values, in the order of the walk. */
  readonly visits: readonly { readonly node: SchemaNode; readonly value: Json; readonly at: string }[];
}

export function bodyFeatures(tree: SchemaNode, value: Json): BodyFeatures {
  const features = new Set<string>();
  const broken: string[] = [];
  const visits: { node: SchemaNode; value: Json; at: string }[] = [];
  const objects = new Map<string, ObjectPlace>();
  walkTree(new Map([['', tree]]), '', value, {
    visit(node, inner, at) {
      if (node === tree.typing) return;
      visits.push({ node, value: inner, at });
      if (node.path !== '') for (const feature of featuresOf(node, inner)) features.add(feature);
      if (isObject(inner)) placeOf(objects, at, inner).nodes.push(node);
    },
    breach: (_id, at) => broken.push(at),
  });
  const unlisted = [...visits.flatMap(unlistedAt), ...unlistedMembers(objects)];
  return { features: [...features].sort(), unlisted, broken, visits };
}

interface UnstatedValue {
  readonly at: string;
  readonly value: Json;
}

export function unstatedValues(tree: SchemaNode, value: Json): readonly UnstatedValue[] {
  const found: UnstatedValue[] = [];
  walkTree(new Map([['', tree]]), '', value, {
    visit(node, inner, at) {
      if (node !== tree.typing && isUnstated(node, inner)) found.push({ at, value: inner });
    },
    breach: () => {},
  });
  return found;
}

interface ObjectPlace {
  readonly value: { readonly [name: string]: Json };
  readonly nodes: SchemaNode[];
}

function placeOf(
  objects: Map<string, ObjectPlace>,
  at: string,
  value: { readonly [name: string]: Json },
): ObjectPlace {
  return getOrMake(objects, at, () => ({ value, nodes: [] }));
}

function unlistedMembers(objects: ReadonlyMap<string, ObjectPlace>): string[] {
  return [...objects].flatMap(([at, { value, nodes }]) => {
    const names = new Set(nodes.flatMap(namesIn));
    if (names.size === 0 || nodes.some(({ values }) => values !== null)) return [];
    return Object.keys(value).flatMap((name) => (names.has(name) ? [] : [`${at}/${name}`]));
  });
}

function namesIn({ members, union }: SchemaNode): readonly string[] {
  const tag = union?.by === 'tag' ? [union.property] : [];
  return [...members.map(({ name }) => name), ...tag];
}

function unlistedAt({ node, value, at }: BodyFeatures['visits'][number]): readonly string[] {
  const { notes, union } = node;
  if (value === null) return [];
  const seen = notes['x-open-enum'];
  if (Array.isArray(seen) && !seen.some((one: Json) => deepEqual(one, value))) return [at];
  if (union?.by !== 'tag' || !isObject(value)) return [];
  const tag = value[union.property];
  const { property, branches } = union;
  const isListed = branches.some(
    ({ tags, seen }) => typeof tag === 'string' && [...(tags ?? []), ...seen].includes(tag),
  );
  return isListed ? [] : [`${at}/${property}`];
}

function isUnstated(node: SchemaNode, value: Json): boolean {
  if (value === null) return false;
  if (saysNothing(node)) return !isShown(node, [value]);
  return Array.isArray(value) && node.items === null && node.union === null && !isShown(node, value);
}

export function hasUnstated(node: SchemaNode): boolean {
  const { members, items, values, union, types } = node;
  const inner = [
    ...members.map((member) => member.node),
    ...(union?.branches ?? []).map((one) => one.node),
    items,
    values,
  ];
  const isBare = types?.includes('array') === true && items === null && union === null;
  return saysNothing(node) || isBare || inner.some((one) => one !== null && hasUnstated(one));
}

function isShown({ notes }: SchemaNode, values: readonly Json[]): boolean {
  const shown = notes['x-shown'];
  return values.every((value) => Array.isArray(shown) && shown.includes(jsonKindOf(value)));
}

function saysNothing({ types, union, members, assertions, refs, notes }: SchemaNode): boolean {
  const isSilent = types === null && union === null && members.length + assertions.length + refs.length === 0;
  return isSilent && notes['x-open-enum'] === undefined;
}

function* featuresOf(node: SchemaNode, value: Json): Generator<string> {
  const name = `body.${node.path}`;
  yield name;
  if (value === null) yield `${name}=null`;
  if (typeof value === 'boolean') yield `${name}=${value}`;
  if (typeof value === 'number') yield* numberFeatures(node, value, name);
  const size = sizeOf(value);
  if (size === 0) yield `${name}=empty`;
  if (Array.isArray(value) && value.length > 1) yield `${name}=several`;
  if (Array.isArray(value)) yield* orderFeatures(node, value);
  if (isListed(node, value)) yield `${name}=${JSON.stringify(value)}`;
  const kinds = new Set((node.types ?? []).filter((type) => type !== 'null'));
  if (kinds.size > 1 && value !== null) yield `${name}:${jsonKindOf(value)}`;
  for (const { keyword, value: bound } of node.assertions) {
    const measured = keyword === 'minimum' || keyword === 'maximum' ? value : size;
    if (LIMIT_KEYWORDS.has(keyword) && measured !== null && measured === bound) yield `${name}=${keyword}`;
  }
}

/** How the elements of a list follow one another, by the member of each that has `x-first`. */
function* orderFeatures({ items }: SchemaNode, elements: readonly Json[]): Generator<string> {
  for (const { name, node } of items?.members ?? []) {
    const first = node.notes['x-first'];
    if (first === undefined) continue;
    const values = elements.map((element) => (isObject(element) ? element[name] : undefined));
    if (values.lastIndexOf(first as Json) > 0) yield `body.${node.path}=late`; // as: a value of a schema
    if (values.some((value, i) => i > 0 && value !== undefined && value === values[i - 1]))
      yield `body.${node.path}=repeated`;
  }
}

function* numberFeatures(node: SchemaNode, value: number, name: string): Generator<string> {
  if (value < 0) yield `${name}<0`;
  if (value === 0) yield `${name}=0`;
  if (value > 1) yield `${name}>1`;
  const usual = node.notes['default'];
  if (typeof usual !== 'number' || usual === value) return;
  yield value > usual ? `${name}>default` : `${name}<default`;
}

function isListed({ assertions, notes }: SchemaNode, value: Json): boolean {
  const lists = [assertions.find(({ keyword }) => keyword === 'enum')?.value, notes['x-open-enum']];
  return lists.some((list) => Array.isArray(list) && list.some((one: Json) => deepEqual(one, value)));
}

function sizeOf(value: Json): number | null {
  if (typeof value === 'string') return [...value].length;
  if (Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : null;
}

/**
 * The content of a query as features: `query.limit`, `query.order="asc"`, `query.limit=minimum`. Null if a parameter
 * or value is unlisted, or may be refused. With `objects`, cursors must name a known element; pass null
 * for an accepted request.
 */
export function queryFeatures(call: Call, objects: KnownObjects | null): readonly string[] | null {
  const { operation, query } = call;
  const features: string[] = [];
  // The specification does not say which value of a repeated parameter applies.
  if (new Set(query.keys()).size < query.size) return null;
  for (const [name, text] of query) {
    const parameter = operation.parameters.find((one) => one.in === 'query' && one.name === name);
    if (parameter === undefined) return null;
    if (objects !== null && CURSORS.has(name) && !objects.hasElement(text, call)) return null;
    if (name === 'purpose' && !PURPOSES.has(text)) return null;
    if (objects !== null && name === 'run_id' && !objects.hasRun(text, call)) return null;
    const own = parameterFeatures(`query.${name}`, text, parameter.schema);
    if (own === null) return null;
    features.push(...own);
  }
  return [...new Set(features)];
}

function parameterFeatures(
  name: string,
  text: string,
  { type, enum: listed, minimum, maximum }: Readonly<Record<string, unknown>>,
): readonly string[] | null {
  if (Array.isArray(listed)) return listed.includes(text) ? [name, `${name}=${JSON.stringify(text)}`] : null;
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  if (!types.includes('integer') && !types.includes('number')) return [name];
  const value = Number(text);
  // The specification mentions neither other spellings of numbers nor pages outside the usual range.
  if (!/^(0|[1-9]\d*)$/.test(text)) return null;
  const [least, most] = [minimum ?? USUAL.least, maximum ?? USUAL.most];
  if (typeof least === 'number' && value < least) return null;
  if (typeof most === 'number' && value > most) return null;
  const bound = value === minimum ? [`${name}=minimum`] : value === maximum ? [`${name}=maximum`] : [];
  return [name, ...bound];
}

const USUAL = { least: 1, most: 100 } as const;

const PURPOSES: ReadonlySet<string> = new Set(['assistants', 'batch', 'fine-tune', 'vision']);

/** Parameters that name an element of the list. */
const CURSORS = new Set(['after', 'before']);
