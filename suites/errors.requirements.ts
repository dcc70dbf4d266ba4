import { decodedContent, mediaTypeOf } from '../exchange/http/content.ts';
import { type Operation, ownOperations } from '../schemas/index.ts';
import { withBody, withHeader, withStatus } from './vocabulary/exchanges.ts';
import { isObject } from './vocabulary/json.ts';
import { requests, where } from './vocabulary/selectors.ts';
import { section } from './vocabulary/statements.ts';
import type { Call, Exchange, ExchangeEdit, Mutation, RequestEvidence } from './vocabulary/types.ts';

const { choice } = section('1 Errors');

const everything = requests(ownOperations().map(({ id }) => id));
const refusals = where(
  everything,
  ({ call: { status } }) => status !== null && status >= 400 && status <= 499,
);

export const errorsStatusOfViolation = choice('errors.status.of-violation', {
  says: 'The status of an answer to a request that breaks a rule.',
  alternatives: ['400', '422'],
  selector: where(
    refusals,
    ({ call: { exchange, responseClass: outcome } }) =>
      outcome === 'rejected' && exchange.probe?.side === 'violation' && exchange.probe.keyword !== 'unknown',
  ),
  several: true,
  taken: ({ call: { status } }) => String(status),
  examples: { '422': refused((exchange) => withStatus(exchange, 422)) },
});

export const errorsStatusOfUnknownId = choice('errors.status.of-unknown-id', {
  says: 'The status of an answer to a request for something that is not there.',
  alternatives: ['404', '400'],
  selector: where(refusals, ({ call: { exchange } }) => {
    const { probe } = exchange;
    return probe?.side === 'violation' && probe.keyword === 'unknown' && probe.pointer.startsWith('path.');
  }),
  several: true,
  taken: ({ call: { status } }) => String(status),
  examples: { '400': refused((exchange) => withStatus(exchange, 400)) },
});

export const errorsUnknownIdDeletion = choice('errors.unknown-id.deletion', {
  says: 'Response to a deletion whose path names an object that does not exist.',
  alternatives: ['refused', 'answered'],
  selector: where(requests(idsOf(({ method }) => method === 'DELETE')), ({ call }) => namesNothing(call)),
  taken: fateOf,
});

export const errorsUnknownIdList = choice('errors.unknown-id.list', {
  says: 'Response to a list whose path names an owner that does not exist.',
  alternatives: ['refused', 'answered'],
  selector: where(requests(idsOf(({ list }) => list !== null)), ({ call }) => namesNothing(call)),
  taken: fateOf,
});

export const errorsBodyForm = choice('errors.body.form', {
  says: 'Form of the body of a rejection.',
  alternatives: ['an object with error', 'other JSON', 'text', 'nothing'],
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

function namesNothing({ exchange: { probe } }: Call): boolean {
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
