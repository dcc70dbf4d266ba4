import type { JsonSchema } from '../../schemas/index.ts';
import { isObject } from '../../schemas/json.ts';
import type { Basis } from '../requirements/requirement.ts';
import { deepEqual, type JsonType } from '../trace/json.ts';
import {
  ASSERTIONS,
  type ConditionalRule,
  type InstanceStep,
  type Openness,
  pathText,
  type SchemaAssertion,
  type SchemaMember,
  type SchemaNode,
  type SchemaUnion,
  type TaggedBranch,
} from './node.ts';

const ASSERTION_KEYWORDS = Object.keys(ASSERTIONS);

const TREE_KEYWORDS = [
  'type',
  'properties',
  'required',
  'items',
  'additionalProperties',
  'propertyNames',
  'oneOf',
];
const SILENT_KEYWORDS = [
  '$schema',
  '$defs',
  '$comment',
  'title',
  'description',
  'examples',
  'deprecated',
  'default',
];
const OTHER_KEYWORDS = ['contentMediaType', 'discriminator', 'allOf', '$ref', 'not'];
const KNOWN_KEYWORDS = new Set([
  ...ASSERTION_KEYWORDS,
  ...TREE_KEYWORDS,
  ...SILENT_KEYWORDS,
  ...OTHER_KEYWORDS,
]);

/** Keywords kept as notes. `not` is used only on the discriminator of the branch for all other values. */
const NOTED_KEYWORDS = new Set(['default', 'not']);
const NOTHING_SETTLED = { type: false, tag: null };

interface SchemaLibrary {
  schema(name: string): JsonSchema;
  /** `pointer` is empty for a whole file. */
  resolveRef(
    fromName: string,
    ref: string,
  ): { readonly name: string; readonly pointer: string; readonly schema: JsonSchema };
}

/** With `apart`, references to whole schemas stay references. Throws SchemaDefect. */
export function buildTree(library: SchemaLibrary, name: string, references: 'apart' | 'inline'): SchemaNode {
  const root = library.schema(name);
  const spec = typeof root['x-spec'] === 'string' ? root['x-spec'] : '';
  // References to whole schemas are followed only inline, so only there can the root contain itself.
  const source = { schema: root, from: name, resolving: references === 'inline' ? [`${name}#`] : [] };
  const tree = new TreeBuilder(library, references).buildNode([source], rootPlace(spec));
  return tree.types === null ? tree : { ...tree, typeCounter: emptyNode([], spec) };
}

/** Builds the tree of a schema without a file, such as that of a query parameter. Throws SchemaDefect. */
export function buildInlineTree(library: SchemaLibrary, schema: JsonSchema, spec: string): SchemaNode {
  const source = { schema, from: '', resolving: [] };
  return new TreeBuilder(library, 'inline').buildNode([source], rootPlace(spec));
}

function rootPlace(spec: string): SchemaPlace {
  return { steps: [], spec, basis: 'stated', inheritedOpen: null, settled: NOTHING_SETTLED };
}

class TreeBuilder {
  readonly #library: SchemaLibrary;
  readonly #references: 'apart' | 'inline';

  constructor(library: SchemaLibrary, references: 'apart' | 'inline') {
    this.#library = library;
    this.#references = references;
  }

  buildNode(schemas: readonly SchemaSource[], place: SchemaPlace): SchemaNode {
    const { sources, rules, refs } = this.#flatten(schemas, place);
    const spec = asText(mergeKeyword(sources, 'x-spec', place)) ?? place.spec;
    const basis = basisOf(mergeKeyword(sources, 'x-basis', place)) ?? place.basis;
    const openness = opennessOf(mergeKeyword(sources, 'x-open', place)) ?? place.inheritedOpen;
    const here: SchemaPlace = { ...place, spec, basis, inheritedOpen: openness };
    const inner = { ...here, settled: NOTHING_SETTLED };
    const union = this.#buildUnion(sources, here);
    return {
      ...emptyNode(place.steps, spec, basis),
      open: openness,
      types: typesOf(sources, union, here),
      typed: !place.settled.type,
      assertions: assertionsOf(sources, here),
      members: this.#buildMembers(sources, here),
      items: this.#buildChild(sources, 'items', { step: 'items' }, inner),
      values: this.#buildChild(sources, 'additionalProperties', { step: 'values' }, inner),
      keys: this.#buildChild(sources, 'propertyNames', { step: 'keys' }, inner),
      union,
      rules: rules.map((rule) => conditionalRuleOf(rule, here)),
      refs,
      notes: notesOf(sources),
    };
  }

  #flatten(
    schemas: readonly SchemaSource[],
    place: SchemaPlace,
  ): { sources: SchemaSource[]; rules: JsonSchema[]; refs: string[] } {
    const sources: SchemaSource[] = [];
    const rules: JsonSchema[] = [];
    const refs: string[] = [];
    const followed = new Set<string>();
    const visit = (source: SchemaSource): void => {
      const { schema, from, resolving } = source;
      if (typeof schema['x-rule'] === 'string') {
        rules.push(schema);
        return;
      }
      const unknown = Object.keys(schema).find((key) => !KNOWN_KEYWORDS.has(key) && !key.startsWith('x-'));
      if (unknown !== undefined)
        throw new SchemaDefect(from, place, `the keyword ${unknown} cannot be judged`);
      sources.push(source);
      for (const part of asArray(schema['allOf'])) visit({ ...source, schema: asObject(part) });
      if (typeof schema['$ref'] !== 'string') return;
      const target = this.#library.resolveRef(from, schema['$ref']);
      if (this.#references === 'apart' && target.pointer === '') {
        refs.push(target.name);
        return;
      }
      const key = `${target.name}#${target.pointer}`;
      if (resolving.includes(key)) throw new SchemaDefect(from, place, `${schema['$ref']} contains itself`);
      if (followed.has(key)) return;
      followed.add(key);
      visit({ schema: target.schema, from: target.name, resolving: [...resolving, key] });
    };
    for (const source of schemas) visit(source);
    return { sources, rules, refs };
  }

  #buildProperty(schemas: readonly SchemaSource[], name: string, place: SchemaPlace): SchemaNode | undefined {
    const parts = this.#flatten(schemas, place).sources.flatMap((source) => {
      const property = asObject(source.schema['properties'] ?? {})[name];
      return property === undefined ? [] : [{ ...source, schema: asObject(property) }];
    });
    return parts.length === 0 ? undefined : this.buildNode(parts, { ...place, settled: NOTHING_SETTLED });
  }

  #findTypes(schemas: readonly SchemaSource[], place: SchemaPlace): readonly JsonType[] | null {
    const { sources } = this.#flatten(schemas, place);
    const types = typesOf(sources, null, place);
    const union = sources.find(({ schema }) => schema['oneOf'] !== undefined);
    if (types !== null || union === undefined) return types;
    if (asObject(union.schema['discriminator'] ?? {})['propertyName'] !== undefined) return ['object'];
    return asArray(union.schema['oneOf']).flatMap(
      (part) => this.#findTypes([{ ...union, schema: asObject(part) }], place) ?? [],
    );
  }

  #buildMembers(sources: readonly SchemaSource[], place: SchemaPlace): SchemaMember[] {
    const properties = new Map<string, SchemaSource[]>();
    const names = (keyword: string): Set<string> =>
      new Set(sources.flatMap(({ schema }) => asArray(schema[keyword]).map(String)));
    const [required, expected] = [names('required'), names('x-expected')];
    for (const source of sources) {
      for (const [name, property] of Object.entries(asObject(source.schema['properties'] ?? {}))) {
        const known = properties.get(name) ?? [];
        properties.set(name, [...known, { ...source, schema: asObject(property) }]);
      }
    }
    for (const name of [...required, ...expected]) if (!properties.has(name)) properties.set(name, []);
    return [...properties]
      .filter(([name]) => name !== place.settled.tag)
      .map(([name, parts]) => ({
        name,
        required: required.has(name),
        expected: expected.has(name) && !required.has(name),
        node: this.buildNode(parts, {
          ...place,
          settled: NOTHING_SETTLED,
          steps: [...place.steps, { step: 'property', name }],
        }),
      }));
  }

  #buildChild(
    sources: readonly SchemaSource[],
    keyword: string,
    step: InstanceStep,
    place: SchemaPlace,
  ): SchemaNode | null {
    const parts = sources.flatMap((source) => {
      const child = source.schema[keyword];
      return child === undefined || typeof child === 'boolean'
        ? []
        : [{ ...source, schema: asObject(child) }];
    });
    const from = sources[0]?.from ?? '';
    if (sources.some(({ schema }) => schema[keyword] === false))
      throw new SchemaDefect(from, place, `${keyword}: false forbids what is always allowed`);
    return parts.length === 0 ? null : this.buildNode(parts, { ...place, steps: [...place.steps, step] });
  }

  #buildUnion(sources: readonly SchemaSource[], place: SchemaPlace): SchemaUnion | null {
    const unions = sources.filter(({ schema }) => schema['oneOf'] !== undefined);
    const [source, second] = unions;
    if (source === undefined) return null;
    if (second !== undefined) throw new SchemaDefect(source.from, place, 'two unions at one place');
    const branches = asArray(source.schema['oneOf']).map((part) => ({ ...source, schema: asObject(part) }));
    const tag = asObject(source.schema['discriminator'] ?? {})['propertyName'];
    return typeof tag === 'string'
      ? this.#buildTagUnion(branches, tag, place)
      : this.#buildTypeUnion(branches, place);
  }

  #buildTagUnion(branches: readonly SchemaSource[], property: string, place: SchemaPlace): SchemaUnion {
    return {
      by: 'tag',
      property,
      spec: place.spec,
      branches: branches.map((branch) => {
        const { tags, seen } = this.#findTags(branch, property, place);
        const step: InstanceStep = { step: 'branch', name: tags === null ? 'other' : tags.join('|') };
        const settled = { type: true, tag: property };
        const node = this.buildNode([branch], { ...place, settled, steps: [...place.steps, step] });
        return { tags, seen, node };
      }),
    };
  }

  #findTags(branch: SchemaSource, property: string, place: SchemaPlace): Omit<TaggedBranch, 'node'> {
    const tag = new TreeBuilder(this.#library, 'inline').#buildProperty([branch], property, place);
    const values = tag?.assertions.flatMap(({ keyword, value }) => {
      if (keyword === 'const') return [value];
      return keyword === 'enum' ? asArray(value) : [];
    });
    // Values of an open list select no branch.
    const seen = asArray(tag?.notes['x-open-enum'] ?? []).map(String);
    if (values !== undefined && values.length > 0) return { tags: values.map(String), seen };
    // `not` excludes the values of the other branches.
    if (tag?.notes['not'] !== undefined) return { tags: null, seen };
    throw new SchemaDefect(branch.from, place, `a branch of the union fixes no value of ${property}`);
  }

  /** Branches are named only if there are several besides null. */
  #buildTypeUnion(parts: readonly SchemaSource[], place: SchemaPlace): SchemaUnion {
    const branches = parts.map((branch) => {
      const types = new TreeBuilder(this.#library, 'inline').#findTypes([branch], place);
      if (types === null) throw new SchemaDefect(branch.from, place, 'a branch of the union has no type');
      return { branch, types, name: types.filter((type) => type !== 'null').join('|') };
    });
    const areNamed = branches.filter(({ name }) => name !== '').length > 1;
    const settled = { type: true, tag: null };
    return {
      by: 'type',
      branches: branches.map(({ branch, types, name }) => ({
        types,
        node: this.buildNode([branch], {
          ...place,
          settled,
          steps: areNamed ? [...place.steps, { step: 'branch', name }] : place.steps,
        }),
      })),
    };
  }
}

/** A schema that cannot be judged, such as one with an unknown keyword: a bug in assay or in an extension. */
class SchemaDefect extends Error {
  override readonly name = 'SchemaDefect';

  constructor(schema: string, { steps }: SchemaPlace, problem: string) {
    super(`schema ${schema}, at ${pathText(steps) || 'its root'}: ${problem}`);
  }
}

interface SchemaSource {
  readonly schema: JsonSchema;
  /** Name of the schema file; empty for a schema without a file. */
  readonly from: string;
  /** References that lead to this schema, to detect a schema that contains itself. */
  readonly resolving: readonly string[];
}

/** The state in which one place is built. Places below inherit its section, basis and openness. */
interface SchemaPlace extends Pick<SchemaNode, 'steps' | 'spec' | 'basis'> {
  readonly inheritedOpen: Openness | null;
  /** Whether the union above has checked the type, and which property it has checked. */
  readonly settled: { readonly type: boolean; readonly tag: string | null };
}

function emptyNode(steps: readonly InstanceStep[], spec: string, basis: Basis = 'stated'): SchemaNode {
  const unset = { open: null, types: null, items: null, values: null, keys: null, union: null };
  const empty = { assertions: [], members: [], rules: [], refs: [], notes: {} };
  return { steps, path: pathText(steps), spec, basis, typed: false, typeCounter: null, ...unset, ...empty };
}

function conditionalRuleOf(
  schema: JsonSchema,
  inherited: Pick<SchemaPlace, 'steps' | 'spec' | 'basis' | 'inheritedOpen'>,
): ConditionalRule {
  const spec = asText(schema['x-spec']) ?? inherited.spec;
  return {
    name: String(schema['x-rule']),
    says: asText(schema['description']) ?? '',
    spec,
    basis: basisOf(schema['x-basis']) ?? inherited.basis,
    condition: asObject(schema['if'] ?? {}),
    demand: asObject(schema['then'] ?? {}),
    node: {
      ...emptyNode(inherited.steps, spec),
      open: opennessOf(schema['x-open']) ?? inherited.inheritedOpen,
    },
  };
}

function typesOf(
  sources: readonly SchemaSource[],
  union: SchemaUnion | null,
  place: SchemaPlace,
): readonly JsonType[] | null {
  const types = mergeKeyword(sources, 'type', place);
  // as: the meta-schema allows nothing else
  if (types !== undefined) return (Array.isArray(types) ? types : [types]) as JsonType[];
  if (union === null) return null;
  return union.by === 'tag' ? ['object'] : union.branches.flatMap((branch) => branch.types);
}

function assertionsOf(sources: readonly SchemaSource[], place: SchemaPlace): SchemaAssertion[] {
  const assertions: SchemaAssertion[] = [];
  for (const keyword of ASSERTION_KEYWORDS) {
    const value = mergeKeyword(sources, keyword, place);
    const restrictsNothing = value === undefined || (keyword === 'uniqueItems' && value === false);
    if (!restrictsNothing) assertions.push({ keyword, value });
  }
  return assertions;
}

/** Throws SchemaDefect if schemas at one place state different values, except for `x-spec`, `x-basis` and `x-open`. */
function mergeKeyword(sources: readonly SchemaSource[], keyword: string, place: SchemaPlace): unknown {
  // This fast path suffices for most places, which have one schema.
  const [only, second] = sources;
  if (second === undefined) return only?.schema[keyword];
  const stating = sources.filter(({ schema }) => schema[keyword] !== undefined);
  const value = stating[0]?.schema[keyword];
  if (keyword === 'x-spec' || keyword === 'x-basis' || keyword === 'x-open') return value;
  // as: schemas are JSON
  if (stating.some(({ schema }) => !deepEqual(schema[keyword] as never, value as never))) {
    throw new SchemaDefect(stating[0]?.from ?? '', place, `two values of ${keyword}`);
  }
  return value;
}

function basisOf(value: unknown): Basis | undefined {
  return value === 'implied' || value === 'stated' ? value : undefined;
}

function opennessOf(value: unknown): Openness | null {
  if (value === undefined) return null;
  const { by, sides, keywords } = asObject(value);
  return {
    by: asText(by) ?? '',
    sides: sides === undefined ? ['accepted', 'rejected'] : asArray(sides).map(String),
    keywords: keywords === undefined ? null : asArray(keywords).map(String),
  };
}

function notesOf(sources: readonly SchemaSource[]): JsonSchema {
  const notes: Record<string, unknown> = {};
  for (const { schema } of sources)
    for (const key of Object.keys(schema))
      if (key.startsWith('x-') || NOTED_KEYWORDS.has(key)) notes[key] = schema[key];
  return notes;
}

function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function asObject(value: unknown): JsonSchema {
  return isObject(value) ? value : {};
}

function asText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
