// `given` and `expect` of a row: the evidence that a requirement concerns, and the tests that it must pass.
import { requests, responses, that, where } from '../../judge/evidence/calls.ts';
import { absences, memberships } from '../../judge/evidence/list-memberships.ts';
import { idReuses, type SuccessionPlan, successions } from '../../judge/evidence/objects.ts';
import {
  mustAccept,
  mustReject,
  type ProbeResult,
  probeResults,
} from '../../judge/evidence/probe-results.ts';
import { streamedPairs } from '../../judge/evidence/streamed-pairs.ts';
import { completeStreams, type StreamEvidence, streams } from '../../judge/evidence/streams.ts';
import { violation } from '../../judge/requirements/define.ts';
import type { NeededCondition } from '../../judge/requirements/needed.ts';
import type { Condition, Evidence, Selector, Violation } from '../../judge/requirements/requirement.ts';
import { arrayAt, isObject, valueAtPath } from '../../judge/trace/json.ts';
import { getOrMake } from '../../schemas/grouping.ts';
import { ownOperations, schemaValidator } from '../../schemas/index.ts';
import type { Json } from '../../schemas/json.ts';
import {
  compileTest,
  ElementSubject,
  evidenceReader,
  evidenceTest,
  type Found,
  isOutcome,
  jsonTest,
  jsonValueReader,
  type Place,
  pointer,
  type Reader,
  readerOf,
  type Test,
  type Tests,
  type TestWords,
  valueReader,
} from './places.ts';

/** One operation, several, or `*` for all; `* list` for those that return lists, `* DELETE` for those of a method. */
type Operations = string | readonly string[];

export function operationsNamed(names: Operations): readonly string[] {
  if (typeof names !== 'string' || !names.startsWith('*')) return [names].flat();
  const [, kind] = names.split(' ');
  return ownOperations()
    .filter(({ method, list }) => kind === undefined || kind === method || (kind === 'list' && list !== null))
    .map(({ id }) => id);
}

/** The source of evidence: exactly one kind, and conditions; `rows.schema.json` describes the members. */
export interface Given {
  readonly answer?: Operations;
  readonly call?: Operations;
  readonly stream?: Operations;
  readonly whole_stream?: string;
  readonly pair?: PairPlan;
  readonly listed?: {
    readonly create: string;
    readonly remove?: string;
    readonly may_remove?: readonly string[];
    readonly list: string;
  };
  readonly unlisted?: { readonly remove: string; readonly list: string };
  readonly id_of?: string;
  readonly probe?: { readonly of: string; readonly keyword: string };
  readonly streamed_pair?: string;
  readonly evidence?: string;
  readonly variant?: 'v1' | 'v2';
  readonly where?: Conditions;
}

interface PairPlan {
  readonly first: Operations;
  readonly later: Operations;
  /** Operations whose success ends the relation. */
  readonly until?: readonly string[];
  /**
   * The path parameter that names the object, after those of its owners, `vector_store_id/file_id`; if the path lacks it, the
   * first of these fields that the response has, with an id or a list of ids. Default: the last id of the path and `id`.
   */
  readonly about?: readonly [parameter: string, ...fields: string[]];
  readonly ends_for_good?: true;
}

export type Conditions = Tests | readonly (Tests | Statement | Alternatives)[];

/** Groups of tests, at least one of which must hold. */
interface Alternatives {
  readonly any_of: readonly Tests[];
  readonly says?: string;
}

/** Tests that evidence must pass, by place, where `[]` means every element; or a statement about elements. */
export type Expect = Tests | Statement;

/** The elements that a statement concerns. */
const QUANTIFIERS = ['each', 'first', 'last', 'all_but_last', 'some', 'none'] as const;

/** Tests of the events of a stream, or of the elements of a list, by places that begin at the element. */
export type Statement = {
  /** The place of the list; by default the events of the stream. */
  readonly of?: Place;
  /**
   * One group for each id, `data.id`; or, for events that contain lists, one for each number in their elements,
   * `choices[].index`.
   */
  readonly group?: Place;
  /** Which of the elements count. */
  readonly that?: Tests;
  /** Only the elements after the first one that passes these tests. */
  readonly after?: Tests;
  /** Reports only the first violation. */
  readonly once?: true;
  readonly says?: string;
  /** Some group has at least this many elements; only in conditions. */
  readonly at_least?: number;
} & { readonly [Q in (typeof QUANTIFIERS)[number]]?: Tests };

export type NamedEvidence = Readonly<Record<string, Selector<Evidence>>>;

/** Selectors by their plans, so that equal kinds of evidence are collected once. */
const knownSelectors = new Map<string, Selector<Evidence>>();

/** The selector of a `given`. Throws unless it names exactly one kind of evidence. */
export function given(row: Given, named: NamedEvidence = {}): Selector<Evidence> {
  const { where: conditions = {}, ...kind } = row;
  const key = JSON.stringify(kind);
  const selector = named[kind.evidence ?? ''] ?? knownSelectors.get(key) ?? selectorOf(kind);
  if (kind.evidence === undefined) knownSelectors.set(key, selector);
  const lists = [conditions].flat();
  return where(selector, ...lists.flatMap(conditionsOf));
}

function selectorOf(kind: Omit<Given, 'where'>): Selector<Evidence> {
  const options = kind.variant === undefined ? {} : { variant: kind.variant };
  if (kind.answer !== undefined) return responses(kind.answer, options);
  if (kind.call !== undefined)
    return requests(
      typeof kind.call === 'string' && !kind.call.startsWith('*') ? kind.call : operationsNamed(kind.call),
      options,
    );
  if (kind.stream !== undefined) return streams(kind.stream, options);
  if (kind.whole_stream !== undefined) return completeStreams(kind.whole_stream);
  if (kind.pair !== undefined) return successions({ ...planOf(kind.pair), ...options });
  if (kind.unlisted !== undefined) return absences(kind.unlisted);
  if (kind.id_of !== undefined) return idReuses(kind.id_of);
  if (kind.probe !== undefined) return probeResults(kind.probe.of, kind.probe.keyword);
  if (kind.streamed_pair !== undefined) return streamedPairs(kind.streamed_pair);
  if (kind.listed !== undefined) {
    const { may_remove: mayRemove, ...plan } = kind.listed;
    return memberships({ ...plan, ...(mayRemove !== undefined && { mayRemove }) });
  }
  throw new Error(`unknown evidence: ${kind.evidence ?? JSON.stringify(kind)}`);
}

function planOf({ about, ends_for_good: endsForGood, ...plan }: PairPlan): SuccessionPlan {
  return {
    ...plan,
    ...(about !== undefined && { about: idsFrom(...about) }),
    ...(endsForGood !== undefined && { endsForGood }),
  };
}

/** Identifies objects by the ids of their owners and their own, `store/file`. */
function idsFrom(parameters: string, ...fields: readonly string[]): NonNullable<SuccessionPlan['about']> {
  const owners = parameters.split('/');
  const parameter = owners.pop() ?? '';
  return ({ path, responseJson: answer }) => {
    const value =
      path[parameter] ??
      fields.map((field) => valueAtPath(answer, field)).find((id) => (id ?? null) !== null);
    const ids = [value].flat().filter((id) => typeof id === 'string');
    return owners.length === 0 ? ids : ids.map((id) => [...owners.map((owner) => path[owner]), id].join('/'));
  };
}

/** The conditions of `where`, one for each place, or one for a statement. */
export function conditionsOf(conditions: Tests | Statement | Alternatives): readonly Condition<Evidence>[] {
  if (isAlternatives(conditions)) {
    const groups = conditions.any_of.map(conditionsOf);
    const holds = (evidence: Evidence) => groups.some((group) => group.every((one) => one(evidence)));
    return [conditions.says === undefined ? holds : that(conditions.says, holds)];
  }
  if (isStatement(conditions)) {
    const check = expectation(conditions);
    const { says } = conditions;
    const holds = (evidence: Evidence): boolean => check(evidence).length === 0;
    return [says === undefined ? holds : that(says, holds)];
  }
  return Object.entries(conditions).map(([place, test]) => conditionOf(place, test));
}

/** Equal conditions are one function, so that they are evaluated once for all rows that begin with them. */
const knownConditions = new Map<string, Condition<Evidence>>();

export function conditionOf(place: Place, test: Test): Condition<Evidence> {
  return getOrMake(knownConditions, JSON.stringify([place, test]), () => {
    const needs = describeNeed(place, test);
    const holds = holdsAt(place, test);
    return needs === undefined
      ? (evidence) => holds(evidence)
      : Object.assign((evidence: Evidence) => holds(evidence), { needs });
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
  if (place === 'probe' && isObject(test as Json) && 'names_nothing' in (test as object)) {
    const pointer = (test as { readonly names_nothing: string }).names_nothing;
    return (subject) => {
      const probe = read(subject);
      return isObject(probe) && probe['pointer'] === pointer && probe['keyword'] === 'unknown';
    };
  }
  return evidenceTest(place, compileTest(test).holds);
}

/** Describes a condition that nothing met, for reports; undefined if the evidence implies it. */
function describeNeed(place: Place, test: Test): NeededCondition | undefined {
  const words: TestWords = isObject(test as Json) ? (test as TestWords) : { equals: test as Json };
  if (words.says !== undefined) return { kind: 'text', says: words.says };
  const [root = '', ...names] = place.split('.');
  const field = names.join('.');
  const of = REPORTED_PARTS[root];
  const values =
    words.equals !== undefined ? [words.equals] : Array.isArray(words.one_of) ? words.one_of : undefined;
  if (
    root === 'outcome' &&
    typeof test === 'string' &&
    (test === 'answered' || test === 'decided' || test === 'settled')
  )
    return { kind: 'outcome', outcome: test };
  if (root === 'probe') {
    if (test === null) return { kind: 'sent', unknown: null };
    if ('names_nothing' in words) return { kind: 'sent', unknown: String(words['names_nothing']) };
  }
  if (root === 'query' && words.present !== undefined)
    return { kind: 'text', says: `${words.present ? 'with' : 'without'} ${field} in the query` };
  if (of === undefined || place.includes('[')) return undefined;
  if (words.at_least !== undefined && of === 'answer') return { kind: 'list', field, least: words.at_least };
  if (words.at_least !== undefined) return { kind: 'text', says: `whose request lists ${field}` };
  if (values !== undefined) return { kind: 'field', of, field, is: 'present', values };
  if (words.present !== undefined)
    return { kind: 'field', of, field, is: words.present ? 'present' : 'absent' };
  if (words.set === false) return { kind: 'field', of, field, is: 'nil' };
  if (words.set === true) return { kind: 'text', says: `whose request sets ${field}` };
  if (words.type === 'object' && of === 'answer')
    return { kind: 'field', of, field, is: 'present', types: ['object'] };
  if (words.type !== undefined)
    return {
      kind: 'text',
      says: `${of === 'request' ? 'whose request has' : 'with'} a ${words.type} as ${field}`,
    };
  return undefined;
}

/** The part of the evidence that a reported condition names, by the first step of a place. */
const REPORTED_PARTS: Readonly<Record<string, 'request' | 'answer' | 'earlier-answer'>> = {
  request: 'request',
  answer: 'answer',
  before: 'earlier-answer',
};

/** The check of `expect`: the violations of evidence, in the order of the tests. */
export function expectation(expect: Expect): (evidence: Evidence) => readonly Violation[] {
  if (isStatement(expect)) return statementCheck(expect);
  const checks = Object.entries(expect).map(([place, test]) => placeCheck(place, test));
  const [only] = checks;
  return only !== undefined && checks.length === 1
    ? only
    : (evidence) => checks.flatMap((check) => check(evidence));
}

/**
 * Requires the numbers that `sum_of` adds up, except those that `where` tests: evidence without one of them shows no sum to
 * compare with.
 */
export function addendConditions(expect: Expect, where: Given['where'] = {}): readonly Condition<Evidence>[] {
  if (isStatement(expect)) return [];
  return Object.values(expect).flatMap((test) => {
    const parts = (isObject(test as Json) ? (test as TestWords).sum_of : undefined) ?? []; // as: Test is one of these
    return parts
      .filter((part) => typeof part === 'string' && !(part in where))
      .map((part) => conditionOf(String(part), { type: 'number' }));
  });
}

const NO_VIOLATIONS: readonly Violation[] = [];

function placeCheck(place: Place, test: Test): (evidence: Evidence) => readonly Violation[] {
  const read = evidenceReader(place);
  const compiled = compileTest(test);
  const isViolated = evidenceTest(place, (value, evidence) => !compiled.holds(value, evidence));
  if (place === 'outcome') return outcomeCheck(test);
  // as: `given` has a probe
  if (place === 'probe')
    return (evidence) => (test === 'accepted' ? mustAccept : mustReject)(evidence as ProbeResult);
  if (compiled.words.unique) return (evidence) => duplicates(read(evidence), compiled.words, evidence);
  return (evidence) => {
    if (!isViolated(evidence)) return NO_VIOLATIONS;
    return read(evidence)
      .filter(({ value }) => !compiled.holds(value, evidence))
      .map(({ at, value, exchange }) =>
        violation(compiled.words.at ?? at, compiled.expected(evidence), value, exchange),
      );
  };
}

/** Checks that a request has this outcome; findings show the status. */
function outcomeCheck(test: Test): (evidence: Evidence) => readonly Violation[] {
  const isWanted = test === 'accepted';
  const holds = holdsAt('outcome', test);
  const status = valueReader('status');
  return (evidence) =>
    holds(evidence) ? [] : [violation('status', isWanted ? '2xx' : 'no 2xx', status(evidence))];
}

/** Violations for values that occur twice or, for evidence of `id_of`, ids that an earlier response has. */
function duplicates(
  found: readonly Found[],
  { says = 'each value once', at: place }: TestWords,
  evidence?: Evidence,
): readonly Violation[] {
  if (evidence !== undefined && 'earlier' in evidence) {
    if (evidence.earlier === null) return [];
    return found.map(({ at, value }) => violation(place ?? at, 'an id that no earlier response has', value));
  }
  const seen = new Set<string>();
  return found.flatMap(({ at, value, exchange }) => {
    const key = JSON.stringify(value);
    if (value === undefined || !seen.has(key)) {
      seen.add(key);
      return [];
    }
    return [violation(place ?? at, says, value, exchange)];
  });
}

function isAlternatives(row: Tests | Statement | Alternatives): row is Alternatives {
  return 'any_of' in row;
}

function isStatement(row: Conditions | Expect): row is Statement {
  return QUANTIFIERS.some((word) => word in row) || 'at_least' in row;
}

/** The elements of one group in order, with their places. */
type Group = readonly Found[];

function statementCheck(row: Statement): (evidence: Evidence) => readonly Violation[] {
  const quantifier = QUANTIFIERS.find((word) => word in row) ?? 'each';
  const tests = elementTests(row[quantifier] ?? {});
  const filters = elementTests(row.that ?? {});
  const after = row.after === undefined ? null : elementTests(row.after);
  const groups = groupsOf(row);
  const { at_least: least } = row;
  const relevantGroups = (evidence: Evidence): readonly Group[] => {
    if (after === null && filters.length === 0) return groups(evidence);
    const found: Group[] = [];
    for (const all of groups(evidence)) {
      const start = after === null ? -1 : all.findIndex((element) => passes(after, element, evidence));
      if (after !== null && start === -1) continue;
      found.push(all.slice(start + 1).filter((element) => passes(filters, element, evidence)));
    }
    return found;
  };
  if (least !== undefined)
    return (evidence) =>
      relevantGroups(evidence).some((group) => group.length >= least)
        ? []
        : [violation('stream', `${least} elements`, undefined)];
  const failures = (element: Found, evidence: Evidence, group: Group): readonly Violation[] =>
    tests.flatMap((test) => test.failures(element, evidence, group[0]));
  const checkGroup = (group: Group, evidence: Evidence): readonly Violation[] => {
    const isFit = (element: Found): boolean => passes(tests, element, evidence, group[0]);
    if (quantifier === 'some')
      return group.some(isFit) ? NO_VIOLATIONS : failures(group.at(-1) ?? MISSING, evidence, group);
    if (quantifier === 'none')
      return group.filter(isFit).map(({ at, value }) => violation(at, row.says ?? 'nothing like it', value));
    // A stream without events lacks its last one, too.
    const isMissing = quantifier === 'last' && group.length === 0;
    const unfit = (isMissing ? [MISSING] : chooseElements(group, quantifier)).filter((one) => !isFit(one));
    if (unfit.length === 0) return NO_VIOLATIONS;
    const found = unfit.flatMap((one) => failures(one, evidence, group));
    return quantifier === 'all_but_last' ? found.map((one) => withLast(one, group)) : found;
  };
  const check = (evidence: Evidence): readonly Violation[] => {
    let found = NO_VIOLATIONS;
    for (const group of relevantGroups(evidence)) {
      const more = checkGroup(group, evidence);
      if (more.length > 0) found = [...found, ...more];
    }
    return found;
  };
  return row.once === true ? (evidence) => check(evidence).slice(0, 1) : check;
}

function passes(tests: readonly ElementTest[], element: Found, evidence: Evidence, first?: Found): boolean {
  for (const test of tests) if (!test.holds(element, evidence, first)) return false;
  return true;
}

/** Replaces `{last}` in the expected value with the last event, `event 3`; reports show the events that a finding cites. */
function withLast(found: Violation, group: Group): Violation {
  const [event = ''] = /^event \d+/.exec(group.at(-1)?.at ?? '') ?? [];
  return { ...found, expected: found.expected.replace('{last}', event) };
}

/** Stands for a missing element in findings. */
const MISSING: Found = { at: 'stream', value: undefined };

function chooseElements(group: Group, quantifier: string): Group {
  if (quantifier === 'first') return group.slice(0, 1);
  if (quantifier === 'last') return group.slice(-1);
  return quantifier === 'all_but_last' ? group.slice(0, -1) : group;
}

/** A test of elements. Most tests hold, so only failures are examined for a finding. */
interface ElementTest {
  holds(element: Found, evidence: Evidence, first?: Found): boolean;
  failures(element: Found, evidence: Evidence, first?: Found): readonly Violation[];
}

function elementTests(tests: Tests): readonly ElementTest[] {
  return Object.entries(tests).map(([place, test]) => elementTest(place, test));
}

function elementTest(place: Place, test: Test): ElementTest {
  const read = readerOf(place);
  const { holds, expected, words, readsSubject } = compileTest(test);
  const isViolated = jsonTest(place, (value, subject) => !holds(value, subject));
  const { schema } = words;
  if (words.unique || schema !== undefined) {
    const failures = ({ value: json, at, exchange }: Found): readonly Violation[] => {
      const found = read(json, at);
      if (schema === undefined) return duplicates(found, words);
      // Compiled at the first value, because loading the compiler takes 60 ms.
      const validate = schemaValidator(schema);
      return found.flatMap(({ at: element, value = null }) =>
        validate(value).map(({ pointer, message }) =>
          violation(
            `${element} ${pointer}`.trimEnd(),
            `${schema}: ${message}`,
            readerOf(pointer.slice(1).replaceAll('/', '.'))(value, '')[0]?.value,
            exchange,
          ),
        ),
      );
    };
    return { holds: (element) => failures(element).length === 0, failures };
  }
  const subjectOf = ({ value }: Found, evidence: Evidence, first?: Found): unknown =>
    readsSubject ? new ElementSubject(evidence, value, first?.value) : evidence;
  return {
    holds: (element, evidence, first) => !isViolated(element.value, subjectOf(element, evidence, first)),
    failures: (element, evidence, first) => {
      const { value: json, at: here, exchange } = element;
      const subject = subjectOf(element, evidence, first);
      const at = words.at === undefined ? undefined : words.at === '' ? here : pointer(here, words.at);
      return read(json, here)
        .filter(({ value }) => !holds(value, subject))
        .map((one) => violation(at ?? one.at, expected(subject), one.value, exchange));
    },
  };
}

/** Cached, so that equal groups of the same evidence are built once. */
const knownGroups = new Map<string, (evidence: Evidence) => readonly Group[]>();

export function groupsOf({
  of,
  group,
}: Pick<Statement, 'of' | 'group'>): (evidence: Evidence) => readonly Group[] {
  return getOrMake(knownGroups, JSON.stringify([of, group]), () => {
    const cache = new WeakMap<Evidence, readonly Group[]>();
    const groups = groupReader(of, group);
    return (evidence) => getOrMake(cache, evidence, () => groups(evidence));
  });
}

function groupReader(
  of: Place | undefined,
  group: Place | undefined,
): (evidence: Evidence) => readonly Group[] {
  const read: Reader =
    of === undefined
      ? // as: statements without a place are about streams
        (evidence) => (evidence as StreamEvidence).chunks.map(({ at, data }) => ({ at, value: data }))
      : evidenceReader(of);
  if (group === undefined) return (evidence) => [read(evidence)];
  const [list, field = group] = group.includes('[].') ? group.split('[].') : [];
  const keyAt = jsonValueReader(field);
  return (evidence) => {
    const groups = new Map<Json, Found[]>();
    const all =
      list === undefined ? read(evidence) : read(evidence).flatMap((event) => elementsOfList(event, list));
    for (const found of all) {
      const key = keyAt(found.value) ?? null;
      if (typeof key !== 'string' && typeof key !== 'number') continue;
      const known = groups.get(key);
      if (known === undefined) groups.set(key, [found]);
      else known.push(found);
    }
    return [...groups.values()];
  };
}

function elementsOfList({ at, value }: Found, list: string): readonly Found[] {
  return arrayAt(value, list).map((element, i) => ({ at: `${at} /${list}/${i}`, value: element }));
}
