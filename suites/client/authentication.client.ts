// How a client names itself: the key that every request carries.
import { firstHeader } from '../../exchange/http/headers.ts';
import { requests } from '../../judge/evidence/calls.ts';
import { section } from '../../judge/requirements/define.ts';
import { inEveryRequest, withRequestHeader } from '../../proof/mutations/requests.ts';
import { ownOperations } from '../../schemas/index.ts';

const { stated } = section('1 Authentication');

/** Ids of all operations. */
const EVERY = ownOperations().map(({ id }) => id);

/** The scheme in any case (RFC 9110, section 11.1), then the key. */
const BEARER = /^bearer +\S+$/i;

/**
 * The form alone is judged: whether a key is good is for the service to say. Recordings hold an alias in place of the key,
 * which keeps the form.
 */
export const clientRequestsBearerKey = stated('client.requests.bearer-key', {
  says: 'A client sends its key as a bearer token with every request.',
  selector: requests(EVERY),
  check: ({ call }) => {
    const actual = firstHeader(call.exchange.request.headers, 'authorization') ?? undefined;
    if (actual !== undefined && BEARER.test(actual)) return [];
    // The form alone is shown: the rest of the value may be a secret.
    const shown = actual === undefined ? undefined : (actual.split(' ')[0] ?? '');
    return [{ at: 'request header authorization', expected: 'Bearer and the key', actual: shown }];
  },
  mutations: {
    'no key': inEveryRequest(EVERY, (exchange) => withRequestHeader(exchange, 'authorization', null)),
    'another scheme': inEveryRequest(EVERY, (exchange) =>
      withRequestHeader(exchange, 'authorization', 'Basic dXNlcjpwYXNz'),
    ),
    'the key alone': inEveryRequest(EVERY, (exchange) =>
      withRequestHeader(exchange, 'authorization', 'some-key'),
    ),
  },
});
