import { decodedContent, mediaTypeOf } from '../exchange/http/content.ts';
import { isRejection } from '../judge/probe/controls.ts';
import { type Operation, ownOperations } from '../schemas/index.ts';
import { choiceOf } from './rows/rows.ts';
import { withBody, withHeader, withStatus } from './vocabulary/exchanges.ts';
import { isObject } from './vocabulary/json.ts';
import { requests, where } from './vocabulary/selectors.ts';
import type { Exchange, ExchangeEdit, Mutation, RequestEvidence } from './vocabulary/types.ts';

const everything = requests(ownOperations().map(({ id }) => id));
const refusals = where(
  everything,
  ({ call: { status } }) => status !== null && status >= 400 && status <= 499,
);

export const errorsStatusOfViolation = choiceOf('errors.status.of-violation', {
  selector: where(refusals, ({ call }) => {
    const { probe } = call.exchange;
    return isRejection(call) && probe?.side === 'violation' && probe.keyword !== 'unknown';
  }),
  taken: ({ call: { status } }) => String(status),
  examples: { '422': refused((exchange) => withStatus(exchange, 422)) },
});

export const errorsStatusOfUnknownId = choiceOf('errors.status.of-unknown-id', {
  selector: where(refusals, namesNothing),
  taken: ({ call: { status } }) => String(status),
  examples: { '400': refused((exchange) => withStatus(exchange, 400)) },
});

export const errorsUnknownIdDeletion = choiceOf('errors.unknown-id.deletion', {
  selector: where(requests(idsOf(({ method }) => method === 'DELETE')), namesNothing),
  taken: fateOf,
});

export const errorsUnknownIdList = choiceOf('errors.unknown-id.list', {
  selector: where(requests(idsOf(({ list }) => list !== null)), namesNothing),
  taken: fateOf,
});

export const errorsBodyForm = choiceOf('errors.body.form', {
  selector: refusals,
  taken: ({ call: { exchange } }) => formOf(exchange),
  examples: {
    'other JSON': refused((exchange) => withBody(exchange, '{"message": "no"}')),
    text: refused((exchange) => withHeader(withBody(exchange, 'no'), 'content-type', 'text/plain')),
    nothing: refused((exchange) => withBody(exchange, '')),
  },
});

/** Changes every refusal. */
function refused(edit: ExchangeEdit): Mutation {
  return (trace) =>
    trace.map((exchange) => {
      const status = exchange.response?.status ?? 0;
      return status >= 400 && status <= 499 ? edit(exchange) : exchange;
    });
}

function idsOf(fits: (operation: Operation) => boolean): readonly string[] {
  return ownOperations()
    .filter(fits)
    .map(({ id }) => id);
}

/** Whether a request was sent to learn what becomes of an id in its path that no object has. */
function namesNothing({ call: { exchange } }: RequestEvidence): boolean {
  const { probe } = exchange;
  return probe?.side === 'violation' && probe.keyword === 'unknown' && probe.pointer.startsWith('path.');
}

function fateOf({ call: { responseClass: outcome } }: RequestEvidence): string | null {
  if (outcome === 'accepted') return 'answered';
  return outcome === 'rejected' || outcome === 'absent' ? 'refused' : null;
}

function formOf({ response }: Exchange): string | null {
  if (response === null) return null;
  const content = decodedContent(response);
  if (content === null || content.size === 0) return 'nothing';
  const { json } = content;
  if (json !== null) {
    const { value } = json;
    return isObject(value) && isObject(value['error']) ? 'an object with error' : 'other JSON';
  }
  return mediaTypeOf(response.headers)?.essence.startsWith('text/') === true ? 'text' : 'something else';
}
