import { isJsonObject, type Json } from '../server/json.ts';
import { envelopeElements, setAtPointer } from './edit.ts';
import type { Fault, FaultHooks } from './fault.ts';
import { ignoreQuery } from './requests.ts';
import { changeResponse, cloneJson } from './responses.ts';

/** Ways to get a list with cursors wrong; the names end the ids of what they break. */
const WAYS = {
  limit: { id: 'limit-ignored', says: 'answers up to 100 elements whatever the limit', does: limitIgnored() },
  'default-limit': {
    id: 'default-limit',
    says: 'answers three elements where no limit is given',
    does: defaultLimit(),
  },
  after: {
    id: 'after-inclusive',
    says: 'begins a page with the element its cursor names',
    does: inclusive(),
  },
  before: { id: 'before-ignored', says: 'does not hear the cursor before', does: ignoreQuery('before') },
  closure: { id: 'page-loses-one', says: 'leaves out the first element behind a cursor', does: losing() },
  'has-more': {
    id: 'has-more-lies',
    says: 'has has_more say that nothing follows',
    does: told('has_more', false),
  },
  'first-id': { id: 'first-id-wrong', says: 'tells the last id as the first', does: swapped('first_id', -1) },
  'last-id': { id: 'last-id-wrong', says: 'tells the first id as the last', does: swapped('last_id', 0) },
  'order-asc': {
    id: 'order-ignored',
    says: 'lists the newest first whatever the order',
    does: ignoreQuery('order'),
  },
  'default-order': {
    id: 'default-order',
    says: 'lists the oldest first where no order is given',
    does: oldestFirst(),
  },
} as const satisfies Record<string, Pick<Fault, 'id' | 'says'> & { readonly does: FaultHooks }>;

/** Faults of a list: `topic` begins their ids. */
export function listFaults(
  topic: string,
  operation: string,
  ways: readonly (keyof typeof WAYS)[],
  form?: 'v1' | 'v2',
): readonly Fault[] {
  return ways.map((way) => ({
    id: `${topic}-${WAYS[way].id}`,
    says: `${operation} ${WAYS[way].says}`,
    requirement: `${operation}${form === undefined ? '' : `.${form}`}.page.${way}`,
    on: [operation],
    ...(form === undefined ? {} : { form }),
    does: WAYS[way].does,
  }));
}

function limitIgnored(): FaultHooks {
  return { handle: (request, proceed) => proceed({ ...request, query: { ...request.query, limit: 100 } }) };
}

function defaultLimit(): FaultHooks {
  return { handle: (request, proceed) => proceed({ ...request, query: { limit: 3, ...request.query } }) };
}

function oldestFirst(): FaultHooks {
  return { handle: (request, proceed) => proceed({ ...request, query: { order: 'asc', ...request.query } }) };
}

function losing(): FaultHooks {
  return changeResponse((answer, { query }) =>
    query['after'] === undefined ? answer : setAtPointer(answer, '/data/0', () => undefined),
  );
}

/** The element that the cursor names is the last of what lies before the rest; found by asking for all. */
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

function told(name: string, value: Json): FaultHooks {
  return changeResponse((answer) => setAtPointer(answer, `/${name}`, value));
}

function swapped(name: string, at: number): FaultHooks {
  return changeResponse((answer) => {
    const other = envelopeElements(answer).at(at);
    return isJsonObject(other) ? setAtPointer(answer, `/${name}`, other['id'] ?? null) : answer;
  });
}
