import { decodedContent, mediaTypeOf } from '../exchange/http/content.ts';
import { isRejection } from '../judge/probe/probe-outcomes.ts';
import { ownOperations } from '../schemas/index.ts';
import { choiceOf } from './rows/rows.ts';
import { isObject } from './vocabulary/json.ts';
import { requests, where } from './vocabulary/selectors.ts';
import type { Exchange } from './vocabulary/types.ts';

const clientErrors = where(
  requests(ownOperations().map(({ id }) => id)),
  ({ call: { status } }) => status !== null && status >= 400 && status <= 499,
);

export const errorsStatusOfViolation = choiceOf('errors.status.of-violation', {
  selector: where(clientErrors, ({ call }) => {
    const { probe } = call.exchange;
    return isRejection(call) && probe?.side === 'violation' && probe.keyword !== 'unknown';
  }),
  taken: ({ call: { status } }) => String(status),
});

export const errorsBodyForm = choiceOf('errors.body.form', {
  selector: clientErrors,
  taken: ({ call }) => (call.complete ? formOf(call.exchange) : null),
});

function formOf({ response }: Exchange): string | null {
  if (response === null) return null;
  const content = decodedContent(response);
  if (content === null || !content.isKept) return null;
  if (content.size === 0) return 'nothing';
  if (content.json !== null) {
    const { value } = content.json;
    return isObject(value) && isObject(value['error']) ? 'an object with error' : 'other JSON';
  }
  return mediaTypeOf(response.headers)?.essence.startsWith('text/') === true ? 'text' : 'something else';
}
