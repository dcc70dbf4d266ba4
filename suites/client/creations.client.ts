// Creations that a client sends again because the answer was lost. Only a disturber knows that both were carried out, and
// marks the second answer.
import { CREATED_BEFORE_FIELD } from '../../exchange/disturbed.ts';
import { firstHeader } from '../../exchange/http/headers.ts';
import { textAt } from '../../judge/evidence/json.ts';
import { responses, where } from '../../judge/evidence/selectors/answers.ts';
import { withHeader } from '../../judge/mutations/exchanges.ts';
import { inEveryRequest } from '../../judge/mutations/requests.ts';
import { section } from '../../judge/requirements/define.ts';
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

/**
 * A SHOULD: the specification has no key that makes a creation safe to repeat, and HTTP advises against repeating such a
 * request without knowing that it was not carried out (RFC 9110, section 9.2.2).
 */
export const clientCreationsOnce = implied('client.creations.once', {
  level: 'SHOULD',
  says: 'A client that loses the answer to a creation does not make the object a second time.',
  selector: where(responses(CREATING), ({ answer }) => textAt(answer, 'id') !== undefined),
  check: ({ call, answer }) => {
    const before = madeBefore(call.exchange.response?.headers);
    const id = textAt(answer, 'id');
    if (before === null || before === id) return [];
    return [{ at: '/id', expected: `no second object beside ${before}`, actual: id }];
  },
  mutations: {
    'sent twice': inEveryRequest(CREATING, (exchange) =>
      withHeader(exchange, CREATED_BEFORE_FIELD, 'an-object-that-exists'),
    ),
  },
});
