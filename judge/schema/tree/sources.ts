// Reads the keywords of schemas as written. An unknown keyword is an error: it would otherwise be ignored
// silently.

import type { JsonSchema } from '../../../schemas/index.ts';
import { isObject } from '../../../schemas/json.ts';
import type { Basis } from '../../requirements/requirement.ts';
import { deepEqual, type JsonType } from '../json-kinds.ts';
import type { ConditionalRule, Openness, SchemaAssertion, SchemaNode, SchemaUnion } from './node.ts';
import { type InstanceStep, pathText } from './steps.ts';

/**
 * A schema cannot be turned into requirements. This is a defect of assay, found when the catalogue is built.
 */
export class SchemaDefect extends Error {
  constructor(schema: string, place: string, problem: string) {
    super(`schema ${schema}, at ${place === '' ? 'its root' : place}: ${problem}`);
    this.name = 'SchemaDefect';
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
/** Keywords that a schema may use, beside the annotations `x-…`. */
export const KNOWN_KEYWORDS = new Set([...Object.keys(ASSERTIONS), ...SHAPE, ...SILENT, ...OTHER]);

/** Annotations that others need; `not` is allowed only on the discriminator of a branch for «any other kind». */
const NOTED = new Set(['default', 'not']);

/** A schema as written, and the file it is written in: the base of its references. */
export interface SchemaSource {
  readonly schema: JsonSchema;
  readonly from: string;
}

/** The state of building at one place, inherited by the places below. */
export interface SchemaPlace {
  readonly steps: readonly InstanceStep[];
  readonly spec: string;
  readonly basis: Basis;
  readonly left: Openness | null;
  /** The union that led here has checked the type, or this property. */
  readonly settled: { readonly type: boolean; readonly tag: string | null };
  /** References being resolved, to notice a schema that contains itself. */
  readonly open: readonly string[];
}

/** No union on the way has checked anything. */
export const UNRESOLVED = { type: false, tag: null };

/** A node without any statement. */
export function emptyPlace(
  steps: readonly InstanceStep[],
  spec: string,
  basis: Basis = 'stated',
): SchemaNode {
  const nothing = { open: null, types: null, items: null, values: null, keys: null, union: null };
  const none = { assertions: [], members: [], rules: [], refs: [], notes: {} };
  return { steps, path: pathText(steps), spec, basis, typed: false, typing: null, ...nothing, ...none };
}

/** The rule that a schema with `x-rule` states by `if` and `then`. */
export function conditionalRuleOf(
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

/** Types that the value may have; null if nothing is stated. A union implies them. */
export function typesOf(
  sources: readonly SchemaSource[],
  union: SchemaUnion | null,
  place: SchemaPlace,
): readonly JsonType[] | null {
  const said = mergeKeyword(sources, 'type', place);
  if (said !== undefined) return asArray(Array.isArray(said) ? said : [said]) as JsonType[]; // as: the meta-schema allows nothing else
  if (union === null) return null;
  return union.by === 'tag' ? ['object'] : union.branches.flatMap((branch) => branch.types);
}

/** The keywords that restrict the value, in a fixed order. */
export function assertionsOf(sources: readonly SchemaSource[], place: SchemaPlace): SchemaAssertion[] {
  const found: SchemaAssertion[] = [];
  for (const keyword of ASSERTION_KEYWORDS) {
    const value = mergeKeyword(sources, keyword, place);
    if (value !== undefined) found.push({ keyword, value });
  }
  return found;
}

/** The value of a keyword. Throws SchemaDefect if schemas at one place state different values. */
export function mergeKeyword(sources: readonly SchemaSource[], keyword: string, place: SchemaPlace): unknown {
  // Most places have one schema, and this is asked for each keyword of each place.
  const [only, second] = sources;
  if (second === undefined) return only?.schema[keyword];
  const said = sources.filter(({ schema }) => schema[keyword] !== undefined);
  const value = said[0]?.schema[keyword];
  if (keyword === 'x-spec' || keyword === 'x-basis' || keyword === 'x-open') return value;
  // as: schemas are JSON
  if (said.some(({ schema }) => !deepEqual(schema[keyword] as never, value as never))) {
    throw schemaDefect(said[0]?.from ?? '', place, `two values of ${keyword}`);
  }
  return value;
}

/** `x-basis` holds for everything below, as `x-spec` does. */
export function basisOf(written: unknown): Basis | undefined {
  return written === 'implied' || written === 'stated' ? written : undefined;
}

/** `x-open` holds for everything below, too; the inner one counts. */
export function opennessOf(written: unknown): Openness | null {
  if (written === undefined) return null;
  const { by, sides, keywords } = asObject(written);
  return {
    by: asText(by) ?? '',
    sides: sides === undefined ? ['accepted', 'rejected'] : asArray(sides).map(String),
    keywords: keywords === undefined ? null : asArray(keywords).map(String),
  };
}

/** The annotations of the schemas at a place; of two with the same name the later one. */
export function annotationsOf(sources: readonly SchemaSource[]): JsonSchema {
  const notes: Record<string, unknown> = {};
  for (const { schema } of sources)
    for (const key of Object.keys(schema))
      if (key.startsWith('x-') || NOTED.has(key)) notes[key] = schema[key];
  return notes;
}

export function schemaDefect(from: string, place: SchemaPlace, problem: string): SchemaDefect {
  return new SchemaDefect(from, pathText(place.steps), problem);
}

/** The value where it is an array; an empty one for any other. */
export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asObject(value: unknown): JsonSchema {
  return isObject(value) ? value : {};
}

export function asText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
