// Rewrites unions for judging: a tag or the JSON type selects a branch, and only that branch is judged.
import type { JsonSchema } from './contract.ts';
import { isObject } from './json.ts';
import { type Resolved, resolveRef } from './load.ts';

const SCHEMA_MAPS = new Set(['properties', '$defs', 'patternProperties', 'dependentSchemas']);
const SCHEMA_LISTS = new Set(['allOf', 'anyOf', 'prefixItems']);
const SCHEMA_KEYWORDS = new Set(
  'items additionalProperties propertyNames contains not if then else'.split(' '),
);

interface Branch {
  readonly types: readonly string[];
  /** The schema of the tag in this branch, such as a `const`, or a `not` for all other tags. Undefined: any tag. */
  readonly tag: JsonSchema | undefined;
  readonly schema: unknown;
}

/** Turns each `oneOf` into `if`/`then`, so only the selected branch reports errors. `$ref`s are relative to `name`. */
export function rewriteUnions(name: string, schema: JsonSchema): JsonSchema {
  const rewritten: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'oneOf' || keyword === 'discriminator') continue;
    rewritten[keyword] = rewrite(name, keyword, value);
  }
  const { oneOf } = schema;
  if (!Array.isArray(oneOf)) return rewritten;
  const allOf = Array.isArray(rewritten['allOf']) ? rewritten['allOf'] : [];
  return { ...rewritten, allOf: [...allOf, ...ifThenChain(name, oneOf, tagOf(schema))] };
}

function tagOf({ discriminator }: JsonSchema): string | undefined {
  if (!isObject(discriminator)) return undefined;
  const { propertyName } = discriminator;
  return typeof propertyName === 'string' ? propertyName : undefined;
}

function rewrite(name: string, keyword: string, value: unknown): unknown {
  if (SCHEMA_KEYWORDS.has(keyword)) return innerSchema(name, value);
  if (SCHEMA_LISTS.has(keyword) && Array.isArray(value)) return value.map((part) => innerSchema(name, part));
  if (!SCHEMA_MAPS.has(keyword) || !isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, innerSchema(name, part)]));
}

function innerSchema(name: string, value: unknown): unknown {
  return isObject(value) ? rewriteUnions(name, value) : value;
}

function ifThenChain(name: string, oneOf: readonly unknown[], tag: string | undefined): JsonSchema[] {
  const branches = oneOf.map((branch) => readBranch(name, branch, tag));
  const types = [...new Set(branches.flatMap((branch) => branch.types))];
  return [
    { type: types.length === 1 ? types[0] : types },
    ...(tag === undefined ? [] : [tagRequirement(branches, tag)]),
    ...branches.map((branch) => ({
      if: branchCondition(branch, tag),
      // biome-ignore lint/suspicious/noThenProperty: `then` is the keyword of JSON Schema
      then: innerSchema(name, branch.schema),
    })),
  ];
}

function tagRequirement(branches: readonly Branch[], tag: string): JsonSchema {
  const tagSchemas = branches.flatMap(({ tag: tagSchema }) => (tagSchema === undefined ? [] : [tagSchema]));
  const isClosed = tagSchemas.every((tagSchema) => 'const' in tagSchema);
  const property = isClosed
    ? { enum: tagSchemas.map((tagSchema) => tagSchema['const']) }
    : { type: 'string' };
  // biome-ignore lint/suspicious/noThenProperty: `then` is the keyword of JSON Schema
  return { if: { type: 'object' }, then: { required: [tag], properties: { [tag]: property } } };
}

function branchCondition(branch: Branch, tag: string | undefined): JsonSchema {
  const type = branch.types.length === 1 ? branch.types[0] : branch.types;
  if (tag === undefined || branch.tag === undefined) return { type };
  return { type, required: [tag], properties: { [tag]: branch.tag } };
}

function readBranch(name: string, schema: unknown, tag: string | undefined): Branch {
  const tagSchemas = partsOf(name, schema).flatMap(({ schema: { properties } }) =>
    tag !== undefined && isObject(properties) ? [properties[tag]] : [],
  );
  return { types: typesOf(name, schema), tag: tagSchemas.find(isObject), schema };
}

function typesOf(name: string, schema: unknown): readonly string[] {
  // All parts apply, so a single one that states the type is enough.
  for (const part of partsOf(name, schema)) {
    const { type, oneOf } = part.schema;
    if (type !== undefined) return [type].flat().filter((typeName) => typeof typeName === 'string');
    if (Array.isArray(oneOf)) return oneOf.flatMap((branch) => typesOf(part.name, branch));
  }
  throw new Error(`A union in schema ${name} has a branch that names no type.`);
}

/** Lists the schema, the target of its `$ref` and the members of its `allOf`, with theirs. */
function partsOf(name: string, schema: unknown): readonly Pick<Resolved, 'name' | 'schema'>[] {
  if (!isObject(schema)) throw new Error(`A union in schema ${name} has a branch that is not a schema.`);
  const { $ref, allOf } = schema;
  const target = typeof $ref === 'string' ? resolveRef(name, $ref) : null;
  const members = Array.isArray(allOf) ? allOf.flatMap((member) => partsOf(name, member)) : [];
  return [{ name, schema }, ...(target === null ? [] : partsOf(target.name, target.schema)), ...members];
}
