// Finds values that break a constraint, by keyword. A mutation never breaks a second constraint on purpose.

import type { Json } from '../../../exchange/http/body.ts';
import type { JsonSchema } from '../../../schemas/index.ts';
import { isJsonObject, isObject } from '../../../schemas/json.ts';
import { type Edit, removeValue, setValue } from '../../mutations/values.ts';
import { responseInspector } from '../../schema/carried-schemas.ts';
import type { SchemaConstraint } from '../../schema/constraints.ts';
import { isOfType, type JsonType } from '../../schema/json-kinds.ts';
import { conditionalRuleIn } from '../../schema/sentence.ts';
import type { ConditionalRule } from '../../schema/tree/node.ts';
import { extendPointer } from '../../schema/tree/steps.ts';
import { schemaList } from './json-schema.ts';
import { mutationKindsOfConstraint, partMutationKind } from './mutation-kinds.ts';

/** One way to break a constraint at a place. */
export interface SchemaMutation {
  /** One of the kinds in `mutation-kinds.ts`. */
  readonly kind: string;
  readonly name: string;
  readonly edit: Edit;
}

/** One value of each JSON type, and a number that is not an integer. */
const ODD: readonly Json[] = [null, 'odd', 12_345, 1.5, true, ['odd'], { odd: true }];

/** Ways to break a constraint at a JSON pointer; `value` is the value there. */
export function schemaMutationsOf(
  constraint: SchemaConstraint,
  at: string,
  value: Json | undefined,
): readonly SchemaMutation[] {
  const { keyword, value: said, steps } = constraint;
  const rule = conditionalRuleIn(said);
  if (rule !== null) return ofRule(rule, at, value ?? null);
  if (keyword === 'required' || keyword === 'expected')
    return [{ kind: 'missing', name: 'missing', edit: removeValue(at) }];
  if (steps.at(-1)?.step === 'keys') return ofKey(constraint, at);
  const [kind] = mutationKindsOfConstraint(constraint).slice(-1);
  return wrong(keyword, said, value).map(([name, broken]) => ({
    kind: keyword === 'type' && broken === null ? 'null' : (kind ?? keyword),
    name,
    edit: setValue(at, broken),
  }));
}

/** Names and values that break a keyword. */
function wrong(
  keyword: string,
  said: unknown,
  value: Json | undefined,
): readonly (readonly [string, Json])[] {
  if (keyword === 'type') {
    // Null and 1.5 are tried wherever they are wrong; of the other types one is enough.
    const types = Array.isArray(said) ? said : [said];
    const odd = ODD.filter((one) => !types.some((type: JsonType) => isOfType(one, type)));
    return [
      ...odd.filter((one) => one === null || one === 1.5),
      ...odd.filter((one) => one !== null && one !== 1.5).slice(0, 1),
    ].map((one) => [`${JSON.stringify(one)} instead`, one]);
  }
  // A wrong value of the right type, so that only this keyword is broken.
  if (keyword === 'enum' || keyword === 'const') {
    return typeof value === 'boolean' ? [['the opposite', !value]] : [['another value', 'no_such_value']];
  }
  return beyond(keyword, Number(said), value);
}

/** Names and values just beyond a limit. */
function beyond(
  keyword: string,
  limit: number,
  value: Json | undefined,
): readonly (readonly [string, Json])[] {
  switch (keyword) {
    case 'minimum':
      return [['one less', limit - 1]];
    case 'maximum':
      return [['one more', limit + 1]];
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return [['at the limit', limit]];
    case 'minLength':
      return [['too short', 'x'.repeat(Math.max(0, limit - 1))]];
    case 'maxLength':
      return [['too long', 'x'.repeat(limit + 1)]];
    case 'pattern':
      return [['another form', '\u0000 odd']];
    case 'minItems':
      return Array.isArray(value) ? [['too few', value.slice(0, Math.max(0, limit - 1))]] : [];
    case 'maxItems':
      return Array.isArray(value) ? [['too many', Array<Json>(limit + 1).fill(value[0] ?? 'odd')]] : [];
    case 'uniqueItems':
      return Array.isArray(value) ? [['one twice', [...value, value[0] ?? null, value[0] ?? null]]] : [];
    case 'maxProperties':
      return [
        ['too many', Object.fromEntries(Array.from({ length: limit + 1 }, (_, i) => [`key${i}`, 'odd']))],
      ];
    case 'minProperties':
      return [['too few', {}]];
    default:
      return [];
  }
}

/** A property name that breaks a constraint on names. */
function ofKey(constraint: SchemaConstraint, at: string): readonly SchemaMutation[] {
  const { keyword, value } = constraint;
  const [kind = keyword] = mutationKindsOfConstraint(constraint);
  const parent = at.slice(0, at.lastIndexOf('/'));
  return wrong(keyword, value, '').flatMap(([name, key]) => {
    if (typeof key !== 'string') return [];
    const edit = setValue(parent, (old) => (isJsonObject(old) ? { ...old, [key]: 'odd' } : (old ?? null)));
    return [{ kind, name, edit }];
  });
}

/** Ways to break the demand of a conditional rule while its condition stays true. */
function ofRule({ condition, demand }: ConditionalRule, at: string, value: Json): readonly SchemaMutation[] {
  const others = wordsIn(condition);
  const inspector = responseInspector();
  const here = ofSchema(demand, '', others);
  return ofSchema(demand, at, others).filter((_, i) => {
    const broken = here[i]?.edit(value) ?? value;
    // Other changes would make the condition false, and a rule that does not apply is not broken.
    return inspector.holds(condition, broken) && !inspector.holds(demand, broken);
  });
}

/**
 * Values that a condition names: one of these may break the demand where an unknown value would make the
 * condition false.
 */
function wordsIn(schema: JsonSchema): readonly string[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (keyword === 'enum' || keyword === 'const')
      return [value].flat().filter((one) => typeof one === 'string');
    return isObject(value) ? wordsIn(value) : [];
  });
}

/** Ways to break each part of a schema. */
function ofSchema(schema: JsonSchema, at: string, others: readonly string[]): readonly SchemaMutation[] {
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  const properties = isObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  return [
    ...required.map((name) => ({
      kind: partMutationKind(name, 'missing'),
      name: `${name} missing`,
      edit: removeValue(extendPointer(at, name)),
    })),
    ...properties.flatMap(([name, inner]) => (isObject(inner) ? ofProperty(name, inner, at, others) : [])),
    ...schemaList(schema['allOf']).flatMap((part) => ofSchema(part, at, others)),
  ];
}

/** Ways to break one property, and the schema inside it. */
function ofProperty(
  name: string,
  schema: JsonSchema,
  at: string,
  others: readonly string[],
): readonly SchemaMutation[] {
  const place = extendPointer(at, name);
  const keywords = ['type', 'const', 'enum'].filter((keyword) => schema[keyword] !== undefined);
  const own = keywords.flatMap((keyword) =>
    wrong(keyword, schema[keyword], schema['const'] as Json | undefined),
  ); // as: schemas are JSON
  const swapped = keywords.includes('const')
    ? others.map((other) => [`${other} instead`, other] as const)
    : [];
  return [
    ...[...own, ...swapped].map(([what, value]) => ({
      kind: partMutationKind(name, 'wrong'),
      name: `${name}: ${what}`,
      edit: setValue(place, value),
    })),
    ...ofSchema(schema, place, others),
  ];
}
