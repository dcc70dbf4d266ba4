import type { Json } from '../../exchange/http/body.ts';
import { MULTIPLE_OF_PRECISION, patternMatcher } from '../../schemas/index.ts';
import { isJsonObject } from '../../schemas/json.ts';
import { deepEqual, isOfType } from '../trace/json.ts';
import { constraintId } from './constraints.ts';
import { extendPointer, pathText, type SchemaAssertion, type SchemaNode, type SchemaUnion } from './node.ts';

/** `at` is a JSON pointer. */
export interface TreeVisitor {
  visit(node: SchemaNode, value: Json, at: string): void;
  breach(id: string, at: string, actual: Json | undefined): void;
}

/** Reports visits and broken constraints, except rules, `format` and `x-greater-than`. Throws for an unknown name. */
export function walkTree(
  trees: ReadonlyMap<string, SchemaNode>,
  name: string,
  value: Json,
  visitor: TreeVisitor,
): void {
  const tree = trees.get(name);
  if (tree === undefined) throw new Error(`unknown schema tree ${name}`);
  new Walk(trees, name, visitor).walkRoot(tree, value);
}

/** Several nodes may describe one value. */
export interface Visit {
  readonly node: SchemaNode;
  readonly value: Json;
  readonly at: string;
}

export function collectVisits(
  tree: SchemaNode,
  value: Json,
): { readonly visits: readonly Visit[]; readonly broken: readonly string[] } {
  const visits: Visit[] = [];
  const broken: string[] = [];
  walkTree(new Map([['', tree]]), '', value, {
    visit(node, inner, at) {
      if (node !== tree.typeCounter) visits.push({ node, value: inner, at });
    },
    breach: (_id, at) => broken.push(at),
  });
  return { visits, broken };
}

class Walk {
  readonly #trees: ReadonlyMap<string, SchemaNode>;
  readonly #name: string;
  readonly #visitor: TreeVisitor;

  constructor(trees: ReadonlyMap<string, SchemaNode>, name: string, visitor: TreeVisitor) {
    this.#trees = trees;
    this.#name = name;
    this.#visitor = visitor;
  }

  walkRoot(tree: SchemaNode, value: Json): void {
    const { typeCounter, types, typed } = tree;
    if (typeCounter !== null) this.#visitor.visit(typeCounter, value, '');
    if (typed && !hasType(value, types)) this.#reportBreach('', 'type', '', value);
    this.#walkUntyped(tree, value);
  }

  #walkUntyped(tree: SchemaNode, value: Json): void {
    this.#walkNode({ ...tree, types: null }, value, '', tree);
  }

  #walkNode(node: SchemaNode, value: Json, at: string, reported: SchemaNode = node): void {
    this.#visitor.visit(reported, value, at);
    const hasRightType = hasType(value, reported.types);
    if (!hasRightType && node.types !== null && node.typed) this.#reportBreach(node.path, 'type', at, value);
    for (const assertion of node.assertions) {
      const comparesValue = assertion.keyword === 'enum' || assertion.keyword === 'const';
      if ((hasRightType || !comparesValue) && !satisfies(value, assertion))
        this.#reportBreach(node.path, assertion.keyword, at, value);
    }
    if (Array.isArray(value)) this.#walkItems(node, value, at);
    else if (isJsonObject(value)) this.#walkProperties(node, value, at);
    if (node.union !== null) this.#walkUnion(node, node.union, value, at);
    for (const ref of node.refs) this.#walkReference(ref, value, at, node.typed);
  }

  #walkReference(name: string, value: Json, at: string, isTyped: boolean): void {
    const tree = this.#trees.get(name);
    if (tree === undefined) throw new Error(`unknown schema tree ${name}`);
    const walk = new Walk(this.#trees, name, {
      visit: (node, inner, place) => this.#visitor.visit(node, inner, at + place),
      breach: (id, place, actual) => this.#visitor.breach(id, at + place, actual),
    });
    if (isTyped) walk.walkRoot(tree, value);
    else walk.#walkUntyped(tree, value);
  }

  #walkItems(node: SchemaNode, value: readonly Json[], at: string): void {
    if (node.items === null) return;
    for (const [i, item] of value.entries()) this.#walkNode(node.items, item, extendPointer(at, i));
  }

  #walkProperties(node: SchemaNode, value: { readonly [key: string]: Json }, at: string): void {
    for (const member of node.members) {
      const property = Object.hasOwn(value, member.name) ? value[member.name] : undefined;
      const place = extendPointer(at, member.name);
      if (property !== undefined) this.#walkNode(member.node, property, place);
      else if (member.required) this.#reportBreach(member.node.path, 'required', place, undefined);
      else if (member.expected) this.#reportBreach(member.node.path, 'expected', place, undefined);
    }
    const names = new Set(node.members.map((member) => member.name));
    for (const [key, property] of Object.entries(value)) {
      if (node.keys !== null) this.#walkNode(node.keys, key, extendPointer(at, key));
      if (node.values !== null && !names.has(key))
        this.#walkNode(node.values, property, extendPointer(at, key));
    }
  }

  #walkUnion(node: SchemaNode, union: SchemaUnion, value: Json, at: string): void {
    if (union.by === 'type') {
      const branches = union.branches.filter(({ types }) => hasType(value, types));
      for (const branch of branches) this.#walkNode(branch.node, value, at);
      return;
    }
    if (!isJsonObject(value)) return;
    const { property, branches } = union;
    const path = pathText([...node.steps, { step: 'property', name: property }]);
    const tag = Object.hasOwn(value, property) ? value[property] : undefined;
    const open = branches.find(({ tags }) => tags === null);
    const tagged = branches.find(({ tags }) => typeof tag === 'string' && tags?.includes(tag));
    const reportTag = (keyword: string): void =>
      this.#reportBreach(path, keyword, extendPointer(at, property), tag);
    if (tagged !== undefined) this.#walkNode(tagged.node, value, at);
    else if (open === undefined) reportTag('enum');
    else if (tag === undefined) reportTag('required');
    else if (typeof tag !== 'string') reportTag('type');
    else this.#walkNode(open.node, value, at);
  }

  #reportBreach(path: string, keyword: string, at: string, actual: Json | undefined): void {
    this.#visitor.breach(constraintId(this.#name, path, keyword), at, actual);
  }
}

function hasType(value: Json, types: SchemaNode['types']): boolean {
  return types?.some((type) => isOfType(value, type)) ?? true;
}

function satisfies(value: Json, { keyword, value: operand }: SchemaAssertion): boolean {
  const size = sizeOf(value, keyword);
  if (keyword === 'enum') return Array.isArray(operand) && operand.some((one: Json) => deepEqual(one, value));
  if (keyword === 'const') return deepEqual(operand as Json, value); // as: schemas are JSON
  if (keyword === 'pattern') return typeof value !== 'string' || patternMatcher(String(operand))(value);
  if (keyword === 'uniqueItems') {
    return (
      !Array.isArray(value) || !value.some((a, i) => value.slice(0, i).some((b: Json) => deepEqual(a, b)))
    );
  }
  if (size === null) return true;
  const limit = Number(operand);
  if (keyword === 'exclusiveMinimum') return size > limit;
  if (keyword === 'exclusiveMaximum') return size < limit;
  if (keyword === 'multipleOf') {
    const quotient = size / limit;
    return Math.abs(Math.round(quotient) - quotient) <= 10 ** -MULTIPLE_OF_PRECISION;
  }
  return keyword.startsWith('min') ? size >= limit : size <= limit;
}

function sizeOf(value: Json, keyword: string): number | null {
  if (keyword.endsWith('Length')) return typeof value === 'string' ? [...value].length : null;
  if (keyword.endsWith('Items')) return Array.isArray(value) ? value.length : null;
  if (keyword.endsWith('Properties')) return isJsonObject(value) ? Object.keys(value).length : null;
  return /minimum|maximum|multipleOf/i.test(keyword) && typeof value === 'number' ? value : null;
}
