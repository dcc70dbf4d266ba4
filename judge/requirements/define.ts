import type { Json } from '../../exchange/http/body.ts';
import { deepEqual, valueAtPath } from '../trace/json.ts';
import type {
  Basis,
  BehaviourRequirement,
  Choice,
  ChoiceLiteral,
  Evidence,
  RequirementLiteral,
  Violation,
} from './requirement.ts';

/** A segment of an id: `finish-reason`, or the id of an operation. */
const WORD = '[a-z0-9]+([A-Z][a-z0-9]*)*(-[a-z0-9]+)*';
const ID = new RegExp(`^${WORD}(\\.${WORD}){2,3}$`);
const requirements = new WeakSet<object>();
const choices = new WeakSet<object>();

/** Declares a requirement. Throws if a key is missing, the id or sentence is malformed, or there is no mutation. */
export function requirement<E extends Evidence>(literal: BehaviourRequirement<E>): BehaviourRequirement<E> {
  checkLiteral(literal, ['selector', 'check', 'mutations']);
  if (Object.keys(literal.mutations).length === 0)
    throw definitionError(literal.id, 'has no mutation, so nothing shows that it can fail');
  requirements.add(literal);
  return literal;
}

/** Declares a choice. Throws if a key is missing, or the id, sentence or alternatives are malformed. */
export function choice<E extends Evidence>(literal: Choice<E>): Choice<E> {
  checkLiteral(literal, ['selector', 'taken', 'alternatives']);
  if (literal.alternatives.length < 2) throw definitionError(literal.id, 'names fewer than two alternatives');
  const { examples = {}, takesAway = {}, unless = [], unlisted = [] } = literal;
  const references: readonly (readonly [problem: string, names: string | readonly string[]])[] = [
    ['has an example of', Object.keys(examples)],
    ['takes evidence away by', Object.keys(takesAway)],
    ['takes evidence away unless', unless],
    ['counts other names as', unlisted],
  ];
  for (const [problem, names] of references) {
    const unknownName = [names].flat().find((name) => !literal.alternatives.includes(name));
    if (unknownName !== undefined)
      throw definitionError(literal.id, `${problem} ${unknownName}, which is not one of its alternatives`);
  }
  choices.add(literal);
  return literal;
}

export interface Section {
  /** A requirement that the specification states. `id`: `area.topic.rule`. */
  stated<E extends Evidence>(id: string, literal: RequirementLiteral<E>): BehaviourRequirement<E>;
  /** A requirement whose opposite would defeat the stated purpose of an operation. */
  implied<E extends Evidence>(id: string, literal: RequirementLiteral<E>): BehaviourRequirement<E>;
  /** A point that the specification leaves open. `id`: `area.topic.rule`. */
  choice<E extends Evidence>(id: string, literal: ChoiceLiteral<E>): Choice<E>;
}

/** Sets defaults for a suite file: the section, such as `2 Chat completion chunk`, and the level MUST. */
export function section(spec: string): Section {
  const withBasis =
    (basis: Basis) =>
    <E extends Evidence>(id: string, literal: RequirementLiteral<E>): BehaviourRequirement<E> =>
      requirement({ level: 'MUST', spec, ...literal, id, basis });
  return {
    stated: withBasis('stated'),
    implied: withBasis('implied'),
    choice: (id, literal) => choice({ spec, ...literal, id }),
  };
}

/**
 * Describes a wrong value at a place. `at`: a JSON pointer, or the place in words; `expected`: words, or the value,
 * which is shown as JSON; `actual`: undefined if absent; `exchange`: the one that shows it, by default the last.
 */
export function violation(
  at: string,
  expected: Json,
  actual: Json | undefined,
  exchange?: string,
): Violation {
  const words = typeof expected === 'string' ? expected : JSON.stringify(expected);
  return { at, expected: words, actual, ...(exchange === undefined ? {} : { exchange }) };
}

/** Returns a violation unless a field, such as `error.code`, equals this value; undefined means an absent field. */
export function fieldIs(
  json: Json | undefined,
  field: string,
  wanted: Json | undefined,
): readonly Violation[] {
  const actual = valueAtPath(json, ...field.split('.'));
  if (deepEqual(actual, wanted)) return [];
  return [violation(`/${field.replaceAll('.', '/')}`, wanted === undefined ? 'absent' : wanted, actual)];
}

export function isRequirement(value: unknown): value is BehaviourRequirement<Evidence> {
  return typeof value === 'object' && value !== null && requirements.has(value);
}

export function isChoice(value: unknown): value is Choice<Evidence> {
  return typeof value === 'object' && value !== null && choices.has(value);
}

/** Throws if a literal is malformed: JavaScript suites are not type-checked. `needed`: keys besides `id` and `says`. */
function checkLiteral(literal: Pick<Choice<Evidence>, 'id' | 'says'>, needed: readonly string[]): void {
  const { id, says } = literal;
  if (!ID.test(id)) throw definitionError(id, 'has no id of the form area.topic.rule');
  const keys = Object.entries(literal).flatMap(([key, value]) => (value == null ? [] : [key]));
  const missing = ['says', ...needed].find((key) => !keys.includes(key));
  if (missing !== undefined) throw definitionError(id, `has no \`${missing}\`, only ${keys.join(', ')}`);
  if (says.length > 100)
    throw definitionError(id, `has a sentence of ${says.length} characters; at most 100 are allowed`);
  if (!/^[A-Z`].*\.$/su.test(says))
    throw definitionError(id, 'needs a sentence that starts with a capital and ends with a full stop');
  if (/\b(should|must|shall|will)\b/i.test(says))
    throw definitionError(id, 'has a sentence with should, must, shall or will: use the present tense');
}

function definitionError(id: string, problem: string): Error {
  return new Error(`The declaration of ${id} ${problem}.`);
}
