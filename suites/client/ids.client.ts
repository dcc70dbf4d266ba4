// Ids in paths and cursors in queries: whether an answer gave them. A trace shows one session, and clients remember more.

import { section } from '../../judge/requirements/define.ts';
import type { Mutation } from '../../judge/requirements/requirement.ts';
import type { Call } from '../../judge/trace/call.ts';
import { withJsonResponse } from '../../proof/mutations/exchanges.ts';
import { inEveryRequest, withRequest, withRequestQuery } from '../../proof/mutations/requests.ts';
import { ownOperations } from '../../schemas/index.ts';
import { idEvidence, type NamedId, pathOf } from './selectors/given-ids.ts';

const shapes = section('1 Common shapes');
const lists = section('1 List query parameters (all list endpoints of this document)');

/** Operations with an id in their path; the names of models are configured, not given. */
const WITH_IDS = ownOperations()
  .filter(({ path }) => path.includes('{') && !path.includes('{model}'))
  .map(({ id }) => id);
/** Lists that are walked by cursors. */
const LISTS = ownOperations()
  .filter(({ list }) => list !== null && list.cursors.length > 0)
  .map(({ id }) => id);

/** The ids in the path of a request, in their order. */
function idsInPath({ operation, path }: Call): readonly NamedId[] {
  if (!WITH_IDS.includes(operation.id)) return [];
  return Object.entries(path).map(([name, id]) => ({ at: `request path ${name}`, id }));
}

/** The cursors of a request. */
function cursorsOf({ operation, query }: Call): readonly NamedId[] {
  if (!LISTS.includes(operation.id)) return [];
  return ['after', 'before'].flatMap((name) => {
    const id = query.get(name);
    return id === null ? [] : [{ at: `request query ${name}`, id }];
  });
}

/** Whether the service did not take a request: an id of an earlier session is known to it, though not to the trace. */
function isRefused({ responseClass }: Call): boolean {
  return responseClass === 'absent' || responseClass === 'rejected';
}

/** An id that no answer gives. */
const UNKNOWN = 'assay-no-such-id';

/** Requests with another id first in their path, which the service does not know. */
function withOtherId(make: (id: string) => string): Mutation {
  return inEveryRequest(WITH_IDS, (exchange) => {
    const { target } = exchange.request;
    const other = target.replace(
      /^(\/v1\/[a-z_]+(?:\/jobs)?\/)([^/?]+)/,
      (_, path: string, id: string) => path + make(id),
    );
    return withJsonResponse(
      withRequest(exchange, (request) => ({ ...request, target: other })),
      404,
      {},
    );
  });
}

/**
 * An id may come from an earlier session, which the trace does not show: only one that the service does not know either is
 * a finding, and it is a SHOULD, since somebody else may have deleted the object.
 */
export const clientIdsGiven = shapes.implied('client.ids.given', {
  level: 'SHOULD',
  says: 'A client names objects by ids that the service gave.',
  selector: idEvidence(idsInPath, isRefused),
  check: ({ unknown }) => unknown.map(({ at, id }) => ({ at, expected: 'an id of an answer', actual: id })),
  mutations: {
    'an invented id': withOtherId(() => UNKNOWN),
    'a longer id': withOtherId((id) => `${id}-longer`),
  },
});

/**
 * A cursor is the id of an object of the list. It may come from an earlier session as well, so it is a finding only where
 * the client was given a page of this list before, or the service refuses it.
 */
export const clientCursorsGiven = lists.stated('client.cursors.given', {
  level: 'SHOULD',
  says: 'A client asks for the page next to an object that the service gave.',
  selector: idEvidence(cursorsOf, (call, seen) => isRefused(call) || seen.has(pathOf(call))),
  check: ({ unknown }) => unknown.map(({ at, id }) => ({ at, expected: 'an id of an answer', actual: id })),
  mutations: {
    'an invented cursor': inEveryRequest(LISTS, (exchange) => withRequestQuery(exchange, 'after', UNKNOWN)),
    'a page number': inEveryRequest(LISTS, (exchange) => withRequestQuery(exchange, 'after', '2')),
  },
});
