// Builds the tree of a schema: `allOf` and references are resolved, so that every constraint has one place in
// the instance.
import type { JsonSchema } from '../../../schemas/index.ts';
import type { JsonType } from '../json-kinds.ts';
import type { SchemaNode, SchemaUnion, TaggedBranch, UnionMember } from './node.ts';
import {
  annotationsOf,
  asArray,
  asObject,
  assertionsOf,
  asText,
  basisOf,
  conditionalRuleOf,
  emptyPlace,
  KNOWN_KEYWORDS,
  mergeKeyword,
  opennessOf,
  type SchemaPlace,
  type SchemaSource,
  schemaDefect,
  typesOf,
  UNRESOLVED,
} from './sources.ts';
import type { InstanceStep } from './steps.ts';

/** Source of schemas; `schemas/index.ts` has this form. */
export interface SchemaLibrary {
  schema(name: string): JsonSchema;
  resolveRef(
    fromName: string,
    ref: string,
  ): { readonly name: string; readonly pointer: string; readonly schema: JsonSchema };
}

/**
 * The tree of a named schema. With `named: 'apart'` a reference to another file ends the path; with `'inline'`
 * it continues. Throws SchemaDefect for a schema that cannot be judged keyword by keyword.
 */
export function buildTree(library: SchemaLibrary, name: string, named: 'apart' | 'inline'): SchemaNode {
  const root = library.schema(name);
  const spec = typeof root['x-spec'] === 'string' ? root['x-spec'] : '';
  const place: SchemaPlace = {
    steps: [],
    spec,
    basis: 'stated',
    left: null,
    settled: UNRESOLVED,
    open: [name],
  };
  const tree = new Builder(library, named).node([{ schema: root, from: name }], place);
  return tree.types === null ? tree : { ...tree, typing: emptyPlace([], spec) };
}

/**
 * The tree of a schema without a file, such as that of a query parameter. `base`: the file to which its
 * references are relative.
 */
export function buildInlineTree(
  library: SchemaLibrary,
  schema: JsonSchema,
  base: string,
  spec: string,
): SchemaNode {
  return new Builder(library, 'inline').node([{ schema, from: base }], {
    steps: [],
    spec,
    basis: 'stated',
    left: null,
    settled: UNRESOLVED,
    open: [],
  });
}

/** Builds nodes from the schemas that apply to one place together. */
class Builder {
  readonly #library: SchemaLibrary;
  readonly #named: 'apart' | 'inline';

  constructor(library: SchemaLibrary, named: 'apart' | 'inline') {
    this.#library = library;
    this.#named = named;
  }

  /** The node of a place. */
  node(written: readonly SchemaSource[], place: SchemaPlace): SchemaNode {
    const { sources, rules, refs, open } = this.#flatten(written, place);
    const spec = asText(mergeKeyword(sources, 'x-spec', place)) ?? place.spec;
    const basis = basisOf(mergeKeyword(sources, 'x-basis', place)) ?? place.basis;
    const left = opennessOf(mergeKeyword(sources, 'x-open', place)) ?? place.left;
    const here: SchemaPlace = { ...place, spec, basis, left, open };
    const inner = { ...here, settled: UNRESOLVED };
    const union = this.#union(sources, here);
    return {
      ...emptyPlace(place.steps, spec, basis),
      open: left,
      types: typesOf(sources, union, here),
      typed: !place.settled.type,
      assertions: assertionsOf(sources, here),
      members: this.#members(sources, here),
      items: this.#child(sources, 'items', { step: 'items' }, inner),
      values: this.#child(sources, 'additionalProperties', { step: 'values' }, inner),
      keys: this.#child(sources, 'propertyNames', { step: 'keys' }, inner),
      union,
      rules: rules.map((rule) => conditionalRuleOf(rule, place.steps, here)),
      refs,
      notes: annotationsOf(sources),
    };
  }

  /** The schemas that apply together at a place: `allOf` and references resolved, named schemas kept apart. */
  #flatten(
    written: readonly SchemaSource[],
    place: SchemaPlace,
  ): { sources: SchemaSource[]; rules: JsonSchema[]; refs: string[]; open: readonly string[] } {
    const sources: SchemaSource[] = [];
    const rules: JsonSchema[] = [];
    const refs: string[] = [];
    const open = [...place.open];
    const visit = ({ schema, from }: SchemaSource): void => {
      if (typeof schema['x-rule'] === 'string') {
        rules.push(schema);
        return;
      }
      const unknown = Object.keys(schema).find((key) => !KNOWN_KEYWORDS.has(key) && !key.startsWith('x-'));
      if (unknown !== undefined) throw schemaDefect(from, place, `the keyword ${unknown} cannot be judged`);
      sources.push({ schema, from });
      for (const part of asArray(schema['allOf'])) visit({ schema: asObject(part), from });
      if (typeof schema['$ref'] !== 'string') return;
      const target = this.#library.resolveRef(from, schema['$ref']);
      if (this.#named === 'apart' && target.pointer === '') {
        refs.push(target.name);
        return;
      }
      const key = `${target.name}#${target.pointer}`;
      if (open.includes(key)) throw schemaDefect(from, place, `${schema['$ref']} contains itself`);
      open.push(key);
      visit({ schema: target.schema, from: target.name });
    };
    for (const source of written) visit(source);
    return { sources, rules, refs, open };
  }

  /**
   * The node of one property of a place; nothing else of the place is built, as branches are looked at before they are built.
   */
  #property(written: readonly SchemaSource[], name: string, place: SchemaPlace): SchemaNode | undefined {
    const { sources, open } = this.#flatten(written, place);
    const parts = sources.flatMap(({ schema, from }) => {
      const property = asObject(schema['properties'] ?? {})[name];
      return property === undefined ? [] : [{ schema: asObject(property), from }];
    });
    return parts.length === 0 ? undefined : this.node(parts, { ...place, open, settled: UNRESOLVED });
  }

  /**
   * The types of a place, as those of its node; nothing else of the place is built. Null if nothing is stated, as in
   * {@link typesOf}.
   */
  #types(written: readonly SchemaSource[], place: SchemaPlace): readonly JsonType[] | null {
    const { sources, open } = this.#flatten(written, place);
    const here = { ...place, open };
    const said = typesOf(sources, null, here);
    const union = sources.find(({ schema }) => schema['oneOf'] !== undefined);
    if (said !== null || union === undefined) return said;
    if (asObject(union.schema['discriminator'] ?? {})['propertyName'] !== undefined) return ['object'];
    return asArray(union.schema['oneOf']).flatMap(
      (part) => this.#types([{ schema: asObject(part), from: union.from }], here) ?? [],
    );
  }

  /** The properties that schemas name or require. */
  #members(sources: readonly SchemaSource[], place: SchemaPlace): UnionMember[] {
    const written = new Map<string, SchemaSource[]>();
    const names = (keyword: string): Set<string> =>
      new Set(sources.flatMap(({ schema }) => asArray(schema[keyword]).map(String)));
    const [required, expected] = [names('required'), names('x-expected')];
    for (const { schema, from } of sources) {
      for (const [name, property] of Object.entries(asObject(schema['properties'] ?? {}))) {
        const known = written.get(name) ?? [];
        written.set(name, [...known, { schema: asObject(property), from }]);
      }
    }
    for (const name of [...required, ...expected]) if (!written.has(name)) written.set(name, []);
    return [...written]
      .filter(([name]) => name !== place.settled.tag)
      .map(([name, parts]) => ({
        name,
        required: required.has(name),
        expected: expected.has(name) && !required.has(name),
        node: this.node(parts, {
          ...place,
          settled: UNRESOLVED,
          steps: [...place.steps, { step: 'property', name }],
        }),
      }));
  }

  /** The node of a keyword that holds one schema. Throws for `false`: unknown fields are always allowed. */
  #child(
    sources: readonly SchemaSource[],
    keyword: string,
    step: InstanceStep,
    place: SchemaPlace,
  ): SchemaNode | null {
    const parts = sources.flatMap(({ schema, from }) =>
      schema[keyword] === undefined || typeof schema[keyword] === 'boolean'
        ? []
        : [{ schema: asObject(schema[keyword]), from }],
    );
    if (sources.some(({ schema }) => schema[keyword] === false)) {
      throw schemaDefect(sources[0]?.from ?? '', place, `${keyword}: false forbids what is always allowed`);
    }
    return parts.length === 0 ? null : this.node(parts, { ...place, steps: [...place.steps, step] });
  }

  /** The union at a place. Throws if there are two. */
  #union(sources: readonly SchemaSource[], place: SchemaPlace): SchemaUnion | null {
    const written = sources.filter(({ schema }) => schema['oneOf'] !== undefined);
    const [source, second] = written;
    if (source === undefined) return null;
    if (second !== undefined) throw schemaDefect(source.from, place, 'two unions at one place');
    const branches = asArray(source.schema['oneOf']).map((part) => ({
      schema: asObject(part),
      from: source.from,
    }));
    const tag = asObject(source.schema['discriminator'] ?? {})['propertyName'];
    return typeof tag === 'string' ? this.#tagged(branches, tag, place) : this.#typed(branches, place);
  }

  /** A union whose discriminator selects the branch. */
  #tagged(branches: readonly SchemaSource[], property: string, place: SchemaPlace): SchemaUnion {
    return {
      by: 'tag',
      property,
      spec: place.spec,
      branches: branches.map((branch) => {
        const { tags, seen } = this.#tags(branch, property, place);
        const step: InstanceStep = { step: 'branch', name: tags === null ? 'other' : tags.join('|') };
        const settled = { type: true, tag: property };
        return {
          tags,
          seen,
          node: this.node([branch], { ...place, settled, steps: [...place.steps, step] }),
        };
      }),
    };
  }

  /** Values of the discriminator that select a branch, null for the branch of all other values; of these the values that were seen. */
  #tags(branch: SchemaSource, property: string, place: SchemaPlace): Omit<TaggedBranch, 'node'> {
    const tag = new Builder(this.#library, 'inline').#property([branch], property, place);
    const values = tag?.assertions.flatMap(({ keyword, value }) =>
      keyword === 'const' ? [value] : keyword === 'enum' ? asArray(value) : [],
    );
    // Values of an open list choose no branch: they are what a request may say without surprise.
    const seen = asArray(tag?.notes['x-open-enum'] ?? []).map(String);
    if (values !== undefined && values.length > 0) return { tags: values.map(String), seen };
    // `not` excludes the values of the other branches.
    if (tag?.notes['not'] !== undefined) return { tags: null, seen };
    throw schemaDefect(branch.from, place, `a branch of the union fixes no value of ${property}`);
  }

  /**
   * A union whose branch is selected by JSON type. Branches have names only if there are several beside null.
   */
  #typed(written: readonly SchemaSource[], place: SchemaPlace): SchemaUnion {
    const branches = written.map((branch) => {
      const types = new Builder(this.#library, 'inline').#types([branch], place);
      if (types === null) throw schemaDefect(branch.from, place, 'a branch of the union has no type');
      return { branch, types, name: types.filter((type) => type !== 'null').join('|') };
    });
    const several = branches.filter(({ name }) => name !== '').length > 1;
    const settled = { type: true, tag: null };
    return {
      by: 'type',
      branches: branches.map(({ branch, types, name }) => ({
        types,
        node: this.node([branch], {
          ...place,
          settled,
          steps: several ? [...place.steps, { step: 'branch', name }] : place.steps,
        }),
      })),
    };
  }
}
