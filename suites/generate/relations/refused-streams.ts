// A request for a stream can be refused before its first event only by the status of the response.

import { callsOperation } from '../../vocabulary/changes.ts';
import { withBody, withHeader, withStatus } from '../../vocabulary/exchanges.ts';
import { valueAtPath } from '../../vocabulary/json.ts';
import { asks, requests, that, where } from '../../vocabulary/selectors.ts';
import { section, violation } from '../../vocabulary/statements.ts';
import type { Exchange, Mutation } from '../../vocabulary/types.ts';

/** The customary error body, which is as good as any other. */
const ERROR = '{"error":{"message":"Not accepted.","type":"invalid_request_error","param":null,"code":null}}';

/** What differs between the families. */
interface RefusedStreams {
  /** Id of the requirement. */
  readonly id: string;
  /** Section of the operations. */
  readonly spec: string;
  /** Operations that stream if `stream` is true. */
  readonly operations: readonly string[];
}

/** The requirement that a refused request for a stream is not answered 2xx with an error in place of the events. */
export function refusedStreamRequirement({ id, spec, operations }: RefusedStreams) {
  const inRefusals = (edit: (exchange: Exchange) => Exchange): Mutation => refusedStreams(operations, edit);
  return section(spec).implied(id, {
    says: 'A request for a stream that is refused is not answered as a success.',
    selector: where(
      requests(operations),
      asks('stream', true),
      that('that was rejected', ({ call }) => call.responseClass === 'rejected'),
    ),
    check: ({ call: { status } }) =>
      status !== null && status < 300
        ? [violation('status', '4xx, as the only event is an error', status)]
        : [],
    mutations: {
      'the error as data': inRefusals((exchange) => streaming(exchange, `data: ${ERROR}\n\n`)),
      'the error as an event': inRefusals((exchange) =>
        streaming(exchange, `event: error\ndata: ${ERROR}\n\n`),
      ),
      'the error, then [DONE]': inRefusals((exchange) =>
        streaming(exchange, `data: ${ERROR}\n\ndata: [DONE]\n\n`),
      ),
    },
  });
}

/** Changes every refusal of a request for a stream; null where there is none. */
function refusedStreams(operations: readonly string[], edit: (exchange: Exchange) => Exchange): Mutation {
  return (trace) => {
    const changed = trace.map((exchange) =>
      operations.some((operation) => callsOperation(exchange, operation)) && isRefusedStream(exchange)
        ? edit(exchange)
        : exchange,
    );
    return changed.some((exchange, i) => exchange !== trace[i]) ? changed : null;
  };
}

/** True for a request for a stream that is refused by its status; unknown ids and missing keys are left alone. */
function isRefusedStream({ request, response }: Exchange): boolean {
  const status = response?.status ?? 0;
  return valueAtPath(request.body.json?.value, 'stream') === true && (status === 400 || status === 422);
}

/** The exchange answered 200 with an event stream. */
function streaming(exchange: Exchange, text: string): Exchange {
  return withStatus(withHeader(withBody(exchange, text), 'content-type', 'text/event-stream'), 200);
}
