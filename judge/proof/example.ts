import type { Exchange } from '../../exchange/exchange.ts';
import { Call } from '../call.ts';
import type { Catalogue } from '../catalogue.ts';
import { judge } from '../court.ts';
import type { RequirementVerdict } from '../verdict.ts';
import { greenTrace, type Trace } from './green.ts';
import { Watch } from './watch.ts';

/** A requirement as it passes and as it fails. */
export interface Example {
  /** The exchange with which the evidence was complete. */
  readonly passing: Exchange;
  /** One way to break it, and what it then says; null where nothing in the trace can be broken so. */
  readonly failing: {
    readonly broken: string;
    readonly verdict: RequirementVerdict;
    readonly exchanges: readonly Exchange[];
  } | null;
}

/** Takes an example out of a trace without findings; null where the trace shows no evidence for the requirement. */
export function exampleOf(catalogue: Catalogue, trace: Trace, id: string): Example | null {
  const { header } = trace;
  const green = greenTrace(trace, new Set([id]));
  const section = catalogue.sections.find(({ rules }) => rules.some((rule) => rule.id === id));
  if (section === undefined) return null;
  const passing = firstShown(green.exchanges, id, section, header);
  if (passing === null) return null;
  for (const mutant of section.mutants(green)) {
    if (mutant.rule !== id || mutant.exchanges === null) continue;
    const verdict = judge(catalogue, header, mutant.exchanges).requirements.find((one) => one.id === id);
    if (verdict !== undefined && verdict.findings.length > 0)
      return { passing, failing: { broken: mutant.name, verdict, exchanges: mutant.exchanges } };
  }
  return { passing, failing: null };
}

function firstShown(
  exchanges: readonly Exchange[],
  id: string,
  section: Catalogue['sections'][number],
  header: Trace['header'],
): Exchange | null {
  const watch = new Watch(header, id);
  const examiner = section.open(watch, id);
  let last: Exchange | null = null;
  const operations = section.rules.find((rule) => rule.id === id)?.operations ?? [];
  for (const exchange of exchanges) {
    const call = Call.of(exchange, header.betaHeader);
    if (call === null) continue;
    if (operations.includes(call.operation.id) && call.outcome === 'accepted') last = exchange;
    examiner.call(call);
    if (watch.observations > 0) return exchange;
  }
  examiner.finish();
  // Evidence that is complete only at the end: the last call of its operations stands for it.
  return watch.observations > 0 ? last : null;
}
