import { rowOf } from '../rows/rows.ts';
import { callsOperation } from '../vocabulary/changes.ts';
import { withJsonResponse } from '../vocabulary/exchanges.ts';
import { valueAtPath } from '../vocabulary/json.ts';
import { requests, settled, that, where } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type { Call, Exchange, Json, Mutation, RequestEvidence, Violation } from '../vocabulary/types.ts';
import { setInRunEvents } from './mutations.ts';
import { COMPLETED, type RunStream, type RunStreamEvent, runStreamOf, runStreams } from './streams.ts';

const withStepAgain = that<RunStream>('with two events of a step', ({ steps }) =>
  steps.some(({ events }) => objects(events).length > 1),
);

export const runsStreamSameStep = rowOf('runs.stream.same-step', {
  evidence: where(runStreams, withStepAgain),
  check: ({ steps }) => steps.flatMap(({ events }) => changed(objects(events), ['created_at', 'type'])),
  broken_by: {
    'another type': setInRunEvents('thread.run.step.created', '/type', (type) =>
      type === 'tool_calls' ? 'message_creation' : 'tool_calls',
    ),
  },
});

const withMessageAgain = that<RunStream>('with two events of a message', ({ messages }) =>
  messages.some(({ events }) => objects(events).length > 1),
);

export const runsStreamSameMessage = rowOf('runs.stream.same-message', {
  evidence: where(runStreams, withMessageAgain),
  check: ({ messages }) => messages.flatMap(({ events }) => changed(objects(events), ['created_at', 'role'])),
});

function objects(events: readonly RunStreamEvent[]): readonly RunStreamEvent[] {
  return events.filter(({ verb }) => verb !== 'delta');
}

function changed([first, ...others]: readonly RunStreamEvent[], fields: readonly string[]): Violation[] {
  return fields.flatMap((field) => {
    const expected = valueAtPath(first?.data, field);
    return others
      .filter(({ data }) => valueAtPath(data, field) !== expected)
      .map((event) => objection(event, field, expected));
  });
}

function objection({ at, data }: RunStreamEvent, field: string, expected: Json | undefined): Violation {
  return violation(`${at} /${field}`, JSON.stringify(expected) ?? 'none', valueAtPath(data, field));
}

const ON_THREAD = 'createRun';

const ofUnknown = that<RequestEvidence>('of an assistant that does not exist', ({ call }) =>
  namesUnknown(call.exchange),
);

/** A target may reject the run, or let it fail: it has nothing to execute. */
export const runsCreateNeedsAssistant = rowOf('runs.create.needs-assistant', {
  evidence: where(requests(ON_THREAD), ofUnknown, settled),
  check: ({ call }) => (completes(call) ? [violation('stream', `no ${COMPLETED}`, COMPLETED)] : []),
  broken_by: {
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
