// Says what nothing showed, where a requirement has no evidence.

import type {
  Needed,
  NeededCondition,
  NeededForm,
  NeededProbe,
  NeededValue,
} from '../../judge/requirements/needed.ts';
import { TYPE_NOUNS } from '../../judge/schema/sentence.ts';
import { plural } from './figure.ts';

/** The evidence that was needed, as a continuation of what was received: `none with an integer at total_tokens of usage`. */
export function neededWords(needed: Needed): string {
  if ('schema' in needed) return `none with ${valueWords(needed)}`;
  if ('form' in needed) return FORMS[needed.form];
  if ('side' in needed) return `none ${PROBES[needed.side]}${probeWords(needed)}`;
  const { evidence, conditions } = needed;
  return `none shows ${[evidence, ...listed(conditions)].join(', ')}`;
}

/** Answers that show nothing of a form: an error has none, and a stream may have no event. */
const FORMS: Readonly<Record<NeededForm['form'], string>> = {
  json: 'none with 2xx and a body that has to be JSON',
  stream: 'none with 2xx and a stream',
  event: 'none with an event in a stream',
};

/** Outcomes of requests that test a place. */
const PROBES: Readonly<Record<NeededProbe['side'], string>> = {
  accepted: 'shows whether a valid request is accepted',
  rejected: 'shows whether a request is rejected that is valid but for this violation',
};

/** The place that a request tests. */
function probeWords({ place }: NeededProbe): string {
  return place === null ? '' : ` (${place})`;
}

/** A value of answers: `an integer at total_tokens of usage`. */
function valueWords({ schema, path, types = [], conditions = [] }: NeededValue): string {
  const nouns = typeWords(types);
  const value =
    path === ''
      ? nouns === ''
        ? schema
        : `${nouns} as ${schema}`
      : nouns === ''
        ? `${path} of ${schema}`
        : `${nouns} at ${path} of ${schema}`;
  return conditions.length === 0 ? value : `${value} ${listed(conditions).join('')}`;
}

/** Types in words, empty where any will do. */
function typeWords(types: readonly (keyof typeof TYPE_NOUNS)[]): string {
  return types.map((type) => TYPE_NOUNS[type]).join(' or ');
}

/** Conditions one after the other: the last is the one that nothing met. */
function listed(conditions: readonly NeededCondition[]): readonly string[] {
  const clauses = conditions.map(conditionWords);
  const last = clauses.at(-1);
  if (last === undefined) return [];
  return [clauses.length === 1 ? last : `${clauses.slice(0, -1).join(', ')} and ${last}`];
}

/** Whose field a condition is about. */
const OWNERS = {
  request: 'whose request has',
  answer: 'whose answer has',
  'earlier-answer': 'whose earlier answer has',
  value: 'that has',
} as const;

/** Outcomes of a request that a condition permits. */
const OUTCOMES = {
  answered: 'answered with 2xx and JSON',
  decided: 'carried out or rejected',
  settled: 'answered with 2xx, a rejection or not found',
} as const;

/** A clause that continues the noun phrase of the evidence. */
function conditionWords(condition: NeededCondition): string {
  switch (condition.kind) {
    case 'text':
      return condition.says;
    case 'list':
      return `with at least ${plural(condition.least, 'element')} in ${condition.field}`;
    case 'outcome':
      return `that is ${OUTCOMES[condition.outcome]}`;
    case 'sent':
      return condition.unknown === null
        ? 'that was sent for itself, not to test what is accepted'
        : `whose ${condition.unknown} names nothing`;
    case 'field':
      return `${OWNERS[condition.of]} ${fieldWords(condition)}`;
    default:
      return condition satisfies never;
  }
}

/** A field and what it has to be: `status "failed"`, `no name`. */
function fieldWords({ field, is, values, types }: Extract<NeededCondition, { kind: 'field' }>): string {
  if (is === 'absent') return `no ${field}`;
  if (is === 'nil') return `no ${field}, or null`;
  if (values !== undefined) return `${field} ${values.map((value) => JSON.stringify(value)).join(' or ')}`;
  return types === undefined ? field : `${typeWords(types)} at ${field}`;
}
