// Turns the schemas of a document into those that assay judges: one for each name, of the keywords that it knows. A keyword that it
// cannot judge is left out and listed, so that nothing is lost silently.
import type { Exclusion } from '../../judge/requirements/requirement.ts';
import type { JsonSchema, SchemaFile } from '../../schemas/index.ts';
import { isObject } from '../../schemas/json.ts';
import type { OpenApiDocument } from './document.ts';
import { PatternCollector, type Patterns } from './patterns.ts';
import { typeOfValue, unionForm } from './unions.ts';
import { refuseUnusable } from './unusable-schemas.ts';

/** An object of the document. */
type JsonObject = Readonly<Record<string, unknown>>;

/** Keywords that are taken over as they are. */
const PLAIN = [
  'type required enum const minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern',
  'minItems maxItems uniqueItems minProperties maxProperties default title description',
  'x-basis x-expected x-file x-greater-than x-open-enum x-shown x-unshown',
].flatMap((line) => line.split(' '));
/** Keywords that demand nothing. */
const SILENT = new Set(
  [
    '$schema $id $comment $defs title description example examples deprecated externalDocs xml readOnly writeOnly format',
    'contentEncoding contentMediaType discriminator additionalProperties nullable',
  ].flatMap((line) => line.split(' ')),
);
/** Keywords with schemas in them, which are converted. */
const WITH_SCHEMAS = new Set(['$ref', 'properties', 'items', 'propertyNames', 'allOf', 'oneOf', 'anyOf']);
/** Schemas in each other, so that a document cannot exhaust the stack. */
const MOST_NESTED = 100;
/** Places of one request body, whose references are written out. */
const MOST_PLACES = 20_000;

/** Where a schema is converted. */
interface Place {
  /** Name of the schema that it belongs to. */
  readonly name: string;
  /** For messages and ids: `data.items`. */
  readonly path: string;
  /** Schemas around it. */
  readonly depth: number;
  /** References that are being written out; null where a reference stays one. */
  readonly open: readonly string[] | null;
}

/** A schema that is to be converted. */
interface WaitingSchema {
  readonly name: string;
  /** As the document has it. */
  readonly schema: unknown;
  /** Whether references stay, or their targets are written out in their place. */
  readonly refs: 'references' | 'written out';
}

/** The schemas of a document, their patterns, and the keywords that were left out. */
export interface CollectedSchemas {
  readonly schemas: readonly SchemaFile[];
  readonly patterns: Patterns;
  readonly unjudged: readonly Exclusion[];
}

/** Collects the schemas that operations lead to. */
export class SchemaCollector {
  readonly #document: OpenApiDocument;
  /** Name of the extension. */
  readonly #extension: string;
  /** Model roles that schemas may name. */
  readonly #roles: ReadonlySet<string>;
  /** Converted schemas by name. */
  readonly #files = new Map<string, SchemaFile>();
  /** Schemas that were asked for, in the order in which they are converted. */
  readonly #waiting: WaitingSchema[] = [];
  /** Names of all that were ever asked for. */
  readonly #known = new Set<string>();
  /** Keywords that were left out, by the id under which they are listed. */
  readonly #unjudged = new Map<string, Exclusion>();
  /** Patterns of the schemas. */
  readonly #patterns: PatternCollector;
  /** Places of the schema that is being converted. */
  #places = 0;

  /** `roles`: the model roles of the extension, without its name. */
  constructor(document: OpenApiDocument, extension: string, roles: Iterable<string>) {
    this.#document = document;
    this.#extension = extension;
    this.#roles = new Set(roles);
    this.#patterns = new PatternCollector(document.where);
  }

  /** The name of the schema of an answer or an event; `otherwise` where it has none. */
  named(schema: unknown, otherwise: string): string {
    const ref = isObject(schema) ? schema['$ref'] : undefined;
    if (typeof ref === 'string') return this.#component(ref, otherwise);
    this.#wait(otherwise, schema, 'references');
    return otherwise;
  }

  /** The name of the schema of a body: references in it are written out, as each place of a request is probed by itself. */
  request(schema: unknown, name: string): string {
    this.#wait(name, schema, 'written out');
    return name;
  }

  /** A schema without references, of a parameter. */
  parameter(schema: unknown, name: string): JsonSchema {
    this.#places = 0;
    return this.#converted(schema, { name, path: '', depth: 0, open: [] });
  }

  /** All schemas that were asked for, and those that they lead to. Throws ExtensionError. */
  finish(): CollectedSchemas {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      const { name, schema, refs } = next;
      this.#places = 0;
      const place = { name, path: '', depth: 0, open: refs === 'written out' ? [] : null };
      const spec = `${this.#extension} ${name.slice(this.#extension.length + 1)}`;
      this.#files.set(name, {
        name,
        path: `extensions/${this.#extension}/${name}.json`,
        schema: { 'x-spec': spec, ...this.#converted(schema, place) },
      });
    }
    refuseUnusable(this.#document, this.#files);
    return {
      schemas: [...this.#files.values()],
      patterns: this.#patterns.tests,
      unjudged: [...this.#unjudged.values()],
    };
  }

  /** Notes a schema that has to be converted; each name once, as schemas may refer to each other in a circle. */
  #wait(name: string, schema: unknown, refs: WaitingSchema['refs']): void {
    if (this.#known.has(name)) return;
    this.#known.add(name);
    this.#waiting.push({ name, schema, refs });
  }

  /** The name of the schema that a reference leads to: that of the component, or one made of the pointer. */
  #component(ref: string, place: string): string {
    const schema = this.#document.target(ref, place);
    const [, component] = /^#\/components\/schemas\/([^/]+)$/.exec(ref) ?? [];
    const last = decodeURIComponent(component ?? ref.slice(2).replaceAll('/', '.'));
    const name = `${this.#extension}.${last.replaceAll(/[^\w.-]/g, '_')}`;
    this.#wait(name, schema, 'references');
    return name;
  }

  /** A schema with the keywords that assay judges. Throws ExtensionError where it is not a schema, or too large. */
  #converted(written: unknown, place: Place): JsonSchema {
    const { name, path, depth } = place;
    if (written === true || written === undefined) return {};
    if (!isObject(written)) throw this.#document.error(`${name} ${path}`.trim(), 'a schema is expected');
    if (depth > MOST_NESTED)
      throw this.#document.error(name, `schemas are nested more than ${MOST_NESTED} levels deep`);
    this.#places += 1;
    if (place.open !== null && this.#places > MOST_PLACES)
      throw this.#document.error(name, `the request has more than ${MOST_PLACES} places to probe`);
    this.#listUnjudged(written, place);
    // Annotations of others are dropped: ajv is strict about keywords that it does not know.
    const plain = Object.entries(written).filter(
      ([keyword, value]) => PLAIN.includes(keyword) && (keyword !== 'pattern' || this.#takes(value, place)),
    );
    return {
      ...Object.fromEntries(plain),
      ...typeFromValues(written),
      ...this.#own(written),
      ...this.#referred(written['$ref'], place),
      ...this.#inner(written, place),
      ...this.#union(written, place),
    };
  }

  /** Whether a pattern can be judged; one that is not a text is refused later, as any keyword of a wrong type. */
  #takes(pattern: unknown, place: Place): boolean {
    const problem = typeof pattern === 'string' ? this.#patterns.take(pattern) : null;
    if (problem !== null) this.#leaveOut(place, 'pattern', `the pattern ${problem}`);
    return problem === null;
  }

  /** Annotations that name something of the extension. */
  #own(written: JsonObject): JsonSchema {
    const role = written['x-model-role'];
    const { 'x-spec': spec } = written;
    if (typeof role === 'string' && !this.#roles.has(role))
      throw this.#document.error(`x-model-role ${role}`, 'the extension has no model of this role');
    return {
      ...(typeof role === 'string' && { 'x-model-role': `${this.#extension}.${role}` }),
      ...(typeof spec === 'string' && { 'x-spec': `${this.#extension} ${spec}` }),
    };
  }

  /** A reference, or in a request what it leads to; one that leads into itself is left out. */
  #referred(ref: unknown, place: Place): JsonSchema {
    if (typeof ref !== 'string') return {};
    const { name, path, open } = place;
    if (open === null)
      return { $ref: `./${encodeURIComponent(this.#component(ref, `${name} ${path}`))}.json` };
    // Written out once more, it would never end.
    if (open.includes(ref)) {
      this.#leaveOut(place, '$ref', `${ref} contains itself, and a request is probed to a finite depth`);
      return {};
    }
    const target = this.#document.target(ref, `${name} ${path}`);
    return this.#converted(target, { ...place, depth: place.depth + 1, open: [...open, ref] });
  }

  /** The schemas inside a schema. */
  #inner(written: JsonObject, place: Place): JsonSchema {
    const below = (value: unknown, step: string): JsonSchema =>
      this.#converted(value, {
        ...place,
        path: place.path === '' ? step : `${place.path}.${step}`,
        depth: place.depth + 1,
      });
    const { properties, items, additionalProperties: values, propertyNames, allOf } = written;
    return {
      ...(isObject(properties) && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([name, value]) => [name, below(value, name)]),
        ),
      }),
      ...(isObject(items) && { items: below(items, '[]') }),
      ...(isObject(values) && { additionalProperties: below(values, '*') }),
      ...(isObject(propertyNames) && { propertyNames: below(propertyNames, '{key}') }),
      ...(Array.isArray(allOf) && { allOf: allOf.map((part) => this.#converted(part, deeper(place))) }),
    };
  }

  /** A union whose branch a value names; any other one is left out. */
  #union(written: JsonObject, place: Place): JsonSchema {
    const keyword = written['oneOf'] === undefined ? 'anyOf' : 'oneOf';
    // `anyOf` says the same where no value fits two branches.
    const branches = written[keyword];
    if (!Array.isArray(branches)) return {};
    const form = unionForm(this.#document, written, branches, `${place.name} ${place.path}`);
    if (form === null) {
      this.#leaveOut(place, keyword, 'neither the JSON type nor a tag distinguishes its branches');
      return {};
    }
    const oneOf = branches.map((branch) => this.#converted(branch, deeper(place)));
    return form.by === 'type' ? { oneOf } : { oneOf, discriminator: { propertyName: form.property } };
  }

  /** Lists the keywords of a schema that are left out. */
  #listUnjudged(written: JsonObject, place: Place): void {
    for (const keyword of Object.keys(written))
      if (
        !PLAIN.includes(keyword) &&
        !SILENT.has(keyword) &&
        !WITH_SCHEMAS.has(keyword) &&
        !keyword.startsWith('x-')
      )
        this.#leaveOut(place, keyword, 'assay does not judge this keyword');
    if (written['additionalProperties'] === false)
      this.#leaveOut(place, 'additionalProperties', 'fields that are not listed are always allowed');
  }

  /** Lists one keyword, with the reason, as an exclusion. */
  #leaveOut({ name, path }: Place, keyword: string, reason: string): void {
    const id = `${name}:${path}#${keyword}`;
    const spec = `${this.#extension} ${name.slice(this.#extension.length + 1)}`;
    const says = `${name}: ${path === '' ? 'the whole' : path} keeps ${keyword}.`;
    this.#unjudged.set(id, {
      id,
      spec,
      says,
      reason: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`,
    });
  }
}

/** The place of a schema in another one that applies to the same value. */
function deeper(place: Place): Place {
  return { ...place, depth: place.depth + 1 };
}

/** The type that listed values have, where the schema names none. */
function typeFromValues(written: JsonObject): JsonSchema {
  const listed = 'const' in written ? [written['const']] : written['enum'];
  if (written['type'] !== undefined || !Array.isArray(listed)) return {};
  const types = [...new Set(listed.map(typeOfValue))];
  return { type: types.length === 1 ? types[0] : types };
}
