import { isCancellation } from '../judge/probe/probe-outcomes.ts';
import { ownOperations } from '../schemas/index.ts';
import { callsOperation, isSuccessOf } from './vocabulary/changes.ts';
import { follow } from './vocabulary/collecting.ts';
import { editedTrace, withBody, withJsonResponse, withStatus } from './vocabulary/exchanges.ts';
import { section, violation } from './vocabulary/statements.ts';
import type { Call, Exchange, Mutation, RequestEvidence, Selector } from './vocabulary/types.ts';

type TriedKey = 'absent' | 'wrong';

const KEY = 'header.authorization';
const WORDS = { absent: 'without a key', wrong: 'with a wrong key' } as const;

/** Maximum number of trials of an operation that are held until a request of this operation is carried out. */
const MAX_HELD_TRIALS = 100;

export const authentication = ownOperations().flatMap(({ id }) => [
  keyRequirement(id, 'without-key', 'absent'),
  keyRequirement(id, 'wrong-key', 'wrong'),
]);

function keyRequirement(id: string, rule: string, key: TriedKey) {
  return section('1 Authentication').implied(`auth.${toKebabCase(id)}.${rule}`, {
    says: `The operation ${id} is not carried out ${WORDS[key]}.`,
    selector: keyTrials(id, key),
    check: ({ call }) =>
      call.responseClass === 'accepted' ? [violation('status', 'no 2xx', call.status)] : [],
    mutations: {
      'carried out': editTrials(id, key, (exchange) => withJsonResponse(exchange, 200, {})),
      'carried out without a word': editTrials(id, key, (exchange) =>
        withStatus(withBody(exchange, ''), 204),
      ),
      'carried out as for the right key': answerAsForRightKey(id, key),
    },
  });
}

/**
 * Trials of a missing or wrong key. Only scenarios send them: other traffic may lack a key for other reasons. A trial
 * without a 2xx proves something only if a request with the right key is carried out or, if it cancels something,
 * comes too late.
 */
function keyTrials(id: string, key: TriedKey): Selector<RequestEvidence> {
  const needs = `a conclusive answer to ${id} ${WORDS[key]}, and a call that is carried out with the right key`;
  const start = () => {
    const heldTrials: RequestEvidence[] = [];
    let isServed = false;
    let isLate = false;
    const release = (): RequestEvidence[] => (isServed ? heldTrials.splice(0) : []);
    return {
      call: (call: Call) => {
        if (!isTrial(call.exchange, key)) {
          isServed ||= call.responseClass === 'accepted' && call.exchange.probe?.pointer !== KEY;
          isLate ||= isCancelledTooLate(call);
          return release();
        }
        const evidence: RequestEvidence = { exchanges: [call.exchange], call, asked: call.requestJson };
        if (call.responseClass === 'accepted') return [evidence];
        if (isConclusive(call) && heldTrials.length < MAX_HELD_TRIALS) heldTrials.push(evidence);
        return release();
      },
      finish: () => (isLate ? heldTrials.filter(({ call }) => call.responseClass === 'refused') : []),
    };
  };
  return follow([id], start, needs);
}

function isTrial({ probe }: Exchange, key: TriedKey): boolean {
  return probe?.pointer === KEY && probe.keyword === key;
}

/** Whether a cancellation with the right key was rejected, and not for the value of a probe: it may come too late. */
function isCancelledTooLate({ operation, responseClass, exchange: { probe } }: Call): boolean {
  return isCancellation(operation) && responseClass === 'rejected' && probe === null;
}

/** The request is valid, so even a 400 or 404 may be about the key. */
function isConclusive({ responseClass }: Call): boolean {
  return responseClass === 'refused' || responseClass === 'rejected' || responseClass === 'absent';
}

function editTrials(id: string, key: TriedKey, edit: (exchange: Exchange) => Exchange): Mutation {
  return (trace) =>
    editedTrace(trace, (exchange) =>
      callsOperation(exchange, id) && isTrial(exchange, key) ? edit(exchange) : exchange,
    );
}

function answerAsForRightKey(id: string, key: TriedKey): Mutation {
  return (trace) => {
    const success = trace.find((exchange) => exchange.probe?.pointer !== KEY && isSuccessOf(exchange, id));
    if (success === undefined) return null;
    return editTrials(id, key, (exchange) => ({ ...exchange, response: success.response, end: success.end }))(
      trace,
    );
  };
}

function toKebabCase(id: string): string {
  return id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
