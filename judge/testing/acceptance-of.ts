import { explainRefusals } from '../../explain/diagnosis.ts';
import { AcceptanceEvaluator } from '../acceptance/acceptance.ts';
import type { ResultSink } from '../requirements/catalogue.ts';
import { type AcceptanceFacts, type RefusalCauses, shareOf } from '../requirements/refusals.ts';
import { Call } from '../trace/call.ts';
import { type RequestSketch, type ResponseSketch, TraceBuilder, testTraceHeader } from './trace-builder.ts';

/** A request and its response. */
export type Sent = readonly [operation: string, asked: RequestSketch, answered: ResponseSketch];

/**
 * The outcomes of these requests with their causes. They are sequential unless `after` says otherwise. `models`: the
 * models of the run by role; by default one model, `m`, for chat. `scenario`: the scenario that sends them; by
 * default, a client outside the suite.
 */
export function acceptanceOf(
  sent: readonly Sent[],
  models: Readonly<Record<string, string>> = { chat: 'm' },
  scenario: string | null = null,
): AcceptanceFacts & RefusalCauses & { readonly refused: ReadonlyMap<string, number> } {
  const trace = new TraceBuilder();
  for (const [operation, asked, answered] of sent) trace.add(operation, asked, answered);
  const header = testTraceHeader({ models });
  const found: (AcceptanceFacts & RefusalCauses)[] = [];
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
      found.push({ ...facts, ...causes });
      return causes;
    },
  };
  const evaluator = new AcceptanceEvaluator(sink);
  for (const exchange of trace.exchanges) {
    const call = Call.from({ ...exchange, scenario }, header.betaHeader);
    if (call !== null) evaluator.call(call);
  }
  evaluator.conclude();
  const [only] = found;
  if (only === undefined) throw new Error('the evaluator explained nothing');
  const refused = new Map([...only.refusedRows].map(([subject, rows]) => [subject, shareOf(rows).refused]));
  return { ...only, refused };
}
