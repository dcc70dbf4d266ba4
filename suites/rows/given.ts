// `given` of a row: the evidence that a requirement concerns, and the conditions of `where`.
import { requests, responses, that, where } from '../../judge/evidence/calls.ts';
import { idReuses } from '../../judge/evidence/id-reuses.ts';
import { absences, memberships } from '../../judge/evidence/list-memberships.ts';
import { probeResults } from '../../judge/evidence/probe-results.ts';
import { streamedPairs } from '../../judge/evidence/streamed-pairs.ts';
import { completeStreams, streams } from '../../judge/evidence/streams.ts';
import { type SuccessionPlan, successions } from '../../judge/evidence/successions.ts';
import type { Condition, Evidence, Selector } from '../../judge/requirements/requirement.ts';
import { valueAtPath } from '../../judge/trace/json.ts';
import { ownOperations } from '../../schemas/index.ts';
import { compileExpectation, type Expect, isStatement, type Statement } from './expectations.ts';
import { conditionOf } from './place-conditions.ts';
import { expandTest, type Tests } from './test-words.ts';

type Operations = string | readonly string[];

/** Expands `*` to all operations, `* list` to those that return lists, and `* DELETE` to those of a method. */
export function listOperations(names: Operations): readonly string[] {
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
  readonly until?: readonly string[];
  /**
   * The path parameter that names the object, after those of its owners, `vector_store_id/file_id`; without it, the
   * first of these fields in the response, with an id or a list of ids. Default: the last id of the path and `id`.
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

export type NamedEvidence = Readonly<Record<string, Selector<Evidence>>>;

/** Selectors by the JSON of their row without `where`, so that rows with the same evidence collect it once. */
const knownSelectors = new Map<string, Selector<Evidence>>();

export function selectEvidence(row: Given, named: NamedEvidence = {}): Selector<Evidence> {
  const { where: conditions = {}, ...kind } = row;
  const key = JSON.stringify(kind);
  const selector = named[kind.evidence ?? ''] ?? knownSelectors.get(key) ?? selectorOf(kind);
  if (kind.evidence === undefined) knownSelectors.set(key, selector);
  return where(selector, ...[conditions].flat().flatMap(conditionsOf));
}

function selectorOf(kind: Omit<Given, 'where'>): Selector<Evidence> {
  const options = kind.variant === undefined ? {} : { variant: kind.variant };
  if (kind.answer !== undefined) return responses(kind.answer, options);
  if (kind.call !== undefined) return requests(listOperations(kind.call), options);
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
  return ({ path, responseJson }) => {
    const value =
      path[parameter] ??
      fields.map((field) => valueAtPath(responseJson, field)).find((id) => (id ?? null) !== null);
    const ids = [value].flat().filter((id) => typeof id === 'string');
    return owners.length === 0 ? ids : ids.map((id) => [...owners.map((owner) => path[owner]), id].join('/'));
  };
}

export function conditionsOf(conditions: Tests | Statement | Alternatives): readonly Condition<Evidence>[] {
  if (isAlternatives(conditions)) {
    const groups = conditions.any_of.map(conditionsOf);
    const holds = (evidence: Evidence) => groups.some((group) => group.every((one) => one(evidence)));
    return [conditions.says === undefined ? holds : that(conditions.says, holds)];
  }
  if (isStatement(conditions)) {
    const check = compileExpectation(conditions);
    const { says } = conditions;
    const holds = (evidence: Evidence): boolean => check(evidence).length === 0;
    return [says === undefined ? holds : that(says, holds)];
  }
  return Object.entries(conditions).map(([place, test]) => conditionOf(place, test));
}

/**
 * Requires the numbers that `sum_of` adds up, except those that `where` tests: evidence without one of them shows no
 * sum to compare with.
 */
export function addendConditions(expect: Expect, where: Given['where'] = {}): readonly Condition<Evidence>[] {
  if (isStatement(expect)) return [];
  return Object.values(expect).flatMap((test) => {
    const { sum_of: parts = [] } = expandTest(test);
    return parts
      .filter((part) => typeof part === 'string' && ![where].flat().some((tests) => part in tests))
      .map((part) => conditionOf(String(part), { type: 'number' }));
  });
}

function isAlternatives(row: Tests | Statement | Alternatives): row is Alternatives {
  return 'any_of' in row;
}
