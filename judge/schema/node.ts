import type { JsonSchema } from '../../schemas/index.ts';
import { isObject } from '../../schemas/json.ts';
import { pointerToken } from '../../schemas/pointer.ts';
import type { Basis } from '../requirements/requirement.ts';
import { deepEqual, type JsonType } from '../trace/json.ts';

/** Everything that schemas state about one place in an instance, with references and `allOf` resolved. */
export interface SchemaNode {
  /** The steps from the root of the tree; empty for the root. */
  readonly steps: readonly InstanceStep[];
  /** `steps` as text, as in requirement ids: `choices[].index`; empty for the root. */
  readonly path: string;
  /** Part and section from `x-spec`, inherited from the schema above; empty if no schema states one. */
  readonly spec: string;
  /** From `x-basis`, inherited from the schema above; `stated` by default. */
  readonly basis: Basis;
  /** Set by `x-open` if the specification leaves the value here and below open. */
  readonly open: Openness | null;
  /** Null if the schema does not state any. */
  readonly types: readonly JsonType[] | null;
  /** Whether `types` is judged here; in a branch of a union, the selection has already checked it. */
  readonly typed: boolean;
  /** For the root of a tree: the values whose type is judged here, not by a union above. */
  readonly typing: SchemaNode | null;
  /** Keywords that restrict the value, such as `maximum` and `enum`; at most one entry per keyword. */
  readonly assertions: readonly SchemaAssertion[];
  /** Properties that are listed, required or expected, without the tag that selected this branch of a union. */
  readonly members: readonly UnionMember[];
  /** Schema of each element of an array; null if none is stated. */
  readonly items: SchemaNode | null;
  /** Schema of properties that `members` does not name. */
  readonly values: SchemaNode | null;
  /** Schema of property names. */
  readonly keys: SchemaNode | null;
  /** From `oneOf`; null if there is none. */
  readonly union: SchemaUnion | null;
  /** Rules across properties of this object. */
  readonly rules: readonly ConditionalRule[];
  /** Schemas that judge this value under their own names. */
  readonly refs: readonly string[];
  /** `default` and assay's annotations: `x-file`, `x-model-role`, `x-null`. */
  readonly notes: JsonSchema;
}

/** A part of a request whose treatment the specification leaves open. */
export interface Openness {
  /** Id of the choice or exclusion about it. */
  readonly by: string;
  /** The sides of probes, `accepted` or `rejected`, that no requirement covers. */
  readonly sides: readonly string[];
  /** Null for all keywords. */
  readonly keywords: readonly string[] | null;
}

/** A rule across properties: if `condition` holds, `demand` must hold. */
export interface ConditionalRule {
  /** From `x-rule`; the keyword in requirement ids: `top-logprobs-need-logprobs`. */
  readonly name: string;
  /** The `description` of the rule, one sentence; empty without one. */
  readonly says: string;
  /** From `x-spec`, or that of the object. */
  readonly spec: string;
  /** From `x-basis`, or that of the object. */
  readonly basis: Basis;
  /** The `if` of the rule; an empty schema without one. */
  readonly condition: JsonSchema;
  /** The `then` of the rule; an empty schema without one. */
  readonly demand: JsonSchema;
  /** Counts the values for which the condition holds. */
  readonly node: SchemaNode;
}

export interface SchemaAssertion {
  /** A keyword of JSON Schema, or `x-greater-than`. */
  readonly keyword: string;
  /** The value of the keyword as stored in the schema. */
  readonly value: unknown;
}

export interface UnionMember {
  /** The property itself, not its path: `index`. */
  readonly name: string;
  /** Schema of the property; without constraints if it is only listed as required or expected. */
  readonly node: SchemaNode;
  /** Absence breaks a MUST. */
  readonly required: boolean;
  /** Absence breaks a SHOULD. */
  readonly expected: boolean;
}

/** A branch that the value of a property selects. */
export interface TaggedBranch {
  /** Values that select this branch; null for all other values. */
  readonly tags: readonly string[] | null;
  /** Values that the specification shows for a branch without tags; others may follow. */
  readonly seen: readonly string[];
  /** Schema of the whole value, without the property that selects the branch. */
  readonly node: SchemaNode;
}

/** A union of which only one branch is judged, selected by the value of a property or by JSON type. */
export type SchemaUnion =
  | {
      readonly by: 'tag';
      readonly property: string;
      readonly spec: string;
      readonly branches: readonly TaggedBranch[];
    }
  | {
      readonly by: 'type';
      readonly branches: readonly { readonly types: readonly JsonType[]; readonly node: SchemaNode }[];
    };

/**
 * One step from a value to a part of it; `branch` stays at the value and names the selected branch of a union. Paths
 * are part of requirement ids, so their form never changes.
 */
export type InstanceStep =
  | { readonly step: 'property'; readonly name: string }
  | { readonly step: 'items' }
  /** A property that the schema does not name. */
  | { readonly step: 'values' }
  /** The name of a property. */
  | { readonly step: 'keys' }
  | { readonly step: 'branch'; readonly name: string };

/** `tools[function].function.name`, `metadata.*`, `metadata{key}`, `tool_choice(object).type`; empty for the root. */
export function pathText(steps: readonly InstanceStep[]): string {
  let text = '';
  steps.forEach((step, i) => {
    switch (step.step) {
      case 'property':
        text += text === '' ? step.name : `.${step.name}`;
        break;
      case 'items':
        if (steps[i + 1]?.step !== 'branch') text += '[]';
        break;
      case 'values':
        text += text === '' ? '*' : '.*';
        break;
      case 'keys':
        text += '{key}';
        break;
      case 'branch':
        text += steps[i - 1]?.step === 'items' ? `[${step.name}]` : `(${step.name})`;
        break;
    }
  });
  return text;
}

/** The nodes below a node in its tree, without rules and schemas with names of their own. */
export function childrenOf({ members, keys, values, items, union }: SchemaNode): readonly SchemaNode[] {
  const branches = union?.branches.map(({ node }) => node) ?? [];
  const all = [...members.map(({ node }) => node), keys, values, items, ...branches];
  return all.filter((node) => node !== null);
}

export function extendPointer(base: string, token: string | number): string {
  return `${base}/${pointerToken(token)}`;
}

/** Source of schemas; `schemas/index.ts` has this form. */
interface SchemaLibrary {
  /** Returns the schema of this name. */
  schema(name: string): JsonSchema;
  /** Resolves a `$ref` in the schema `fromName`; `pointer` is empty for a whole file. */
  resolveRef(
    fromName: string,
    ref: string,
  ): { readonly name: string; readonly pointer: string; readonly schema: JsonSchema };
}

/**
 * Builds the tree of a named schema: `allOf` and references are resolved, so that every constraint has one place in
 * the instance. With `named: 'apart'` a reference to another file ends the path; with `'inline'` it continues.
 * Throws SchemaDefect for a schema that cannot be judged keyword by keyword.
 */
export function buildTree(library: SchemaLibrary, name: string, named: 'apart' | 'inline'): SchemaNode {
  const root = library.schema(name);
  const spec = typeof root['x-spec'] === 'string' ? root['x-spec'] : '';
  const tree = new Builder(library, named).node([{ schema: root, from: name }], rootPlace(spec, [name]));
  return tree.types === null ? tree : { ...tree, typing: emptyPlace([], spec) };
}

/** Builds the tree of a schema without a file, such as a query parameter; its references are relative to `base`. */
export function buildInlineTree(
  library: SchemaLibrary,
  schema: JsonSchema,
  base: string,
  spec: string,
): SchemaNode {
  return new Builder(library, 'inline').node([{ schema, from: base }], rootPlace(spec, []));
}

function rootPlace(spec: string, open: readonly string[]): SchemaPlace {
  return { steps: [], spec, basis: 'stated', left: null, settled: UNRESOLVED, open };
}

class Builder {
  readonly #library: SchemaLibrary;
  readonly #named: 'apart' | 'inline';

  constructor(library: SchemaLibrary, named: 'apart' | 'inline') {
    this.#library = library;
    this.#named = named;
  }

  node(schemas: readonly SchemaSource[], place: SchemaPlace): SchemaNode {
    const { sources, rules, refs, open } = this.#flatten(schemas, place);
    const spec = asText(mergeKeyword(sources, 'x-spec', place)) ?? place.spec;
    const basis = basisOf(mergeKeyword(sources, 'x-basis', place)) ?? place.basis;
    const openness = opennessOf(mergeKeyword(sources, 'x-open', place)) ?? place.left;
    const here: SchemaPlace = { ...place, spec, basis, left: openness, open };
    const inner = { ...here, settled: UNRESOLVED };
    const union = this.#union(sources, here);
    return {
      ...emptyPlace(place.steps, spec, basis),
      open: openness,
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

  #flatten(
    schemas: readonly SchemaSource[],
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
      if (unknown !== undefined)
        throw new SchemaDefect(from, place, `the keyword ${unknown} cannot be judged`);
      sources.push({ schema, from });
      for (const part of asArray(schema['allOf'])) visit({ schema: asObject(part), from });
      if (typeof schema['$ref'] !== 'string') return;
      const target = this.#library.resolveRef(from, schema['$ref']);
      if (this.#named === 'apart' && target.pointer === '') {
        refs.push(target.name);
        return;
      }
      const key = `${target.name}#${target.pointer}`;
      if (open.includes(key)) throw new SchemaDefect(from, place, `${schema['$ref']} contains itself`);
      open.push(key);
      visit({ schema: target.schema, from: target.name });
    };
    for (const source of schemas) visit(source);
    return { sources, rules, refs, open };
  }

  #property(schemas: readonly SchemaSource[], name: string, place: SchemaPlace): SchemaNode | undefined {
    const { sources, open } = this.#flatten(schemas, place);
    const parts = sources.flatMap(({ schema, from }) => {
      const property = asObject(schema['properties'] ?? {})[name];
      return property === undefined ? [] : [{ schema: asObject(property), from }];
    });
    return parts.length === 0 ? undefined : this.node(parts, { ...place, open, settled: UNRESOLVED });
  }

  #types(schemas: readonly SchemaSource[], place: SchemaPlace): readonly JsonType[] | null {
    const { sources, open } = this.#flatten(schemas, place);
    const here = { ...place, open };
    const types = typesOf(sources, null, here);
    const union = sources.find(({ schema }) => schema['oneOf'] !== undefined);
    if (types !== null || union === undefined) return types;
    if (asObject(union.schema['discriminator'] ?? {})['propertyName'] !== undefined) return ['object'];
    return asArray(union.schema['oneOf']).flatMap(
      (part) => this.#types([{ schema: asObject(part), from: union.from }], here) ?? [],
    );
  }

  #members(sources: readonly SchemaSource[], place: SchemaPlace): UnionMember[] {
    const properties = new Map<string, SchemaSource[]>();
    const names = (keyword: string): Set<string> =>
      new Set(sources.flatMap(({ schema }) => asArray(schema[keyword]).map(String)));
    const [required, expected] = [names('required'), names('x-expected')];
    for (const { schema, from } of sources) {
      for (const [name, property] of Object.entries(asObject(schema['properties'] ?? {}))) {
        const known = properties.get(name) ?? [];
        properties.set(name, [...known, { schema: asObject(property), from }]);
      }
    }
    for (const name of [...required, ...expected]) if (!properties.has(name)) properties.set(name, []);
    return [...properties]
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
      throw new SchemaDefect(
        sources[0]?.from ?? '',
        place,
        `${keyword}: false forbids what is always allowed`,
      );
    }
    return parts.length === 0 ? null : this.node(parts, { ...place, steps: [...place.steps, step] });
  }

  #union(sources: readonly SchemaSource[], place: SchemaPlace): SchemaUnion | null {
    const unions = sources.filter(({ schema }) => schema['oneOf'] !== undefined);
    const [source, second] = unions;
    if (source === undefined) return null;
    if (second !== undefined) throw new SchemaDefect(source.from, place, 'two unions at one place');
    const branches = asArray(source.schema['oneOf']).map((part) => ({
      schema: asObject(part),
      from: source.from,
    }));
    const tag = asObject(source.schema['discriminator'] ?? {})['propertyName'];
    return typeof tag === 'string' ? this.#tagged(branches, tag, place) : this.#typed(branches, place);
  }

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

  #tags(branch: SchemaSource, property: string, place: SchemaPlace): Omit<TaggedBranch, 'node'> {
    const tag = new Builder(this.#library, 'inline').#property([branch], property, place);
    const values = tag?.assertions.flatMap(({ keyword, value }) =>
      keyword === 'const' ? [value] : keyword === 'enum' ? asArray(value) : [],
    );
    // Values of an open list select no branch.
    const seen = asArray(tag?.notes['x-open-enum'] ?? []).map(String);
    if (values !== undefined && values.length > 0) return { tags: values.map(String), seen };
    // `not` excludes the values of the other branches.
    if (tag?.notes['not'] !== undefined) return { tags: null, seen };
    throw new SchemaDefect(branch.from, place, `a branch of the union fixes no value of ${property}`);
  }

  /** A union whose branch is selected by JSON type. Branches have names only if several remain without null. */
  #typed(parts: readonly SchemaSource[], place: SchemaPlace): SchemaUnion {
    const branches = parts.map((branch) => {
      const types = new Builder(this.#library, 'inline').#types([branch], place);
      if (types === null) throw new SchemaDefect(branch.from, place, 'a branch of the union has no type');
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

/** A schema cannot be turned into requirements, for instance because of an unknown keyword: a bug in assay. */
class SchemaDefect extends Error {
  override readonly name = 'SchemaDefect';

  constructor(schema: string, { steps }: SchemaPlace, problem: string) {
    super(`schema ${schema}, at ${pathText(steps) || 'its root'}: ${problem}`);
  }
}

/** Keywords that restrict a value, with the types to which they apply; all types if empty. */
export const ASSERTIONS: Readonly<Record<string, readonly JsonType[]>> = {
  minimum: ['number'],
  maximum: ['number'],
  exclusiveMinimum: ['number'],
  exclusiveMaximum: ['number'],
  multipleOf: ['number'],
  minLength: ['string'],
  maxLength: ['string'],
  pattern: ['string'],
  format: ['string'],
  minItems: ['array'],
  maxItems: ['array'],
  uniqueItems: ['array'],
  minProperties: ['object'],
  maxProperties: ['object'],
  'x-greater-than': ['number'],
  enum: [],
  const: [],
};

const ASSERTION_KEYWORDS = Object.keys(ASSERTIONS);

/** Keywords that form the tree. */
const SHAPE = ['type', 'properties', 'required', 'items', 'additionalProperties', 'propertyNames', 'oneOf'];
/** Keywords without a constraint. */
const SILENT = ['$schema', '$defs', '$comment', 'title', 'description', 'examples', 'deprecated', 'default'];
const OTHER = ['contentMediaType', 'discriminator', 'allOf', '$ref', 'not'];
/** Keywords that a schema may use, besides the annotations `x-…`. */
const KNOWN_KEYWORDS = new Set([...Object.keys(ASSERTIONS), ...SHAPE, ...SILENT, ...OTHER]);

/** Keywords kept as notes. `not` is allowed only on the discriminator of the branch for all other values. */
const NOTED = new Set(['default', 'not']);

/** A schema as written, and its file, to which references are relative. */
interface SchemaSource {
  /** The schema as in its file. */
  readonly schema: JsonSchema;
  /** Name of the file. */
  readonly from: string;
}

/** The state of building at one place, inherited by places below it. */
interface SchemaPlace extends Pick<SchemaNode, 'steps' | 'spec' | 'basis'> {
  /** The nearest `x-open` above; null without one. */
  readonly left: Openness | null;
  /** Whether the union above has checked the type, and which property it has checked. */
  readonly settled: { readonly type: boolean; readonly tag: string | null };
  /** References being resolved, to detect a schema that contains itself. */
  readonly open: readonly string[];
}

const UNRESOLVED = { type: false, tag: null };

function emptyPlace(steps: readonly InstanceStep[], spec: string, basis: Basis = 'stated'): SchemaNode {
  const nothing = { open: null, types: null, items: null, values: null, keys: null, union: null };
  const none = { assertions: [], members: [], rules: [], refs: [], notes: {} };
  return { steps, path: pathText(steps), spec, basis, typed: false, typing: null, ...nothing, ...none };
}

function conditionalRuleOf(
  schema: JsonSchema,
  steps: readonly InstanceStep[],
  inherited: Pick<SchemaPlace, 'spec' | 'basis' | 'left'>,
): ConditionalRule {
  const spec = asText(schema['x-spec']) ?? inherited.spec;
  return {
    name: String(schema['x-rule']),
    says: asText(schema['description']) ?? '',
    spec,
    basis: basisOf(schema['x-basis']) ?? inherited.basis,
    condition: asObject(schema['if'] ?? {}),
    demand: asObject(schema['then'] ?? {}),
    node: { ...emptyPlace(steps, spec), open: opennessOf(schema['x-open']) ?? inherited.left },
  };
}

/** Null if the schema does not state any type. */
function typesOf(
  sources: readonly SchemaSource[],
  union: SchemaUnion | null,
  place: SchemaPlace,
): readonly JsonType[] | null {
  const types = mergeKeyword(sources, 'type', place);
  if (types !== undefined) return asArray(Array.isArray(types) ? types : [types]) as JsonType[]; // as: the meta-schema allows nothing else
  if (union === null) return null;
  return union.by === 'tag' ? ['object'] : union.branches.flatMap((branch) => branch.types);
}

function assertionsOf(sources: readonly SchemaSource[], place: SchemaPlace): SchemaAssertion[] {
  const found: SchemaAssertion[] = [];
  for (const keyword of ASSERTION_KEYWORDS) {
    const value = mergeKeyword(sources, keyword, place);
    if (value !== undefined) found.push({ keyword, value });
  }
  return found;
}

/** Throws SchemaDefect if schemas at one place state different values. */
function mergeKeyword(sources: readonly SchemaSource[], keyword: string, place: SchemaPlace): unknown {
  // Fast path: most places have one schema.
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

/** Like `x-spec`, `x-basis` applies to everything below. */
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

function annotationsOf(sources: readonly SchemaSource[]): JsonSchema {
  const notes: Record<string, unknown> = {};
  for (const { schema } of sources)
    for (const key of Object.keys(schema))
      if (key.startsWith('x-') || NOTED.has(key)) notes[key] = schema[key];
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
