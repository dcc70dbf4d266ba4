import {
  changeResponse,
  cloneJson,
  envelopeElements,
  ignoreQuery,
  setAtPointer,
} from '../deviations/changes.ts';
import type { Fault, FaultHooks } from '../deviations/hooks.ts';
import { isJsonObject, type Json } from '../http/json.ts';

/** Faults of lists with cursors, by the last part of the id of the requirement that each breaks. */
const LIST_FAULTS = {
  limit: {
    id: 'limit-ignored',
    says: 'returns up to 100 elements regardless of limit',
    does: limitIgnored(),
  },
  'default-limit': {
    id: 'default-limit',
    says: 'returns 3 elements by default',
    does: defaultLimit(),
  },
  after: {
    id: 'after-inclusive',
    says: 'includes the element of the after cursor in the page',
    does: inclusive(),
  },
  before: { id: 'before-ignored', says: 'ignores before', does: ignoreQuery('before') },
  closure: { id: 'page-loses-one', says: 'omits the first element after a cursor', does: losing() },
  'has-more': {
    id: 'has-more-lies',
    says: 'always returns has_more false',
    does: fixedField('has_more', false),
  },
  'first-id': {
    id: 'first-id-wrong',
    says: 'returns the last id as first_id',
    does: swapped('first_id', -1),
  },
  'last-id': { id: 'last-id-wrong', says: 'returns the first id as last_id', does: swapped('last_id', 0) },
  'order-asc': {
    id: 'order-ignored',
    says: 'ignores order: the newest element is first',
    does: ignoreQuery('order'),
  },
  'default-order': {
    id: 'default-order',
    says: 'lists the oldest element first by default',
    does: oldestFirst(),
  },
} as const satisfies Record<string, Pick<Fault, 'id' | 'says'> & { readonly does: FaultHooks }>;

/**
 * Faults of a list operation. `topic` begins their ids; `form` restricts them to one variant of the operation.
 * `ways` names them by the part of a list that they break.
 */
export function listFaults(
  topic: string,
  operation: string,
  ways: readonly (keyof typeof LIST_FAULTS)[],
  form?: 'v1' | 'v2',
): readonly Fault[] {
  return ways.map((way) => ({
    id: `${topic}-${LIST_FAULTS[way].id}`,
    says: `${operation} ${LIST_FAULTS[way].says}`,
    requirement: `${operation}${form === undefined ? '' : `.${form}`}.page.${way}`,
    on: [operation],
    ...(form === undefined ? {} : { form }),
    does: LIST_FAULTS[way].does,
  }));
}

/** 100 is the largest limit of the specification, so that the page is valid but for its length. */
function limitIgnored(): FaultHooks {
  return { handle: (request, proceed) => proceed({ ...request, query: { ...request.query, limit: 100 } }) };
}

/** Only where the request has no limit: a given one takes precedence. */
function defaultLimit(): FaultHooks {
  return { handle: (request, proceed) => proceed({ ...request, query: { limit: 3, ...request.query } }) };
}

/** Only where the request has no order. */
function oldestFirst(): FaultHooks {
  return { handle: (request, proceed) => proceed({ ...request, query: { order: 'asc', ...request.query } }) };
}

/** Only pages after a cursor lose an element, which a client that reads a single page never sees. */
function losing(): FaultHooks {
  return changeResponse((answer, { query }) =>
    query['after'] === undefined ? answer : setAtPointer(answer, '/data/0', () => undefined),
  );
}

/** Puts the element that the `after` cursor names before the page; it is found in the list without the cursor. */
function inclusive(): FaultHooks {
  return {
    handle: async (request, proceed) => {
      const { after, ...query } = request.query;
      if (after === undefined) return proceed(request);
      const all = cloneJson(await proceed({ ...request, query: { ...query, limit: 100 } }));
      const at = envelopeElements(all).findIndex(({ id }) => id === after);
      const page = cloneJson(await proceed(request));
      const cursor = envelopeElements(all)[at];
      return cursor === undefined ? page : setAtPointer(page, '/data', [cursor, ...envelopeElements(page)]);
    },
  };
}

/** One field of the envelope has the same value in every response. */
function fixedField(name: string, value: Json): FaultHooks {
  return changeResponse((answer) => setAtPointer(answer, `/${name}`, value));
}

/** One field of the envelope contains the id of another element of the page. */
function swapped(name: string, at: number): FaultHooks {
  return changeResponse((answer) => {
    const other = envelopeElements(answer).at(at);
    return isJsonObject(other) ? setAtPointer(answer, `/${name}`, other['id'] ?? null) : answer;
  });
}
