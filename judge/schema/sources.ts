import type { JsonSchema } from '../../schemas/index.ts';
import type { Basis } from '../requirement.ts';
import { type JsonType, same } from './kinds.ts';
import type { Assertion, Node, Openness, Rule, Union } from './node.ts';
import { pathText, type Step } from './steps.ts';

/** A schema cannot be turned into requirements: our own defect, found when the catalogue is built. */
export class SchemaDefect extends Error {
  constructor(schema: string, place: string, problem: string) {
    super(`schema ${schema}, at ${place === '' ? 'its root' : place}: ${problem}`);
    this.name = 'SchemaDefect';
  }
}

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

const SHAPE = ['type', 'properties', 'required', 'items', 'additionalProperties', 'propertyNames', 'oneOf'];
const SILENT = ['$schema', '$defs', '$comment', 'title', 'description', 'examples', 'deprecated', 'default'];
const OTHER = ['contentMediaType', 'discriminator', 'allOf', '$ref', 'not'];
export const KNOWN = new Set([...Object.keys(ASSERTIONS), ...SHAPE, ...SILENT, ...OTHER]);

/** Annotations that others need; `not` is allowed only on the discriminator of a branch for «any other kind». */
const NOTED = new Set(['default', 'not']);

/** A schema as written, and the file it is written in: the base of its references. */
export interface Source {
  readonly schema: JsonSchema;
  readonly from: string;
}

export interface Place {
  readonly steps: readonly Step[];
  readonly spec: string;
  readonly basis: Basis;
  readonly left: Openness | null;
  /** The union that led here has checked the type, or this property. */
  readonly settled: { readonly type: boolean; readonly tag: string | null };
  /** References being resolved, to notice a schema that contains itself. */
  readonly open: readonly string[];
}

export const UNSETTLED = { type: false, tag: null };

/** A place of which nothing is said. */
export function blank(steps: readonly Step[], spec: string, basis: Basis = 'stated'): Node {
  const nothing = { open: null, types: null, items: null, values: null, keys: null, union: null };
  const none = { assertions: [], members: [], rules: [], refs: [], notes: {} };
  return { steps, path: pathText(steps), spec, basis, typed: false, typing: null, ...nothing, ...none };
}

export function ruleOf(
  schema: JsonSchema,
  steps: readonly Step[],
  inherited: Pick<Place, 'spec' | 'basis' | 'left'>,
): Rule {
  const spec = text(schema['x-spec']) ?? inherited.spec;
  return {
    name: String(schema['x-rule']),
    says: text(schema['description']) ?? '',
    spec,
    basis: basisOf(schema['x-basis']) ?? inherited.basis,
    condition: object(schema['if'] ?? {}),
    demand: object(schema['then'] ?? {}),
    node: { ...blank(steps, spec), open: opennessOf(schema['x-open']) ?? inherited.left },
  };
}

export function types(
  sources: readonly Source[],
  union: Union | null,
  place: Place,
): readonly JsonType[] | null {
  const said = merged(sources, 'type', place);
  if (said !== undefined) return array(Array.isArray(said) ? said : [said]) as JsonType[]; // as: the meta-schema allows nothing else
  if (union === null) return null;
  return union.by === 'tag' ? ['object'] : union.branches.flatMap((branch) => branch.types);
}

export function assertions(sources: readonly Source[], place: Place): Assertion[] {
  return Object.keys(ASSERTIONS)
    .map((keyword) => ({ keyword, value: merged(sources, keyword, place) }))
    .filter(({ value }) => value !== undefined);
}

/** The value of a keyword, which may be said twice only if it says the same. */
export function merged(sources: readonly Source[], keyword: string, place: Place): unknown {
  const said = sources.filter(({ schema }) => schema[keyword] !== undefined);
  const value = said[0]?.schema[keyword];
  if (keyword === 'x-spec' || keyword === 'x-basis' || keyword === 'x-open') return value;
  // as: schemas are JSON
  if (said.some(({ schema }) => !same(schema[keyword] as never, value as never))) {
    throw defect(said[0]?.from ?? '', place, `two values of ${keyword}`);
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
  const { by, sides, keywords } = object(written);
  return {
    by: text(by) ?? '',
    sides: sides === undefined ? ['accepted', 'rejected'] : array(sides).map(String),
    keywords: keywords === undefined ? null : array(keywords).map(String),
  };
}

export function notes(sources: readonly Source[]): JsonSchema {
  const entries = sources.flatMap(({ schema }) => Object.entries(schema));
  return Object.fromEntries(entries.filter(([key]) => key.startsWith('x-') || NOTED.has(key)));
}

export function defect(from: string, place: Place, problem: string): SchemaDefect {
  return new SchemaDefect(from, pathText(place.steps), problem);
}

export function array(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function object(value: unknown): JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonSchema) : {}; // as: checked
}

export function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
