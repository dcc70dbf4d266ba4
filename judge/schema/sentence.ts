// `suites/ledger.json` contains these sentences.
import type { JsonType } from '../trace/json.ts';
import type { SchemaConstraint } from './constraints.ts';
import type { ConditionalRule } from './node.ts';

export const TYPE_NOUNS: Readonly<Record<JsonType, string>> = {
  null: 'null',
  boolean: 'a boolean',
  integer: 'an integer',
  number: 'a number',
  string: 'a string',
  array: 'an array',
  object: 'an object',
};

const LIMIT_PHRASES: Readonly<Record<string, (value: unknown) => string>> = {
  minimum: (value) => `at least ${value}`,
  maximum: (value) => `at most ${value}`,
  exclusiveMinimum: (value) => `more than ${value}`,
  exclusiveMaximum: (value) => `less than ${value}`,
  'x-greater-than': (value) => `greater than ${value}`,
  multipleOf: (value) => `a multiple of ${value}`,
  minLength: (value) => `at least ${formatCount(value, 'character')}`,
  maxLength: (value) => `at most ${formatCount(value, 'character')}`,
  minItems: (value) => `at least ${formatCount(value, 'item')}`,
  maxItems: (value) => `at most ${formatCount(value, 'item')}`,
  minProperties: (value) => `at least ${formatCount(value, 'pair')}`,
  maxProperties: (value) => `at most ${formatCount(value, 'pair')}`,
  uniqueItems: () => 'free of duplicates',
  pattern: (value) => `of the form ${value}`,
};

export function constraintSentence(subject: string, constraint: SchemaConstraint): string {
  const rule = conditionalRuleIn(constraint.value);
  if (rule !== null) return `${subject}: ${rule.says}`;
  const place = constraint.path === '' ? 'the whole' : constraint.path;
  return `${subject}: ${place} ${predicate(constraint)}.`;
}

/** Findings print this after `expected`, most sentences after `is` or `has`: `an integer`, `at most 256 characters`. */
export function constraintPhrase({ keyword, value }: Pick<SchemaConstraint, 'keyword' | 'value'>): string {
  const rule = conditionalRuleIn(value);
  if (rule !== null) return `in keeping with ${rule.name}: ${rule.says}`;
  switch (keyword) {
    case 'type':
      return joinAlternatives(
        (Array.isArray(value) ? value : [value]).map((type: JsonType) => TYPE_NOUNS[type]),
      );
    case 'enum':
      return Array.isArray(value) && value.length > 1
        ? `one of ${value.map((one) => JSON.stringify(one)).join(', ')}`
        : JSON.stringify(Array.isArray(value) ? value[0] : value);
    case 'const':
      return JSON.stringify(value);
    case 'required':
    case 'expected':
      return 'to be present';
    default:
      return LIMIT_PHRASES[keyword]?.(value) ?? `in keeping with ${keyword} ${JSON.stringify(value)}`;
  }
}

function formatCount(value: unknown, unit: string): string {
  return `${value} ${unit}${value === 1 ? '' : 's'}`;
}

export function conditionalRuleIn(value: unknown): ConditionalRule | null {
  const isRule = typeof value === 'object' && value !== null && 'demand' in value;
  return isRule ? (value as ConditionalRule) : null; // as: only such a rule has a demand
}

function predicate(constraint: SchemaConstraint): string {
  const { keyword } = constraint;
  if (keyword === 'required') return 'is always present';
  if (keyword === 'expected') return 'is present, even if null';
  if (/(Length|Items|Properties)$/.test(keyword) && keyword !== 'uniqueItems') {
    return `has ${constraintPhrase(constraint)}`;
  }
  return `is ${constraintPhrase(constraint)}`;
}

function joinAlternatives(nouns: readonly string[]): string {
  const last = nouns.at(-1) ?? 'anything';
  return nouns.length < 2 ? last : `${nouns.slice(0, -1).join(', ')} or ${last}`;
}
