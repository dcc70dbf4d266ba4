import { type JsonSchema, resolveRef, schema } from '../index.ts';
import { isObject } from '../json.ts';
import { pointerToken } from '../pointer.ts';

const VALUE_KEYWORDS = [
  'const',
  'enum',
  'pattern',
  'minimum',
  'maximum',
  'maxLength',
  'maxItems',
  'maxProperties',
  'x-greater-than',
];

interface Place {
  readonly file: string;
  readonly schema: JsonSchema;
  /** JSON pointer, with `*` for any element or key. */
  readonly pointer: string;
  /** The tag of the union, if this is one of its branches; the constraints of the union cover the tag. */
  readonly tag?: string | undefined;
}

/** The constraints that a schema file itself states, as `keyword at pointer`, and the types that other files state. */
export function statedConstraints(name: string): readonly string[] {
  return [...new Set(listConstraints({ file: name, schema: schema(name), pointer: '' }))];
}

/** Whether `violatedConstraint` is an instance of `constraint`, in which `*` stands for any element or key. */
export function coversConstraint(constraint: string, violatedConstraint: string): boolean {
  const tokens = violatedConstraint.split('/');
  const pattern = constraint.split('/');
  return pattern.length === tokens.length && pattern.every((part, i) => part === '*' || part === tokens[i]);
}

export function crossFieldRules({ allOf }: JsonSchema): readonly JsonSchema[] {
  return Array.isArray(allOf) ? allOf.filter(isObject).filter((part) => 'x-rule' in part) : [];
}

function* listConstraints(place: Place): Generator<string> {
  const { file, schema: subschema, pointer } = place;
  const { $ref, oneOf } = subschema;
  if (typesOf(file, subschema).length > 0) yield placeName('type', pointer);
  if (typeof $ref === 'string') {
    const target = resolveRef(file, $ref);
    if (target.name === file) yield* listConstraints({ ...place, schema: target.schema });
  } else if (Array.isArray(oneOf)) yield* listUnionConstraints(place, oneOf.filter(isObject));
  else yield* listValueConstraints(place);
}

function* listValueConstraints({ file, schema: subschema, pointer, tag }: Place): Generator<string> {
  for (const keyword of VALUE_KEYWORDS) if (keyword in subschema) yield placeName(keyword, pointer);
  if ('propertyNames' in subschema) yield placeName('propertyNames', pointer);
  const { required, properties, items, additionalProperties } = subschema;
  for (const name of Array.isArray(required) ? required : []) {
    if (name !== tag) yield placeName('required', `${pointer}/${pointerToken(String(name))}`);
  }
  for (const [key, property] of Object.entries(isObject(properties) ? properties : {})) {
    if (key !== tag && isObject(property))
      yield* listConstraints({ file, schema: property, pointer: `${pointer}/${pointerToken(key)}` });
  }
  for (const element of [items, additionalProperties].filter(isObject)) {
    yield* listConstraints({ file, schema: element, pointer: `${pointer}/*` });
  }
}

function* listUnionConstraints(place: Place, branches: readonly JsonSchema[]): Generator<string> {
  const { file, schema: subschema, pointer } = place;
  const { discriminator } = subschema;
  const tag = isObject(discriminator) ? String(discriminator['propertyName']) : undefined;
  if (tag !== undefined) {
    yield placeName('required', `${pointer}/${tag}`);
    if (branches.every((branch) => 'const' in tagSchema(file, branch, tag)))
      yield placeName('enum', `${pointer}/${tag}`);
  }
  for (const branch of branches)
    if (!('$ref' in branch)) yield* listConstraints({ file, schema: branch, pointer, tag });
}

function tagSchema(file: string, branch: JsonSchema, tag: string): JsonSchema {
  const { $ref } = branch;
  const { properties } = typeof $ref === 'string' ? resolveRef(file, $ref).schema : branch;
  const property = isObject(properties) ? properties[tag] : undefined;
  return isObject(property) ? property : {};
}

function typesOf(file: string, subschema: JsonSchema): readonly string[] {
  const { $ref, type, oneOf } = subschema;
  if (typeof $ref === 'string') {
    const target = resolveRef(file, $ref);
    return typesOf(target.name, target.schema);
  }
  if (Array.isArray(oneOf)) return oneOf.filter(isObject).flatMap((branch) => typesOf(file, branch));
  return [type].flat().filter((name) => typeof name === 'string');
}

function placeName(keyword: string, pointer: string): string {
  return `${keyword} at ${pointer || '/'}`;
}
