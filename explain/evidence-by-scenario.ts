// Attributes evidence to scenarios by judging the exchanges of each scenario separately.
import type { Exchange } from '../exchange/exchange.ts';
import { isNote, type TraceHeader, type TraceItem } from '../exchange/trace.ts';
import type { Catalogue } from '../judge/requirements/catalogue.ts';
import type { ResultSink } from '../judge/requirements/evaluator.ts';
import { Call } from '../judge/trace/call.ts';
import { explainRefusals } from './diagnosis.ts';
import { judgeTrace } from './judge.ts';

export type IdsByScenario = ReadonlyMap<string, ReadonlySet<string>>;

/** `sought`: the ids of interest by scenario, default all; others of their requirement sets may be found as well. */
export function attributeEvidence(
  catalogue: Catalogue,
  { header, items }: { readonly header: TraceHeader; readonly items: readonly TraceItem[] },
  sought?: IdsByScenario,
): IdsByScenario {
  const exchanges = items.flatMap((item) => (isNote(item) ? [] : [item]));
  return new Map(
    catalogue.scenarios.map(({ name }) => {
      const searched =
        sought === undefined ? catalogue : narrowCatalogue(catalogue, sought.get(name) ?? new Set());
      const sent = exchanges.filter(({ scenario }) => scenario === name);
      return [name, findObserved(searched, header, sent)];
    }),
  );
}

function narrowCatalogue(catalogue: Catalogue, ids: ReadonlySet<string>): Catalogue {
  const isSought = ({ id }: { readonly id: string }): boolean => ids.has(id);
  const requirementSets = catalogue.requirementSets.filter(({ requirements }) => requirements.some(isSought));
  return { ...catalogue, requirementSets, choices: catalogue.choices.filter(isSought) };
}

function findObserved(
  catalogue: Catalogue,
  header: TraceHeader,
  exchanges: readonly Exchange[],
): ReadonlySet<string> {
  const observed = new Set<string>();
  if (exchanges.length === 0) return observed;
  const sink: ResultSink = {
    header,
    observe: (id, times) => {
      if (times > 0) observed.add(id);
    },
    report: () => {},
    explainRefusals,
    excuse: () => {},
    block: () => {},
    fail: () => {},
  };
  const evaluators = catalogue.requirementSets.map((set) => set.open(sink));
  for (const exchange of exchanges) {
    const call = Call.from(exchange, header.betaHeader);
    for (const evaluator of evaluators) {
      if (call === null) evaluator.download?.(exchange);
      else evaluator.call(call);
    }
  }
  for (const evaluator of evaluators) {
    evaluator.finish();
    evaluator.conclude?.();
  }
  if (catalogue.choices.length === 0) return observed;
  const { choices } = judgeTrace({ ...catalogue, requirementSets: [] }, header, exchanges);
  for (const { id, taken } of choices) if (taken.length > 0) observed.add(id);
  return observed;
}
