import type { NeededCondition } from '../../judge/requirements/needed.ts';
import type { Condition, Evidence } from '../../judge/requirements/requirement.ts';
import { isObject } from '../../judge/trace/json.ts';
import { getOrMake } from '../../schemas/maps.ts';
import { plural } from '../../schemas/message-text.ts';
import { evidenceTest, type Place, valueReader } from './places.ts';
import { compileTest, expandTest, isOutcome, type Test } from './test-words.ts';

const REPORTED_PARTS: Readonly<Record<string, 'request' | 'answer' | 'earlier-answer'>> = {
  request: 'request',
  answer: 'answer',
  before: 'earlier-answer',
};

/** Equal conditions are one function, so that they are evaluated once for all rows that begin with them. */
const knownConditions = new Map<string, Condition<Evidence>>();

export function conditionOf(place: Place, test: Test): Condition<Evidence> {
  return getOrMake(knownConditions, JSON.stringify([place, test]), () => {
    const needs = describeNeed(place, test);
    const holds = holdsAt(place, test);
    return needs === undefined ? holds : Object.assign(holds, { needs });
  });
}

/** Returns a function that tells whether a test holds at a place of evidence for at least one element. */
export function holdsAt(place: Place, test: Test): (subject: unknown) => boolean {
  const read = valueReader(place);
  if (place === 'outcome' && typeof test === 'string') {
    const answer = valueReader('answer');
    if (test === 'answered') return (subject) => answer(subject) !== undefined;
    return (subject) => isOutcome(String(read(subject)), test);
  }
  const { names_nothing: pointer } = expandTest(test);
  if (place === 'probe' && pointer !== undefined) {
    return (subject) => {
      const probe = read(subject);
      return isObject(probe) && probe['pointer'] === pointer && probe['keyword'] === 'unknown';
    };
  }
  return evidenceTest(place, compileTest(test).holds);
}

function describeNeed(place: Place, test: Test): NeededCondition | undefined {
  const words = expandTest(test);
  const { at_least: least } = words;
  if (words.says !== undefined) return { kind: 'text', says: words.says };
  const [root = '', ...names] = place.split('.');
  const field = names.join('.');
  const part = REPORTED_PARTS[root];
  const oneOf = Array.isArray(words.one_of) ? words.one_of : undefined;
  const values = words.equals === undefined ? oneOf : [words.equals];
  if (root === 'outcome' && (test === 'answered' || test === 'decided' || test === 'settled'))
    return { kind: 'outcome', outcome: test };
  if (root === 'probe') {
    if (test === null) return { kind: 'sent', unknown: null };
    if (words.names_nothing !== undefined) return { kind: 'sent', unknown: words.names_nothing };
  }
  if (root === 'query' && words.present !== undefined)
    return { kind: 'text', says: `${words.present ? 'with' : 'without'} ${field} in the query` };
  if (part === undefined || place.includes('[')) return undefined;
  if (least !== undefined && part === 'answer') return { kind: 'list', field, least };
  if (least !== undefined && part === 'request')
    return { kind: 'text', says: `whose request has at least ${plural(least, 'element')} in ${field}` };
  if (values !== undefined) return { kind: 'field', of: part, field, is: 'present', values };
  if (words.present !== undefined)
    return { kind: 'field', of: part, field, is: words.present ? 'present' : 'absent' };
  if (words.set === false) return { kind: 'field', of: part, field, is: 'nil' };
  if (words.set === true && part === 'request') return { kind: 'text', says: `whose request sets ${field}` };
  if (words.set === true) return { kind: 'field', of: part, field, is: 'present' };
  if (words.type === 'object') return { kind: 'field', of: part, field, is: 'present', types: ['object'] };
  if (words.type !== undefined) {
    const owner = part === 'answer' ? 'with' : `whose ${part.replace('-', ' ')} has`;
    const nouns = [words.type].flat().map((type) => (type === 'object' ? 'an object' : `a ${type}`));
    return { kind: 'text', says: `${owner} ${nouns.join(' or ')} as ${field}` };
  }
  return undefined;
}
