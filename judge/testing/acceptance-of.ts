import { Acceptance } from '../acceptance/acceptance.ts';
import type { AcceptanceVerdict } from '../acceptance/acceptance-tally.ts';
import { Call } from '../trace/call.ts';
import { type RequestSketch, type ResponseSketch, TraceBuilder, testTraceHeader } from './trace-builder.ts';

/** A request and its response. */
export type Sent = readonly [operation: string, asked: RequestSketch, answered: ResponseSketch];

/** A run with one model, `m`, for chat. */
const HEADER = testTraceHeader({ models: { chat: 'm' } });

/** What is made of a trace of these calls, one after the other unless `after` says otherwise. */
export function acceptanceOf(sent: readonly Sent[]): AcceptanceVerdict {
  const trace = new TraceBuilder();
  for (const [operation, asked, answered] of sent) trace.add(operation, asked, answered);
  const acceptance = new Acceptance(HEADER);
  for (const exchange of trace.exchanges) {
    const call = Call.of(exchange, HEADER.betaHeader);
    if (call !== null) acceptance.call(call);
  }
  return acceptance.finish();
}
