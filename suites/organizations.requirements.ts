import { jsonContent } from '../exchange/http/content.ts';
import { callerOf } from '../judge/trace/caller-identity.ts';
import { ORGANIZATION_LISTS, SECOND_KEY } from './organizations.ts';
import { isSuccessOf } from './vocabulary/changes.ts';
import { follow } from './vocabulary/collecting.ts';
import { editedTrace, withResponseJson } from './vocabulary/exchanges.ts';
import { arrayAt, isObject, textAt } from './vocabulary/json.ts';
import { section, violation } from './vocabulary/statements.ts';
import type { Call, Json, Mutation, RequestEvidence, Selector } from './vocabulary/types.ts';

/** A list of a second organization, and the last earlier list with elements of the first. */
interface SecondKeyList extends RequestEvidence {
  readonly firstList: Call;
}

export const organizations = ORGANIZATION_LISTS.map(({ family, list, nouns, identifiedBy }) =>
  section('1 Authentication').stated(`${family}.scope.organization`, {
    says: `A list of ${nouns} contains none of an organization other than the caller's.`,
    selector: listsOfSecondKey(list),
    check: ({ call, firstList }) => {
      const first = arrayAt(firstList.responseJson, 'data');
      const known = new Set(first.map((element) => identityOf(element, identifiedBy)));
      return arrayAt(call.responseJson, 'data').flatMap((element, i) => {
        const identity = identityOf(element, identifiedBy);
        if (identity === null || !known.has(identity)) return [];
        const expected = `no object that ${firstList.exchange.id} shows to another organization`;
        return [violation(`/data/${i}/id`, expected, textAt(element, 'id'))];
      });
    },
    mutations: {
      'one list for all': editListsOfOthers(list, (_, firstList) => firstList),
      'one more': editListsOfOthers(list, (answer, firstList) => {
        const data = [...arrayAt(firstList, 'data').slice(0, 1), ...arrayAt(answer, 'data')];
        return { ...(isObject(answer) ? answer : {}), data };
      }),
    },
  }),
);

/** Ignores traffic outside scenarios: only a run knows that its second key belongs to another organization. */
function listsOfSecondKey(list: string): Selector<SecondKeyList> {
  const needs = `a response of ${list} to a key of another organization (--second-key-env), after one with elements`;
  const start = () => {
    let firstList: Call | null = null;
    return (call: Call): readonly SecondKeyList[] => {
      const { exchange, responseClass, requestJson: asked } = call;
      if (responseClass !== 'accepted' || exchange.scenario === null) return [];
      if (exchange.probe?.keyword === SECOND_KEY.keyword && exchange.probe.pointer === SECOND_KEY.pointer)
        return firstList === null ? [] : [{ exchanges: [exchange], call, asked, firstList }];
      if (exchange.probe === null && arrayAt(call.responseJson, 'data').length > 0) firstList = call;
      return [];
    };
  };
  return follow([list], start, needs);
}

/** Null without an id or a creation time. Ids alone prove nothing: a service may count objects per organization. */
function identityOf(element: Json, identifiedBy: readonly string[]): string | null {
  if (!isObject(element)) return null;
  const { id, created_at: created } = element;
  if (typeof id !== 'string' || typeof created !== 'number') return null;
  return JSON.stringify([id, created, ...identifiedBy.map((name) => element[name] ?? null)]);
}

/**
 * Edits the lists of every caller but the first whose list has elements. Compares callers, because live exchanges have
 * no probe labels.
 */
function editListsOfOthers(list: string, edit: (answer: Json, firstList: Json) => Json): Mutation {
  return (trace) => {
    let first: { readonly caller: string; readonly answer: Json } | null = null;
    return editedTrace(trace, (exchange) => {
      const answer = jsonContent(exchange.response);
      if (answer === undefined || !isSuccessOf(exchange, list)) return exchange;
      const caller = callerOf(exchange.request);
      if (first !== null && caller !== first.caller) {
        const { answer: firstList } = first;
        return withResponseJson(exchange, (json) => edit(json, firstList));
      }
      if (arrayAt(answer, 'data').length > 0) first = { caller, answer };
      return exchange;
    });
  };
}
