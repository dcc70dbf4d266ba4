import { callsOperation } from '../vocabulary/changes.ts';
import { withJsonResponse } from '../vocabulary/exchanges.ts';
import { valueAtPath } from '../vocabulary/json.ts';
import { requests, settled, that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Call, Exchange, Mutation, RequestEvidence } from '../vocabulary/types.ts';
import { COMPLETED, runStreamOf } from './streams/run-stream.ts';

const { implied } = section('1 Runs');
const ON_THREAD = 'createRun';

const ofUnknown = that<RequestEvidence>('of an assistant that does not exist', ({ call }) =>
  namesUnknown(call.exchange),
);

/** Rejected, or a run that does not complete: there is nothing that it could execute. */
export const runsCreateNeedsAssistant = implied('runs.create.needs-assistant', {
  says: 'A run of an assistant that does not exist is rejected, or does not complete.',
  selector: where(requests(ON_THREAD), ofUnknown, settled),
  check: ({ call }) => (completes(call) ? [violation('stream', `no ${COMPLETED}`, COMPLETED)] : []),
  mutations: {
    'answered as valid': inUnknown((exchange, { response, end }) => ({ ...exchange, response, end })),
    'completed at once': inUnknown((exchange) =>
      withJsonResponse(exchange, 200, { object: 'thread.run', status: 'completed' }),
    ),
  },
});

function completes(call: Call): boolean {
  const stream = runStreamOf(call);
  if (stream !== null) return stream.runs.some(({ name }) => name === COMPLETED);
  return valueAtPath(call.responseJson, 'status') === 'completed';
}

function namesUnknown({ probe }: Exchange): boolean {
  return probe?.side === 'violation' && probe.pointer === 'body.assistant_id' && probe.keyword === 'unknown';
}

/** Edits the requests for a run of an unknown assistant, given one that completed. */
function inUnknown(edit: (exchange: Exchange, valid: Exchange) => Exchange): Mutation {
  return (trace) => {
    const valid = trace.find(
      (exchange) =>
        callsOperation(exchange, ON_THREAD) && exchange.response?.body.text?.includes(COMPLETED) === true,
    );
    if (valid === undefined || !trace.some(namesUnknown)) return null;
    return trace.map((exchange) => (namesUnknown(exchange) ? edit(exchange, valid) : exchange));
  };
}
