import { Acceptance } from '../acceptance/acceptance.ts';
import type { AcceptanceVerdict } from '../acceptance/acceptance-tally.ts';
import { Call } from '../trace/call.ts';
import { type RequestSketch, type ResponseSketch, TraceBuilder, testTraceHeader } from './trace-builder.ts';

/** A request and its response. */
export type Sent = readonly [operation: string, asked: RequestSketch, answered: ResponseSketch];

/**
 * What is made of a trace of these calls, one after the other unless `after` says otherwise. `models`: those of the run by
 * role; one model, `m`, for chat unless given. `scenario` sent them; traffic of others unless given.
 */
export function acceptanceOf(
  sent: readonly Sent[],
  models: Readonly<Record<string, string>> = { chat: 'm' },
  scenario: string | null = null,
): AcceptanceVerdict {
  const trace = new TraceBuilder();
  for (const [operation, asked, answered] of sent) trace.add(operation, asked, answered);
  const header = testTraceHeader({ models });
  const acceptance = new Acceptance(header);
  for (const exchange of trace.exchanges) {
    const call = Call.of({ ...exchange, scenario }, header.betaHeader);
    if (call !== null) acceptance.call(call);
  }
  return acceptance.finish();
}
