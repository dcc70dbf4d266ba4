// Creations that a client sends again because the answer was lost. Only a disturber knows that both were carried out, and
// marks the second answer.
import { CREATED_BEFORE_FIELD } from '../../exchange/disturbed.ts';
import { eventsOf, isEventStream } from '../../exchange/http/event-stream.ts';
import { firstHeader } from '../../exchange/http/headers.ts';
import { requests, where } from '../../judge/evidence/calls.ts';
import { section } from '../../judge/requirements/define.ts';
import type { Call } from '../../judge/trace/call.ts';
import { textAt } from '../../judge/trace/json.ts';
import { withHeader } from '../../proof/mutations/exchanges.ts';
import { inEveryRequest } from '../../proof/mutations/requests.ts';
import { ownOperations } from '../../schemas/index.ts';

const { implied } = section('1 Endpoints');

/** Operations that only answer: nothing stays on the service. */
const ANSWERING = ['createChatCompletion', 'createCompletion', 'createModeration'];
/** Operations that make an object which stays. */
const CREATING = ownOperations()
  .map(({ id }) => id)
  .filter((id) => id.startsWith('create') && !ANSWERING.includes(id));

/** The id of the object that an earlier sending of the same request made. */
function madeBefore(headers: Parameters<typeof firstHeader>[0] | undefined): string | null {
  return headers === undefined ? null : firstHeader(headers, CREATED_BEFORE_FIELD);
}

/** The id of the object that a call made: that of the answer, or of the first event of a stream. Undefined without one. */
function madeBy({ exchange: { response }, responseJson }: Call): string | undefined {
  if (response === null || response.status >= 300) return undefined;
  if (!isEventStream(response)) return textAt(responseJson, 'id');
  return (eventsOf(response)?.events ?? [])
    .map(({ json }) => textAt(json?.value, 'id'))
    .find((id) => id !== undefined);
}

/**
 * A SHOULD: the specification has no key that makes a creation safe to repeat, and HTTP advises against repeating such a
 * request without knowing that it was not carried out (RFC 9110, section 9.2.2).
 */
export const clientCreationsOnce = implied('client.creations.once', {
  level: 'SHOULD',
  says: 'A client that loses the answer to a creation does not make the object a second time.',
  selector: where(requests(CREATING), ({ call }) => madeBy(call) !== undefined),
  check: ({ call }) => {
    const before = madeBefore(call.exchange.response?.headers);
    const id = madeBy(call);
    if (before === null || before === id) return [];
    return [{ at: '/id', expected: `no second object beside ${before}`, actual: id }];
  },
  mutations: {
    'sent twice': inEveryRequest(CREATING, (exchange) =>
      withHeader(exchange, CREATED_BEFORE_FIELD, 'an-object-that-exists'),
    ),
  },
});
