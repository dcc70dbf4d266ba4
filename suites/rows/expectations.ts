// `expect` of a row, and statements in its conditions: the tests that evidence must pass, and violations if it fails.
import { mustAccept, mustReject, type ProbeResult } from '../../judge/evidence/probe-results.ts';
import type { StreamEvidence } from '../../judge/evidence/streams.ts';
import { violation } from '../../judge/requirements/define.ts';
import type { Evidence, Violation } from '../../judge/requirements/requirement.ts';
import { arrayAt } from '../../judge/trace/json.ts';
import { schemaValidator } from '../../schemas/index.ts';
import type { Json } from '../../schemas/json.ts';
import { getOrMake } from '../../schemas/maps.ts';
import { plural } from '../../schemas/message-text.ts';
import { valueAtPointer } from '../../schemas/pointer.ts';
import { holdsAt } from './place-conditions.ts';
import {
  ElementSubject,
  evidenceReader,
  evidenceTest,
  extendPlace,
  jsonTest,
  jsonValueReader,
  type Place,
  type PlacedValue,
  type Reader,
  readerOf,
  valueReader,
} from './places.ts';
import { compileTest, type Test, type Tests, type TestWords } from './test-words.ts';

/** Tests that evidence must pass, by place, where `[]` means every element; or a statement about elements. */
export type Expect = Tests | Statement;

const QUANTIFIERS = ['each', 'first', 'last', 'all_but_last', 'some', 'none'] as const;

/**
 * Tests of the events of a stream, or of the elements of a list, by places that begin at the element.
 * `rows.schema.json` describes the members.
 */
export type Statement = {
  readonly of?: Place;
  readonly group?: Place;
  readonly that?: Tests;
  readonly after?: Tests;
  readonly once?: true;
  readonly says?: string;
  readonly at_least?: number;
} & { readonly [Q in (typeof QUANTIFIERS)[number]]?: Tests };

const NO_VIOLATIONS: readonly Violation[] = [];
/** The element that findings show in place of a missing one. */
const MISSING: PlacedValue = { at: 'stream', value: undefined };

export function compileExpectation(expect: Expect): (evidence: Evidence) => readonly Violation[] {
  if (isStatement(expect)) return statementCheck(expect);
  const checks = Object.entries(expect).map(([place, test]) => placeCheck(place, test));
  const [only] = checks;
  return only !== undefined && checks.length === 1
    ? only
    : (evidence) => checks.flatMap((check) => check(evidence));
}

function placeCheck(place: Place, test: Test): (evidence: Evidence) => readonly Violation[] {
  const read = evidenceReader(place);
  const compiled = compileTest(test);
  const isViolated = evidenceTest(place, (value, evidence) => !compiled.holds(value, evidence));
  if (place === 'outcome') return outcomeCheck(test);
  // as: `given` has a probe
  if (place === 'probe')
    return (evidence) => (test === 'accepted' ? mustAccept : mustReject)(evidence as ProbeResult);
  if (compiled.words.unique) return (evidence) => findDuplicates(read(evidence), compiled.words, evidence);
  return (evidence) => {
    if (!isViolated(evidence)) return NO_VIOLATIONS;
    return read(evidence)
      .filter(({ value }) => !compiled.holds(value, evidence))
      .map(({ at, value, exchange }) =>
        violation(compiled.words.at ?? at, compiled.expected(evidence), value, exchange),
      );
  };
}

function outcomeCheck(test: Test): (evidence: Evidence) => readonly Violation[] {
  const holds = holdsAt('outcome', test);
  const expected = test === 'accepted' ? '2xx' : 'no 2xx';
  const status = valueReader('status');
  return (evidence) => (holds(evidence) ? [] : [violation('status', expected, status(evidence))]);
}

/** Violations for values that occur twice or, for evidence of `id_of`, ids that an earlier response has. */
function findDuplicates(
  values: readonly PlacedValue[],
  { says = 'each value once', at: place }: TestWords,
  evidence?: Evidence,
): readonly Violation[] {
  if (evidence !== undefined && 'earlier' in evidence) {
    if (evidence.earlier === null) return [];
    return values.map(({ at, value }) => violation(place ?? at, 'an id that no earlier response has', value));
  }
  const seen = new Set<string>();
  return values.flatMap(({ at, value, exchange }) => {
    const key = JSON.stringify(value);
    if (value === undefined || !seen.has(key)) {
      seen.add(key);
      return [];
    }
    return [violation(place ?? at, says, value, exchange)];
  });
}

export function isStatement(row: object): row is Statement {
  return QUANTIFIERS.some((word) => word in row) || 'at_least' in row;
}

type Group = readonly PlacedValue[];

function statementCheck(row: Statement): (evidence: Evidence) => readonly Violation[] {
  const { at_least: least } = row;
  const groups = relevantGroups(row);
  if (least !== undefined)
    return (evidence) =>
      groups(evidence).some((group) => group.length >= least)
        ? []
        : [violation('stream', `at least ${plural(least, 'element')}`, undefined)];
  const checkGroup = groupCheck(row);
  const check = (evidence: Evidence): readonly Violation[] =>
    groups(evidence).flatMap((group) => checkGroup(group, evidence));
  return row.once === true ? (evidence) => check(evidence).slice(0, 1) : check;
}

/** Reads the groups without the elements that `after` and `that` exclude. */
function relevantGroups(row: Statement): (evidence: Evidence) => readonly Group[] {
  const filters = elementTests(row.that ?? {});
  const after = row.after === undefined ? null : elementTests(row.after);
  const groups = groupsOf(row);
  if (after === null && filters.length === 0) return groups;
  return (evidence) => {
    const relevant: Group[] = [];
    for (const all of groups(evidence)) {
      const start = after === null ? -1 : all.findIndex((element) => passes(after, element, evidence));
      if (after !== null && start === -1) continue;
      relevant.push(all.slice(start + 1).filter((element) => passes(filters, element, evidence)));
    }
    return relevant;
  };
}

function groupCheck(row: Statement): (group: Group, evidence: Evidence) => readonly Violation[] {
  const quantifier = QUANTIFIERS.find((word) => word in row) ?? 'each';
  const tests = elementTests(row[quantifier] ?? {});
  const failures = (element: PlacedValue, evidence: Evidence, group: Group): readonly Violation[] =>
    tests.flatMap((test) => test.failures(element, evidence, group[0]));
  return (group, evidence) => {
    const isFit = (element: PlacedValue): boolean => passes(tests, element, evidence, group[0]);
    if (quantifier === 'some')
      return group.some(isFit) ? NO_VIOLATIONS : failures(group.at(-1) ?? MISSING, evidence, group);
    if (quantifier === 'none')
      return group.filter(isFit).map(({ at, value }) => violation(at, row.says ?? 'nothing like it', value));
    // The last element of an empty group is tested as a missing one.
    const isMissing = quantifier === 'last' && group.length === 0;
    const unfit = (isMissing ? [MISSING] : chooseElements(group, quantifier)).filter((one) => !isFit(one));
    if (unfit.length === 0) return NO_VIOLATIONS;
    const violations = unfit.flatMap((one) => failures(one, evidence, group));
    return quantifier === 'all_but_last' ? violations.map((one) => withLast(one, group)) : violations;
  };
}

function passes(
  tests: readonly ElementTest[],
  element: PlacedValue,
  evidence: Evidence,
  first?: PlacedValue,
): boolean {
  for (const test of tests) if (!test.holds(element, evidence, first)) return false;
  return true;
}

/** Replaces `{last}` in the expected value with the name of the last event, `event 3`. */
function withLast(violated: Violation, group: Group): Violation {
  const [event = ''] = /^event \d+/.exec(group.at(-1)?.at ?? '') ?? [];
  return { ...violated, expected: violated.expected.replace('{last}', event) };
}

function chooseElements(group: Group, quantifier: string): Group {
  if (quantifier === 'first') return group.slice(0, 1);
  if (quantifier === 'last') return group.slice(-1);
  return quantifier === 'all_but_last' ? group.slice(0, -1) : group;
}

/** A test of elements. Most tests hold, so only failures are examined for a finding. */
interface ElementTest {
  holds(element: PlacedValue, evidence: Evidence, first?: PlacedValue): boolean;
  failures(element: PlacedValue, evidence: Evidence, first?: PlacedValue): readonly Violation[];
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
    const failures = ({ value: json, at, exchange }: PlacedValue): readonly Violation[] => {
      const values = read(json, at);
      if (schema === undefined) return findDuplicates(values, words);
      // The schema is compiled when a value is checked, because loading the compiler takes 60 ms.
      const validate = schemaValidator(schema);
      return values.flatMap(({ at: element, value = null }) =>
        validate(value).map(({ pointer, message }) =>
          violation(
            `${element} ${pointer}`.trimEnd(),
            `${schema}: ${message}`,
            valueAtPointer(value, pointer) as Json | undefined, // as: a value in JSON
            exchange,
          ),
        ),
      );
    };
    return { holds: (element) => failures(element).length === 0, failures };
  }
  const subjectOf = ({ value }: PlacedValue, evidence: Evidence, first?: PlacedValue): unknown =>
    readsSubject ? new ElementSubject(evidence, value, first?.value) : evidence;
  return {
    holds: (element, evidence, first) => !isViolated(element.value, subjectOf(element, evidence, first)),
    failures: (element, evidence, first) => {
      const { value: json, at: here, exchange } = element;
      const subject = subjectOf(element, evidence, first);
      const at = words.at === '' ? here : words.at && extendPlace(here, words.at);
      return read(json, here)
        .filter(({ value }) => !holds(value, subject))
        .map((one) => violation(at ?? one.at, expected(subject), one.value, exchange));
    },
  };
}

/** Group readers by `of` and `group`: equal groups of the same evidence are built once. */
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
    const groups = new Map<Json, PlacedValue[]>();
    const all =
      list === undefined ? read(evidence) : read(evidence).flatMap((event) => elementsOfList(event, list));
    for (const element of all) {
      const key = keyAt(element.value) ?? null;
      if (typeof key !== 'string' && typeof key !== 'number') continue;
      getOrMake(groups, key, () => []).push(element);
    }
    return [...groups.values()];
  };
}

function elementsOfList({ at, value }: PlacedValue, list: string): readonly PlacedValue[] {
  return arrayAt(value, list).map((element, i) => ({ at: `${at} /${list}/${i}`, value: element }));
}
