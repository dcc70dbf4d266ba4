// Converts the schemas of a document to those that assay judges. A constraint that cannot be judged is
// dropped and listed as an exclusion.
import { linearTest } from '../exchange/redaction/ecmascript-pattern.ts';
import { UnsupportedPattern } from '../exchange/redaction/linear-pattern.ts';
import type { Exclusion } from '../judge/requirements/requirement.ts';
import type { JsonSchema, SchemaFile } from '../schemas/index.ts';
import { isObject } from '../schemas/json.ts';
import { decodeSegment } from '../schemas/path-template.ts';
import { ExtensionError } from './extension-file.ts';
import type { DocumentObject, OpenApiDocument } from './openapi-document.ts';
import { rejectInvalidSchema, rejectUnusableSchemas } from './unusable-schemas.ts';

const COPIED_KEYWORDS = [
  'type required enum const minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern',
  'minItems maxItems uniqueItems minProperties maxProperties default title description',
  'x-basis x-expected x-file x-greater-than x-open-enum x-shown x-unshown',
].flatMap((line) => line.split(' '));
/** Keywords that are dropped without an exclusion, because they state nothing to judge. */
const IGNORED_KEYWORDS = new Set([
  ...'$schema $id $comment $defs example examples deprecated externalDocs xml readOnly'.split(' '),
  ...'writeOnly format nullable contentEncoding contentMediaType'.split(' '),
]);
const CONVERTED_KEYWORDS = new Set(
  '$ref properties items additionalProperties propertyNames allOf oneOf anyOf discriminator'.split(' '),
);
/** Keywords that apply only to what another keyword leaves; assay does not judge the other one. */
const REMAINDER_KEYWORDS = { items: 'prefixItems', additionalProperties: 'patternProperties' } as const;
/** Maximum nesting of schemas, so that a document cannot exhaust the stack. */
const MAX_DEPTH = 100;
/** Maximum number of places in a request body or parameter after inlining references. */
const MAX_PLACES = 20_000;

interface Place {
  readonly name: string;
  /** Names of properties, `[]` for elements, and `*` and `{key}` for values and keys of maps, joined by dots. */
  readonly path: string;
  readonly depth: number;
  /** References being inlined, outermost first; null if references are kept. */
  readonly inlined: readonly string[] | null;
  /** Paths to places that have a union. Parts of a schema share the set; branches of a union do not. */
  readonly unions: Set<string>;
}

export class SchemaCollector {
  readonly #document: OpenApiDocument;
  readonly #extension: string;
  readonly #roles: ReadonlySet<string>;
  readonly #files = new Map<string, SchemaFile>();
  readonly #waiting: { readonly schema: unknown; readonly place: Place }[] = [];
  readonly #enqueued = new Map<string, unknown>();
  readonly #unjudged = new Map<string, Exclusion>();
  /** Matchers that run in linear time, because patterns are applied to untrusted responses. */
  readonly #patterns = new Map<string, (text: string) => boolean>();
  readonly #sections = new Map<string, string>();
  #placeCount = 0;

  constructor(document: OpenApiDocument, extension: string, roles: Iterable<string>) {
    this.#document = document;
    this.#extension = extension;
    this.#roles = new Set(roles);
  }

  setSection(operation: string, title: string): void {
    this.#sections.set(operation, title);
  }

  /** Returns the name of the schema: that of the component if the schema states only a reference, else `inlineName`. */
  addResponse(schema: unknown, inlineName: string): string {
    const { $ref: ref, ...more } = isObject(schema) ? schema : {};
    if (typeof ref === 'string' && Object.keys(more).every(statesNothing))
      return this.#addComponent(ref, inlineName);
    this.#enqueue(inlineName, schema, null);
    return inlineName;
  }

  /** References are inlined, because each place of a request is probed. */
  addBody(schema: unknown, name: string): void {
    this.#enqueue(name, schema, []);
  }

  convertParameter(schema: unknown, name: string): JsonSchema {
    this.#placeCount = 0;
    const converted = this.#convert(schema, rootPlace(name, []));
    rejectInvalidSchema(this.#document, name, converted);
    return converted;
  }

  /** Converts the added schemas and those that they refer to. Throws ExtensionError. */
  finish() {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      const { schema, place } = next;
      const { name } = place;
      this.#placeCount = 0;
      const converted = this.#convert(schema, place);
      this.#files.set(name, {
        name,
        path: `extensions/${this.#extension}/${name}.json`,
        schema: { 'x-spec': this.#sectionOf(name), ...converted },
      });
    }
    rejectUnusableSchemas(this.#document, this.#files);
    const unjudged: readonly Exclusion[] = [...this.#unjudged.values()];
    return { schemas: [...this.#files.values()], patterns: this.#patterns, unjudged };
  }

  /**
   * Enqueues each schema only once, because schemas may refer to each other cyclically. Throws ExtensionError if
   * another schema has the name.
   */
  #enqueue(name: string, schema: unknown, inlined: Place['inlined']): void {
    if (this.#enqueued.has(name)) {
      if (this.#enqueued.get(name) === schema) return;
      throw this.#document.errorAt(name, 'two schemas would have this name; rename one of them');
    }
    this.#enqueued.set(name, schema);
    this.#waiting.push({ schema, place: rootPlace(name, inlined) });
  }

  #addComponent(ref: string, place: string): string {
    const schema = this.#document.resolveReference(ref, place);
    const [, component] = /^#\/components\/schemas\/([^/]+)$/.exec(ref) ?? [];
    const last = decodeSegment(component ?? ref.slice(2).replaceAll('/', '.'));
    const name = `${this.#extension}.${last.replaceAll(/[^\w.-]/g, '_')}`;
    this.#enqueue(name, schema, null);
    return name;
  }

  /** Throws ExtensionError if the value is not a schema, or is too large. */
  #convert(schema: unknown, place: Place): JsonSchema {
    const { name, depth } = place;
    if (schema === true || schema === undefined) return {};
    // JSON Schema defines `false` as `{"not": {}}`.
    if (schema === false) return this.#convert({ not: {} }, place);
    if (!isObject(schema)) throw this.#document.errorAt(nameOf(place), 'a schema is expected');
    if (depth > MAX_DEPTH)
      throw this.#document.errorAt(name, `schemas are nested more than ${MAX_DEPTH} levels deep`);
    this.#placeCount += 1;
    if (place.inlined !== null && this.#placeCount > MAX_PLACES)
      throw this.#document.errorAt(name, `the request has more than ${MAX_PLACES} places to probe`);
    this.#listUnjudged(schema, place);
    // Foreign annotations are dropped, because ajv is strict about unknown keywords.
    const plain = Object.entries(schema).filter(
      ([keyword, value]) =>
        COPIED_KEYWORDS.includes(keyword) && (keyword !== 'pattern' || this.#registerPattern(value, place)),
    );
    const target = this.#convertReference(schema['$ref'], place);
    const own: JsonSchema = {
      ...Object.fromEntries(plain),
      ...typeFromValues(schema),
      ...this.#convertAnnotations(schema),
      ...this.#convertParts(schema, place),
      ...this.#convertUnion(schema, place),
    };
    // A keyword next to a reference applies in addition to that of the target; only annotations replace it.
    const isShared = Object.keys(own).some((keyword) => keyword in target && !isAnnotation(keyword));
    const { allOf } = own;
    return isShared
      ? { ...own, allOf: [target, ...(Array.isArray(allOf) ? allOf : [])] }
      : { ...target, ...own };
  }

  /**
   * False if the pattern cannot be matched in linear time. True for a value that is not a string, because the
   * converted schema is rejected. Throws ExtensionError if the pattern is invalid.
   */
  #registerPattern(pattern: unknown, place: Place): boolean {
    if (typeof pattern !== 'string' || this.#patterns.has(pattern)) return true;
    try {
      // JSON Schema uses the regular expressions of JavaScript, which reject some patterns that RE2 accepts.
      new RegExp(pattern, 'u');
    } catch {
      throw new ExtensionError(
        `${this.#document.fileName}: the pattern ${pattern} is not a regular expression.`,
      );
    }
    try {
      this.#patterns.set(pattern, linearTest(pattern));
      return true;
    } catch (error) {
      if (!(error instanceof UnsupportedPattern)) throw error;
      const cause = `lookahead, backreferences and counts above 1000 prevent it (${error.message})`;
      this.#leaveOut(place, 'pattern', `the pattern ${pattern} cannot run in linear time: ${cause}`);
      return false;
    }
  }

  #convertAnnotations({ 'x-model-role': role, 'x-spec': spec }: DocumentObject): JsonSchema {
    if (typeof role === 'string' && !this.#roles.has(role))
      throw this.#document.errorAt(`x-model-role ${role}`, 'the extension has no model of this role');
    return {
      ...(typeof role === 'string' && { 'x-model-role': `${this.#extension}.${role}` }),
      ...(typeof spec === 'string' && { 'x-spec': `${this.#extension} ${spec}` }),
    };
  }

  #convertReference(ref: unknown, place: Place): JsonSchema {
    if (typeof ref !== 'string') return {};
    const { inlined } = place;
    if (inlined === null)
      return { $ref: `./${encodeURIComponent(this.#addComponent(ref, nameOf(place)))}.json` };
    // Inlining a recursive reference would never end.
    if (inlined.includes(ref)) {
      this.#leaveOut(place, '$ref', `${ref} contains itself, and a request is probed to a finite depth`);
      return {};
    }
    const target = this.#document.resolveReference(ref, nameOf(place));
    return this.#convert(target, { ...deeper(place), inlined: [...inlined, ref] });
  }

  #convertParts(schema: DocumentObject, place: Place): JsonSchema {
    const below = (value: unknown, step: string): JsonSchema =>
      this.#convert(value, { ...deeper(place), path: place.path === '' ? step : `${place.path}.${step}` });
    const { properties, items, additionalProperties: values, propertyNames, allOf } = schema;
    const { prefixItems, patternProperties: patterns } = schema;
    const members = Object.entries(isObject(properties) ? properties : {});
    return {
      ...(isObject(properties) && {
        properties: Object.fromEntries(members.map(([name, value]) => [name, below(value, name)])),
      }),
      ...(items !== undefined && prefixItems === undefined && { items: below(items, '[]') }),
      ...(isObject(values) && patterns === undefined && { additionalProperties: below(values, '*') }),
      ...(propertyNames !== undefined && { propertyNames: below(propertyNames, '{key}') }),
      ...(Array.isArray(allOf) && { allOf: allOf.map((part) => this.#convert(part, deeper(place))) }),
    };
  }

  #convertUnion(schema: DocumentObject, place: Place): JsonSchema {
    const keyword = schema['oneOf'] === undefined ? 'anyOf' : 'oneOf';
    // `anyOf` is equivalent to `oneOf` if no value matches two branches.
    const branches = schema[keyword];
    if (!Array.isArray(branches)) return {};
    if (keyword === 'oneOf' && schema['anyOf'] !== undefined)
      this.#leaveOut(place, 'anyOf', 'assay judges one union of a schema, and this one has oneOf as well');
    const form = unionForm(this.#document, schema, branches, nameOf(place));
    // Places with equal paths, such as the property `a.b` and the property `b` of `a`, would share ids.
    if (form === null || place.unions.has(place.path)) {
      const unclear = 'neither the JSON type nor a tag distinguishes its branches';
      const second = 'assay judges one union at one place, and another part of the schema has one';
      this.#leaveOut(place, keyword, form === null ? unclear : second);
      return {};
    }
    place.unions.add(place.path);
    const oneOf = branches.map((branch) => this.#convert(branch, { ...deeper(place), unions: new Set() }));
    return { oneOf, ...form };
  }

  #listUnjudged(schema: DocumentObject, place: Place): void {
    const isKnown = (keyword: string): boolean =>
      COPIED_KEYWORDS.includes(keyword) ||
      IGNORED_KEYWORDS.has(keyword) ||
      CONVERTED_KEYWORDS.has(keyword) ||
      keyword.startsWith('x-');
    for (const keyword of Object.keys(schema))
      if (!isKnown(keyword)) this.#leaveOut(place, keyword, 'assay does not judge this keyword');
    for (const [keyword, other] of Object.entries(REMAINDER_KEYWORDS))
      if (schema[keyword] !== undefined && schema[other] !== undefined)
        this.#leaveOut(place, keyword, `it applies to what ${other} leaves, which is not judged`);
    if (schema['additionalProperties'] === false)
      this.#leaveOut(place, 'additionalProperties', 'fields that are not listed are always allowed');
  }

  /** The section of a schema (`greetings.Usage`, `greetings.greet.request`) or parameter (`greetings.greet:limit`). */
  #sectionOf(name: string): string {
    for (const [operation, title] of this.#sections)
      if (name.startsWith(`${operation}.`) || name.startsWith(`${operation}:`)) return title;
    return `${this.#extension} ${name.slice(this.#extension.length + 1)}`;
  }

  #leaveOut({ name, path }: Place, keyword: string, reason: string): void {
    const id = `${name}:${path}#${keyword}`;
    const spec = this.#sectionOf(name);
    const says = `${name}: ${path === '' ? 'the whole' : path} keeps ${keyword}.`;
    const sentence = `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
    this.#unjudged.set(id, { id, spec, says, reason: sentence });
  }
}

function rootPlace(name: string, inlined: Place['inlined']): Place {
  return { name, path: '', depth: 0, inlined, unions: new Set() };
}

function deeper(place: Place): Place {
  return { ...place, depth: place.depth + 1 };
}

/** The place as messages name it: `choir.Song data.items`. */
function nameOf({ name, path }: Place): string {
  return `${name} ${path}`.trim();
}

function statesNothing(keyword: string): boolean {
  return isAnnotation(keyword) || IGNORED_KEYWORDS.has(keyword);
}

function isAnnotation(keyword: string): boolean {
  if (['title', 'description', 'default'].includes(keyword)) return true;
  return keyword.startsWith('x-') && !['x-expected', 'x-greater-than'].includes(keyword);
}

function typeFromValues(schema: DocumentObject): JsonSchema {
  const types = schema['type'] === undefined ? typesOfListedValues(schema) : null;
  if (types === null) return {};
  return { type: types.length === 1 ? types[0] : types };
}

function typesOfListedValues(schema: DocumentObject): readonly string[] | null {
  const listed = 'const' in schema ? [schema['const']] : schema['enum'];
  return Array.isArray(listed) ? [...new Set(listed.map(typeOfValue))] : null;
}

/** How branches are distinguished: by the `discriminator`, or else by JSON type; null if they are not. */
function unionForm(
  document: OpenApiDocument,
  schema: DocumentObject,
  branches: readonly unknown[],
  place: string,
): { readonly discriminator?: { readonly propertyName: string } } | null {
  const tag = isObject(schema['discriminator']) ? schema['discriminator']['propertyName'] : undefined;
  if (typeof tag === 'string') {
    const tags = branches.map((branch) => tagsOf(document.resolve(branch, place), tag, document));
    const isClear =
      tags.every(({ length }) => length > 0) && new Set(tags.flat()).size === tags.flat().length;
    return isClear ? { discriminator: { propertyName: tag } } : null;
  }
  const types = branches.map((branch) => allowedTypes(document, branch, place));
  // A whole number is both an integer and a number. A nested union may have several branches of one type.
  const names = types.flatMap((type) => [
    ...new Set(type?.map((name) => (name === 'integer' ? 'number' : name))),
  ]);
  const isClear = types.every((type) => type !== null) && new Set(names).size === names.length;
  return isClear ? {} : null;
}

/** The JSON types that a schema allows; null if it does not state them, or is one of its own parts. */
function allowedTypes(
  document: OpenApiDocument,
  value: unknown,
  place: string,
  owners: readonly DocumentObject[] = [],
): readonly string[] | null {
  const schema = document.resolve(value, place);
  if (owners.includes(schema)) return null;
  const typesOf = (part: unknown) => allowedTypes(document, part, place, [...owners, schema]);
  const { type } = schema;
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type.map(String);
  const listed = typesOfListedValues(schema);
  if (listed !== null) return listed;
  // All parts apply, so a single part that states the type is enough.
  const parts = schema['allOf'];
  if (Array.isArray(parts)) return parts.map(typesOf).find((types) => types !== null) ?? null;
  const branches = schema['oneOf'] ?? schema['anyOf'];
  if (!Array.isArray(branches)) return isObject(schema['properties']) ? ['object'] : null;
  const branchTypes = branches.map(typesOf);
  return branchTypes.every((types) => types !== null) ? branchTypes.flatMap((types) => types ?? []) : null;
}

function typeOfValue(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** The values of `property` that select a branch of a union; empty if the branch lists none. */
function tagsOf(branch: DocumentObject, property: string, document: OpenApiDocument): readonly unknown[] {
  const { properties } = branch;
  const schema = isObject(properties) ? properties[property] : undefined;
  if (!isObject(schema)) return [];
  const tag = document.resolve(schema, property);
  if (typeof tag['const'] === 'string') return [tag['const']];
  return Array.isArray(tag['enum']) ? [...new Set(tag['enum'])] : [];
}
