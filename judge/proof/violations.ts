import type { Json } from '../../exchange/body.ts';
import type { JsonSchema } from '../../schemas/index.ts';
import { type Edit, put, remove } from '../edit/values.ts';
import { isObject } from '../json.ts';
import type { Constraint } from '../schema/constraints.ts';
import { isOfType, type JsonType } from '../schema/kinds.ts';
import { answerInspector } from '../schema/library.ts';
import type { Rule } from '../schema/node.ts';
import { ruleIn } from '../schema/sentence.ts';
import { pointer } from '../schema/steps.ts';
import { isSchema, schemaList } from './json-schema.ts';
import { kindOfPart, kindsOfConstraint } from './kinds.ts';

/** One way to break a constraint where it is kept. */
export interface Violation {
  /** One of the kinds of `kinds.ts`. */
  readonly kind: string;
  readonly name: string;
  readonly edit: Edit;
}

const ODD: readonly Json[] = [null, 'odd', 12_345, 1.5, true, ['odd'], { odd: true }];

/** Ways to break a constraint at a place; `value` is what stands there. */
export function violations(
  constraint: Constraint,
  at: string,
  value: Json | undefined,
): readonly Violation[] {
  const { keyword, value: said, steps } = constraint;
  const rule = ruleIn(said);
  if (rule !== null) return ofRule(rule, at, value ?? null);
  if (keyword === 'required' || keyword === 'expected')
    return [{ kind: 'missing', name: 'missing', edit: remove(at) }];
  if (steps.at(-1)?.step === 'keys') return ofKey(constraint, at);
  const [kind] = kindsOfConstraint(constraint).slice(-1);
  return wrong(keyword, said, value).map(([name, broken]) => ({
    kind: keyword === 'type' && broken === null ? 'null' : (kind ?? keyword),
    name,
    edit: put(at, broken),
  }));
}

function wrong(
  keyword: string,
  said: unknown,
  value: Json | undefined,
): readonly (readonly [string, Json])[] {
  if (keyword === 'type') {
    const types = Array.isArray(said) ? said : [said];
    const odd = ODD.filter((one) => !types.some((type: JsonType) => isOfType(one, type)));
    return [
      ...odd.filter((one) => one === null || one === 1.5),
      ...odd.filter((one) => one !== null && one !== 1.5).slice(0, 1),
    ].map((one) => [`${JSON.stringify(one)} instead`, one]);
  }
  if (keyword === 'enum' || keyword === 'const') {
    return typeof value === 'boolean' ? [['the opposite', !value]] : [['another value', 'no_such_value']];
  }
  return beyond(keyword, Number(said), value);
}

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

/** A name of a property that breaks what is said of names. */
function ofKey(constraint: Constraint, at: string): readonly Violation[] {
  const { keyword, value } = constraint;
  const [kind = keyword] = kindsOfConstraint(constraint);
  const parent = at.slice(0, at.lastIndexOf('/'));
  return wrong(keyword, value, '').flatMap(([name, key]) => {
    if (typeof key !== 'string') return [];
    const edit = put(parent, (old) => (isObject(old) ? { ...old, [key]: 'odd' } : (old ?? null)));
    return [{ kind, name, edit }];
  });
}

/** Ways to break what a rule demands that leave its condition true. */
function ofRule({ condition, demand }: Rule, at: string, value: Json): readonly Violation[] {
  const others = wordsIn(condition);
  const inspector = answerInspector();
  const here = ofSchema(demand, '', others);
  return ofSchema(demand, at, others).filter((_, i) => {
    const broken = here[i]?.edit(value) ?? value;
    return inspector.holds(condition, broken) && !inspector.holds(demand, broken);
  });
}

/** The values that a condition names: another one of these may break the demand where an unknown one would break the condition. */
function wordsIn(schema: JsonSchema): readonly string[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (keyword === 'enum' || keyword === 'const')
      return [value].flat().filter((one) => typeof one === 'string');
    return isSchema(value) ? wordsIn(value) : [];
  });
}

/** Ways to break what a schema demands at a place: each of its parts by itself. */
function ofSchema(schema: JsonSchema, at: string, others: readonly string[]): readonly Violation[] {
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  const properties = isSchema(schema['properties']) ? Object.entries(schema['properties']) : [];
  return [
    ...required.map((name) => ({
      kind: kindOfPart(name, 'missing'),
      name: `${name} missing`,
      edit: remove(pointer(at, name)),
    })),
    ...properties.flatMap(([name, inner]) => (isSchema(inner) ? ofProperty(name, inner, at, others) : [])),
    ...schemaList(schema['allOf']).flatMap((part) => ofSchema(part, at, others)),
  ];
}

function ofProperty(
  name: string,
  schema: JsonSchema,
  at: string,
  others: readonly string[],
): readonly Violation[] {
  const place = pointer(at, name);
  const keywords = ['type', 'const', 'enum'].filter((keyword) => schema[keyword] !== undefined);
  const own = keywords.flatMap((keyword) =>
    wrong(keyword, schema[keyword], schema['const'] as Json | undefined),
  ); // as: schemas are JSON
  const swapped = keywords.includes('const')
    ? others.map((other) => [`${other} instead`, other] as const)
    : [];
  return [
    ...[...own, ...swapped].map(([what, value]) => ({
      kind: kindOfPart(name, 'wrong'),
      name: `${name}: ${what}`,
      edit: put(place, value),
    })),
    ...ofSchema(schema, place, others),
  ];
}
