import type { Json } from '../../exchange/http/body.ts';
import { matchesPattern } from '../../schemas/index.ts';
import { isJsonObject } from '../../schemas/json.ts';
import { deepEqual, isOfType } from '../trace/json.ts';
import { constraintId } from './constraints.ts';
import { extendPointer, pathText, type SchemaAssertion, type SchemaNode, type SchemaUnion } from './node.ts';

/** `at` is a JSON pointer. */
export interface TreeVisitor {
  visit(node: SchemaNode, value: Json, at: string): void;
  breach(id: string, at: string, actual: Json | undefined): void;
}

/** Reports every visit and every broken constraint without ajv; ignores conditional rules. Throws for an unknown name. */
export function walkTree(
  trees: ReadonlyMap<string, SchemaNode>,
  name: string,
  value: Json,
  visitor: TreeVisitor,
): void {
  const tree = trees.get(name);
  if (tree === undefined) throw new Error(`unknown schema tree ${name}`);
  new Walk(trees, name, visitor).root(tree, value);
}

/** A value at a place, with a node that describes it; several nodes may describe one value. */
export interface Visit {
  readonly node: SchemaNode;
  readonly value: Json;
  /** JSON pointer. */
  readonly at: string;
}

/** The visits of a walk along a single tree, in the order of the walk, and the pointers to values that break a constraint. */
export function visitsOf(
  tree: SchemaNode,
  value: Json,
): { readonly visits: readonly Visit[]; readonly broken: readonly string[] } {
  const visits: Visit[] = [];
  const broken: string[] = [];
  walkTree(new Map([['', tree]]), '', value, {
    visit(node, inner, at) {
      if (node !== tree.typing) visits.push({ node, value: inner, at });
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

  root(tree: SchemaNode, value: Json): void {
    const { typing, types, typed } = tree;
    if (typing !== null) this.#visitor.visit(typing, value, '');
    const kept = types?.some((type) => isOfType(value, type)) ?? true;
    if (!kept && typed) this.#reportBreach('', 'type', '', value);
    this.body(tree, value);
  }

  body(tree: SchemaNode, value: Json): void {
    this.node({ ...tree, types: null }, value, '', tree);
  }

  node(node: SchemaNode, value: Json, at: string, visited: SchemaNode = node): void {
    this.#visitor.visit(visited, value, at);
    const typeKept = node.types?.some((type) => isOfType(value, type)) ?? true;
    if (!typeKept && node.typed) this.#reportBreach(node.path, 'type', at, value);
    for (const assertion of node.assertions) {
      const listed = assertion.keyword === 'enum' || assertion.keyword === 'const';
      if ((typeKept || !listed) && !satisfies(value, assertion))
        this.#reportBreach(node.path, assertion.keyword, at, value);
    }
    if (Array.isArray(value)) this.#walkItems(node, value, at);
    else if (isJsonObject(value)) this.#walkProperties(node, value, at);
    if (node.union !== null) this.#walkUnion(node, node.union, value, at);
    for (const ref of node.refs) this.#walkReference(ref, value, at, node.typed ? 'root' : 'body');
  }

  #walkReference(name: string, value: Json, at: string, part: 'root' | 'body'): void {
    const tree = this.#trees.get(name);
    if (tree === undefined) throw new Error(`unknown schema tree ${name}`);
    const inner = new Walk(this.#trees, name, {
      visit: (node, inner, place) => this.#visitor.visit(node, inner, at + place),
      breach: (id, place, actual) => this.#visitor.breach(id, at + place, actual),
    });
    inner[part](tree, value);
  }

  #walkItems(node: SchemaNode, value: readonly Json[], at: string): void {
    if (node.items === null) return;
    for (const [i, item] of value.entries()) this.node(node.items, item, extendPointer(at, i));
  }

  #walkProperties(node: SchemaNode, value: { readonly [key: string]: Json }, at: string): void {
    for (const member of node.members) {
      const property = Object.hasOwn(value, member.name) ? value[member.name] : undefined;
      const place = extendPointer(at, member.name);
      if (property !== undefined) this.node(member.node, property, place);
      else if (member.required) this.#reportBreach(member.node.path, 'required', place, undefined);
      else if (member.expected) this.#reportBreach(member.node.path, 'expected', place, undefined);
    }
    const named = new Set(node.members.map((member) => member.name));
    for (const [key, property] of Object.entries(value)) {
      if (node.keys !== null) this.node(node.keys, key, extendPointer(at, key));
      if (node.values !== null && !named.has(key)) this.node(node.values, property, extendPointer(at, key));
    }
  }

  #walkUnion(node: SchemaNode, union: SchemaUnion, value: Json, at: string): void {
    if (union.by === 'type') {
      const branch = union.branches.filter(({ types }) => types.some((type) => isOfType(value, type)));
      for (const { node: chosen } of branch) this.node(chosen, value, at);
      return;
    }
    if (!isJsonObject(value)) return;
    const { property, branches } = union;
    const path = pathText([...node.steps, { step: 'property', name: property }]);
    const tag = Object.hasOwn(value, property) ? value[property] : undefined;
    const open = branches.find(({ tags }) => tags === null);
    const chosen = branches.find(({ tags }) => typeof tag === 'string' && tags?.includes(tag));
    const broken = (keyword: string): void =>
      this.#reportBreach(path, keyword, extendPointer(at, property), tag);
    if (chosen !== undefined) this.node(chosen.node, value, at);
    else if (open === undefined) broken('enum');
    else if (tag === undefined) broken('required');
    else if (typeof tag !== 'string') broken('type');
    else this.node(open.node, value, at);
  }

  #reportBreach(path: string, keyword: string, at: string, actual: Json | undefined): void {
    this.#visitor.breach(constraintId(this.#name, path, keyword), at, actual);
  }
}

function satisfies(value: Json, { keyword, value: stated }: SchemaAssertion): boolean {
  const size = sizeOf(value, keyword);
  if (keyword === 'enum') return Array.isArray(stated) && stated.some((one: Json) => deepEqual(one, value));
  if (keyword === 'const') return deepEqual(stated as Json, value); // as: schemas are JSON
  if (keyword === 'pattern') return typeof value !== 'string' || matchesPattern(String(stated), value);
  if (keyword === 'uniqueItems') {
    return (
      !Array.isArray(value) || !value.some((a, i) => value.slice(0, i).some((b: Json) => deepEqual(a, b)))
    );
  }
  if (size === null) return true;
  const limit = Number(stated);
  if (keyword === 'exclusiveMinimum') return size > limit;
  if (keyword === 'exclusiveMaximum') return size < limit;
  if (keyword === 'multipleOf') return Number.isInteger(size / limit);
  return keyword.startsWith('min') ? size >= limit : size <= limit;
}

function sizeOf(value: Json, keyword: string): number | null {
  if (keyword.endsWith('Length')) return typeof value === 'string' ? [...value].length : null;
  if (keyword.endsWith('Items')) return Array.isArray(value) ? value.length : null;
  if (keyword.endsWith('Properties')) return isJsonObject(value) ? Object.keys(value).length : null;
  return /inimum|aximum|multipleOf/.test(keyword) && typeof value === 'number' ? value : null;
}
