import type {
  Needed,
  NeededCondition,
  NeededForm,
  NeededProbe,
  NeededValue,
} from '../../judge/requirements/needed.ts';
import { TYPE_NOUNS } from '../../judge/schema/sentence.ts';
import { plural } from '../../schemas/message-text.ts';
import { wordsByKind } from './by-kind.ts';

const FORMS: Readonly<Record<NeededForm['form'], string>> = {
  json: 'none with 2xx and a body that has to be JSON',
  stream: 'none with 2xx and a stream',
  event: 'none with an event in a stream',
};

const PROBES: Readonly<Record<NeededProbe['side'], string>> = {
  accepted: 'shows whether a valid request is accepted',
  rejected: 'shows whether a request that is valid except for this violation is rejected',
};

const OWNERS = {
  request: 'whose request has',
  answer: 'whose answer has',
  'earlier-answer': 'whose earlier answer has',
  value: 'that has',
} as const;

const OUTCOMES = {
  answered: 'answered with 2xx and JSON',
  decided: 'carried out or rejected',
  settled: 'answered with 2xx, rejected, or not found',
} as const;

/** The missing evidence, continuing a sentence: `none with an integer at total_tokens of usage`. */
export function neededWords(needed: Needed): string {
  if ('schema' in needed) return `none with ${valueWords(needed)}`;
  if ('form' in needed) return FORMS[needed.form];
  if ('side' in needed)
    return `none ${PROBES[needed.side]}${needed.place === null ? '' : ` (${needed.place})`}`;
  const { evidence, conditions } = needed;
  return `none shows ${evidence}${conditions.length === 0 ? '' : `, ${joinConditions(conditions)}`}`;
}

/** `an integer at total_tokens of usage`. */
function valueWords({ schema, path, types = [], conditions = [] }: NeededValue): string {
  const nouns = typeWords(types);
  const place = path === '' ? schema : `${path} of ${schema}`;
  const value = nouns === '' ? place : `${nouns} ${path === '' ? 'as' : 'at'} ${place}`;
  return conditions.length === 0 ? value : `${value} ${joinConditions(conditions)}`;
}

function typeWords(types: readonly (keyof typeof TYPE_NOUNS)[]): string {
  return types.map((type) => TYPE_NOUNS[type]).join(' or ');
}

/** Joins conditions into one phrase, empty for none. */
function joinConditions(conditions: readonly NeededCondition[]): string {
  const clauses = conditions.map(conditionWords);
  const last = clauses.at(-1) ?? '';
  return clauses.length <= 1 ? last : `${clauses.slice(0, -1).join(', ')} and ${last}`;
}

/** A clause to append to the noun phrase of the evidence: `that has no name`. */
function conditionWords(condition: NeededCondition): string {
  return wordsByKind(condition, 'kind', {
    text: ({ says }) => says,
    list: ({ least, field }) => `with at least ${plural(least, 'element')} in ${field}`,
    outcome: ({ outcome }) => `that is ${OUTCOMES[outcome]}`,
    sent: ({ unknown }) =>
      unknown === null
        ? 'that was sent for its own sake, not as a probe'
        : `whose ${unknown} matches no object`,
    field: (facts) => `${OWNERS[facts.of]} ${fieldWords(facts)}`,
  });
}

/** `status "failed"`, `no name`. */
function fieldWords({ field, is, values, types }: Extract<NeededCondition, { kind: 'field' }>): string {
  if (is === 'absent') return `no ${field}`;
  if (is === 'nil') return `no ${field}, or null`;
  if (values !== undefined) return `${field} ${values.map((value) => JSON.stringify(value)).join(' or ')}`;
  return types === undefined ? field : `${typeWords(types)} at ${field}`;
}
