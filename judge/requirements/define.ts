import type { BehaviourRequirement, Choice, Evidence } from './requirement.ts';

/** A word of an id: `finish-reason`, or the id of an operation. */
const WORD = '[a-z0-9]+([A-Z][a-z0-9]*)*(-[a-z0-9]+)*';
const ID = new RegExp(`^${WORD}(\\.${WORD}){2,3}$`);

const requirements = new WeakSet<object>();
const choices = new WeakSet<object>();

/** A requirement in one literal. Throws when its id or its sentence is not in order, or when nothing breaks it. */
export function requirement<E extends Evidence>(literal: BehaviourRequirement<E>): BehaviourRequirement<E> {
  lint(literal.id, literal.says);
  if (Object.keys(literal.mutations).length === 0)
    throw disorder(literal.id, 'has no break, so nothing shows that it can fail');
  requirements.add(literal);
  return literal;
}

/** A point that the specification leaves open, in one literal. Throws as `requirement` does. */
export function choice<E extends Evidence>(literal: Choice<E>): Choice<E> {
  lint(literal.id, literal.says);
  if (literal.alternatives.length < 2) throw disorder(literal.id, 'names fewer than two alternatives');
  const stray = Object.keys(literal.examples ?? {}).find((name) => !literal.alternatives.includes(name));
  if (stray !== undefined) throw disorder(literal.id, `has an example of ${stray}, which is no alternative`);
  choices.add(literal);
  return literal;
}

export function isRequirement(value: unknown): value is BehaviourRequirement<Evidence> {
  return typeof value === 'object' && value !== null && requirements.has(value);
}

export function isChoice(value: unknown): value is Choice<Evidence> {
  return typeof value === 'object' && value !== null && choices.has(value);
}

function lint(id: string, says: string): void {
  if (!ID.test(id)) throw disorder(id, 'has no id of the form area.topic.rule');
  if (says.length > 100) throw disorder(id, `says it in ${says.length} characters, at most 100 are read`);
  if (!/^[A-Z`].*\.$/su.test(says)) throw disorder(id, 'says no sentence with a capital and a full stop');
  if (/\b(should|must|shall|will)\b/i.test(says)) throw disorder(id, 'does not say it in the present tense');
}

function disorder(id: string, problem: string): Error {
  return new Error(`requirement ${id} ${problem}.`);
}
