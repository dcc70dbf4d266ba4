import { explainRefusals } from '../../explain/diagnosis.ts';
import { AcceptanceEvaluator } from '../acceptance/acceptance.ts';
import { type AcceptanceFacts, shareOf } from '../requirements/acceptance-facts.ts';
import type { ResultSink } from '../requirements/evaluator.ts';
import type { RefusalCauses } from '../requirements/refusal-causes.ts';
import { Call } from '../trace/call.ts';
import { type RequestSketch, type ResponseSketch, TraceBuilder, testTraceHeader } from './trace-builder.ts';

export type CallSketch = readonly [operation: string, request: RequestSketch, response: ResponseSketch];

/**
 * Calls are sequential unless `after` says otherwise. `models`: the models of the run by role; by default one
 * model, `m`, for chat. `scenario`: the scenario that sends the requests; by default, a client outside the
 * suite.
 */
export function evaluateAcceptance(
  calls: readonly CallSketch[],
  models: Readonly<Record<string, string>> = { chat: 'm' },
  scenario: string | null = null,
): AcceptanceFacts & RefusalCauses & { readonly refused: ReadonlyMap<string, number> } {
  const trace = new TraceBuilder();
  for (const [operation, request, response] of calls) trace.add(operation, request, response);
  const header = testTraceHeader({ models });
  const explained: (AcceptanceFacts & RefusalCauses)[] = [];
  const ignore = () => {};
  const sink: ResultSink = {
    header,
    observe: ignore,
    report: ignore,
    block: ignore,
    excuse: ignore,
    fail: ignore,
    explainRefusals: (facts) => {
      const causes = explainRefusals(facts);
      explained.push({ ...facts, ...causes });
      return causes;
    },
  };
  const evaluator = new AcceptanceEvaluator(sink);
  for (const exchange of trace.exchanges) {
    const call = Call.from({ ...exchange, scenario }, header.betaHeader);
    if (call !== null) evaluator.call(call);
  }
  evaluator.conclude();
  const [outcome] = explained;
  if (outcome === undefined) throw new Error('the evaluator did not call explainRefusals');
  const refused = new Map(
    [...outcome.refusedRows].map(([subject, rows]) => [subject, shareOf(rows).refused]),
  );
  return { ...outcome, refused };
}
