import type { JsonSchema } from '../../schemas/index.ts';
import type { Member, Node, Union } from './node.ts';
import {
  array,
  assertions,
  basisOf,
  blank,
  defect,
  KNOWN,
  merged,
  notes,
  object,
  opennessOf,
  type Place,
  ruleOf,
  type Source,
  text,
  types,
  UNSETTLED,
} from './sources.ts';
import type { Step } from './steps.ts';

/** Where schemas come from; `schemas/index.ts` has this form. */
export interface Library {
  schema(name: string): JsonSchema;
  resolveRef(
    fromName: string,
    ref: string,
  ): { readonly name: string; readonly pointer: string; readonly schema: JsonSchema };
}

/**
 * The tree of a named schema. With `named: 'apart'` a reference to another file ends the path there, with
 * `'inline'` it goes on. Throws SchemaDefect on what cannot be judged keyword by keyword.
 */
export function buildTree(library: Library, name: string, named: 'apart' | 'inline'): Node {
  const root = library.schema(name);
  const spec = typeof root['x-spec'] === 'string' ? root['x-spec'] : '';
  const place: Place = { steps: [], spec, basis: 'stated', left: null, settled: UNSETTLED, open: [name] };
  const tree = new Builder(library, named).node([{ schema: root, from: name }], place);
  return tree.types === null ? tree : { ...tree, typing: blank([], spec) };
}

/** The tree of a schema that stands in no file of its own, such as that of a query parameter. */
export function buildLoose(library: Library, schema: JsonSchema, base: string, spec: string): Node {
  return new Builder(library, 'inline').node([{ schema, from: base }], {
    steps: [],
    spec,
    basis: 'stated',
    left: null,
    settled: UNSETTLED,
    open: [],
  });
}

class Builder {
  readonly #library: Library;
  readonly #named: 'apart' | 'inline';

  constructor(library: Library, named: 'apart' | 'inline') {
    this.#library = library;
    this.#named = named;
  }

  node(written: readonly Source[], place: Place): Node {
    const { sources, rules, refs, open } = this.#flatten(written, place);
    const spec = text(merged(sources, 'x-spec', place)) ?? place.spec;
    const basis = basisOf(merged(sources, 'x-basis', place)) ?? place.basis;
    const left = opennessOf(merged(sources, 'x-open', place)) ?? place.left;
    const here: Place = { ...place, spec, basis, left, open };
    const inner = { ...here, settled: UNSETTLED };
    const union = this.#union(sources, here);
    return {
      ...blank(place.steps, spec, basis),
      open: left,
      types: types(sources, union, here),
      typed: !place.settled.type,
      assertions: assertions(sources, here),
      members: this.#members(sources, here),
      items: this.#child(sources, 'items', { step: 'items' }, inner),
      values: this.#child(sources, 'additionalProperties', { step: 'values' }, inner),
      keys: this.#child(sources, 'propertyNames', { step: 'keys' }, inner),
      union,
      rules: rules.map((rule) => ruleOf(rule, place.steps, here)),
      refs,
      notes: notes(sources),
    };
  }

  /** The schemas that hold together at this place: `allOf` and references resolved, named ones kept apart. */
  #flatten(
    written: readonly Source[],
    place: Place,
  ): { sources: Source[]; rules: JsonSchema[]; refs: string[]; open: readonly string[] } {
    const sources: Source[] = [];
    const rules: JsonSchema[] = [];
    const refs: string[] = [];
    const open = [...place.open];
    const visit = ({ schema, from }: Source): void => {
      if (typeof schema['x-rule'] === 'string') {
        rules.push(schema);
        return;
      }
      const unknown = Object.keys(schema).find((key) => !KNOWN.has(key) && !key.startsWith('x-'));
      if (unknown !== undefined) throw defect(from, place, `the keyword ${unknown} cannot be judged`);
      sources.push({ schema, from });
      for (const part of array(schema['allOf'])) visit({ schema: object(part), from });
      if (typeof schema['$ref'] !== 'string') return;
      const target = this.#library.resolveRef(from, schema['$ref']);
      if (this.#named === 'apart' && target.pointer === '') {
        refs.push(target.name);
        return;
      }
      const key = `${target.name}#${target.pointer}`;
      if (open.includes(key)) throw defect(from, place, `${schema['$ref']} contains itself`);
      open.push(key);
      visit({ schema: target.schema, from: target.name });
    };
    for (const source of written) visit(source);
    return { sources, rules, refs, open };
  }

  #members(sources: readonly Source[], place: Place): Member[] {
    const written = new Map<string, Source[]>();
    const names = (keyword: string): Set<string> =>
      new Set(sources.flatMap(({ schema }) => array(schema[keyword]).map(String)));
    const [required, expected] = [names('required'), names('x-expected')];
    for (const { schema, from } of sources) {
      for (const [name, property] of Object.entries(object(schema['properties'] ?? {}))) {
        const known = written.get(name) ?? [];
        written.set(name, [...known, { schema: object(property), from }]);
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
          settled: UNSETTLED,
          steps: [...place.steps, { step: 'property', name }],
        }),
      }));
  }

  #child(sources: readonly Source[], keyword: string, step: Step, place: Place): Node | null {
    const parts = sources.flatMap(({ schema, from }) =>
      schema[keyword] === undefined || typeof schema[keyword] === 'boolean'
        ? []
        : [{ schema: object(schema[keyword]), from }],
    );
    if (sources.some(({ schema }) => schema[keyword] === false)) {
      throw defect(sources[0]?.from ?? '', place, `${keyword}: false forbids what is always allowed`);
    }
    return parts.length === 0 ? null : this.node(parts, { ...place, steps: [...place.steps, step] });
  }

  #union(sources: readonly Source[], place: Place): Union | null {
    const written = sources.filter(({ schema }) => schema['oneOf'] !== undefined);
    const [source, second] = written;
    if (source === undefined) return null;
    if (second !== undefined) throw defect(source.from, place, 'two unions at one place');
    const branches = array(source.schema['oneOf']).map((part) => ({
      schema: object(part),
      from: source.from,
    }));
    const tag = object(source.schema['discriminator'] ?? {})['propertyName'];
    return typeof tag === 'string' ? this.#tagged(branches, tag, place) : this.#typed(branches, place);
  }

  #tagged(branches: readonly Source[], property: string, place: Place): Union {
    return {
      by: 'tag',
      property,
      spec: place.spec,
      branches: branches.map((branch) => {
        const tags = this.#tags(branch, property, place);
        const step: Step = { step: 'branch', name: tags === null ? 'other' : tags.join('|') };
        const settled = { type: true, tag: property };
        return { tags, node: this.node([branch], { ...place, settled, steps: [...place.steps, step] }) };
      }),
    };
  }

  /** The values of the discriminator that choose this branch; null when it takes all that the others do not. */
  #tags(branch: Source, property: string, place: Place): string[] | null {
    const inline = new Builder(this.#library, 'inline').node([branch], { ...place, settled: UNSETTLED });
    const tag = inline.members.find(({ name }) => name === property)?.node;
    const values = tag?.assertions.flatMap(({ keyword, value }) =>
      keyword === 'const' ? [value] : keyword === 'enum' ? array(value) : [],
    );
    if (values !== undefined && values.length > 0) return values.map(String);
    if (tag?.notes['not'] !== undefined) return null;
    throw defect(branch.from, place, `a branch of the union fixes no value of ${property}`);
  }

  /** A branch is named only where there are several beside null. */
  #typed(written: readonly Source[], place: Place): Union {
    const branches = written.map((branch) => {
      const { types } = new Builder(this.#library, 'inline').node([branch], { ...place, settled: UNSETTLED });
      if (types === null) throw defect(branch.from, place, 'a branch of the union has no type');
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
