import { isJsonObject, type Json } from '../json.ts';
import { copy, inAnswer } from './answers.ts';
import { deafToQuery } from './asking.ts';
import { elements, put } from './edit.ts';
import type { Fault, Misdeed } from './fault.ts';

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
  before: { id: 'before-ignored', says: 'does not hear the cursor before', does: deafToQuery('before') },
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
    does: deafToQuery('order'),
  },
  'default-order': {
    id: 'default-order',
    says: 'lists the oldest first where no order is given',
    does: oldestFirst(),
  },
} as const satisfies Record<string, Pick<Fault, 'id' | 'says'> & { readonly does: Misdeed }>;

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

function limitIgnored(): Misdeed {
  return { handle: (call, proceed) => proceed({ ...call, query: { ...call.query, limit: 100 } }) };
}

function defaultLimit(): Misdeed {
  return { handle: (call, proceed) => proceed({ ...call, query: { limit: 3, ...call.query } }) };
}

function oldestFirst(): Misdeed {
  return { handle: (call, proceed) => proceed({ ...call, query: { order: 'asc', ...call.query } }) };
}

function losing(): Misdeed {
  return inAnswer((answer, { query }) =>
    query['after'] === undefined ? answer : put(answer, '/data/0', () => undefined),
  );
}

/** The element that the cursor names is the last of what lies before the rest; found by asking for all. */
function inclusive(): Misdeed {
  return {
    handle: async (call, proceed) => {
      const { after, ...query } = call.query;
      if (after === undefined) return proceed(call);
      const all = copy(await proceed({ ...call, query: { ...query, limit: 100 } }));
      const at = elements(all).findIndex(({ id }) => id === after);
      const page = copy(await proceed(call));
      const cursor = elements(all)[at];
      return cursor === undefined ? page : put(page, '/data', [cursor, ...elements(page)]);
    },
  };
}

function told(name: string, value: Json): Misdeed {
  return inAnswer((answer) => put(answer, `/${name}`, value));
}

function swapped(name: string, at: number): Misdeed {
  return inAnswer((answer) => {
    const other = elements(answer).at(at);
    return isJsonObject(other) ? put(answer, `/${name}`, other['id'] ?? null) : answer;
  });
}
