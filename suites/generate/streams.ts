import { isRejection } from '../../judge/probe/controls.ts';
import { callsOperation, inEvents } from '../vocabulary/changes.ts';
import { frameWithData, withBody, withHeader, withStatus } from '../vocabulary/exchanges.ts';
import { valueAtPath } from '../vocabulary/json.ts';
import { asks, requests, that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Exchange, Mutation, StreamEvent, Violation } from '../vocabulary/types.ts';

// Server-sent events may spread data over several `data:` lines; the specification requires one line per event.

export function severalLines(events: readonly StreamEvent[]): Violation[] {
  return events
    .filter(({ text }) => text.includes('\n'))
    .map(({ at, text }) => violation(at, 'one line of data', `${text.split('\n').length} lines`));
}

export function overSeveralLines(operation: string, which: 'all' | 'first' = 'all'): Mutation {
  return inEvents(operation, (frames) =>
    frames.map((frame, i) => {
      if (!frame.data.startsWith('{') || (which === 'first' && i > 0)) return frame;
      return frameWithData(frame.event, JSON.stringify(JSON.parse(frame.data), null, 1));
    }),
  );
}

// Only the status can refuse a request for a stream before its first event.

const ERROR = '{"error":{"message":"Not accepted.","type":"invalid_request_error","param":null,"code":null}}';

interface RefusedStreams {
  readonly id: string;
  readonly spec: string;
  readonly operations: readonly string[];
}

export function refusedStreamRequirement({ id, spec, operations }: RefusedStreams) {
  const inRefusals = (edit: (exchange: Exchange) => Exchange): Mutation => refusedStreams(operations, edit);
  return section(spec).implied(id, {
    says: 'A request for a stream that is refused is not answered as a success.',
    selector: where(
      requests(operations),
      asks('stream', true),
      that('that was rejected', ({ call }) => isRejection(call)),
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

function isRefusedStream({ request, response }: Exchange): boolean {
  const status = response?.status ?? 0;
  return valueAtPath(request.body.json?.value, 'stream') === true && (status === 400 || status === 422);
}

function streaming(exchange: Exchange, text: string): Exchange {
  return withStatus(withHeader(withBody(exchange, text), 'content-type', 'text/event-stream'), 200);
}
