import type { Exchange } from '../../exchange/exchange.ts';
import { Call } from '../call.ts';
import type { Catalogue, Section } from '../catalogue.ts';
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
    if (mutant.rule !== id) continue;
    for (const exchanges of [mutant.exchanges, mutant.longer?.() ?? null]) {
      const verdict = exchanges === null ? null : verdictOn(id, section, header, exchanges);
      if (verdict !== null && exchanges !== null)
        return { passing, failing: { broken: mutant.name, verdict, exchanges } };
    }
  }
  return { passing, failing: null };
}

/** What is said of a rule in a broken trace; null where that is nothing. */
function verdictOn(
  id: string,
  section: Section,
  header: Trace['header'],
  exchanges: readonly Exchange[],
): RequirementVerdict | null {
  const alone: Catalogue = {
    sections: [section],
    choices: [],
    exclusions: [],
    infeasible: [],
    benign: [],
    scenarios: [],
  };
  const verdict = judge(alone, header, exchanges).requirements.find((one) => one.id === id);
  return verdict === undefined || verdict.findings.length === 0 ? null : verdict;
}

function firstShown(
  exchanges: readonly Exchange[],
  id: string,
  section: Section,
  header: Trace['header'],
): Exchange | null {
  const watch = new Watch(header, id);
  const examiner = section.open(watch, id);
  let last: Exchange | null = null;
  const operations = section.rules.find((rule) => rule.id === id)?.operations ?? [];
  for (const exchange of exchanges) {
    const call = Call.of(exchange, header.betaHeader);
    if (call === null) examiner.download?.(exchange);
    else {
      if (operations.includes(call.operation.id) && call.outcome === 'accepted') last = exchange;
      examiner.call(call);
    }
    if (watch.observations > 0) return exchange;
  }
  examiner.finish();
  // Evidence that is complete only at the end: the last call of its operations stands for it.
  return watch.observations > 0 ? last : null;
}
