// Attributes evidence to scenarios: each is judged by its own exchanges alone, as if it were the only one of its run.

import { matchesAnyGlob } from '../../exchange/glob.ts';
import { isNote, type TraceHeader, type TraceItem } from '../../exchange/trace.ts';
import type { Catalogue, ResultSink } from '../requirements/catalogue.ts';
import { Call } from '../trace/call.ts';

/** Ids of the requirements that each scenario of a trace declares and shows, by the name of the scenario. */
export function shownByScenario(
  catalogue: Catalogue,
  header: TraceHeader,
  items: readonly TraceItem[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const shown = new Map<string, ReadonlySet<string>>();
  for (const { name, shows } of catalogue.scenarios) {
    const own = items.filter((item) => !isNote(item) && item.scenario === name);
    const isDeclared = ({ id }: { readonly id: string }) => matchesAnyGlob(shows, id);
    // Sets without a declared requirement would take most of the time.
    const sets = catalogue.requirementSets.filter(({ requirements }) => requirements.some(isDeclared));
    const ids = own.length === 0 ? [] : observedIn(sets, header, own);
    shown.set(name, new Set([...ids].filter((id) => isDeclared({ id }))));
  }
  return shown;
}

/** Ids of all requirements of some sets that a trace has evidence for. */
function observedIn(
  sets: Catalogue['requirementSets'],
  header: TraceHeader,
  items: readonly TraceItem[],
): ReadonlySet<string> {
  const observed = new Set<string>();
  const sink: ResultSink = {
    header,
    observe: (id, times) => {
      if (times > 0) observed.add(id);
    },
    // Findings, obstacles and defects are a matter of the judge.
    report: () => {},
    diagnose: () => {},
    excuse: () => {},
    block: () => {},
    fail: () => {},
  };
  const evaluators = sets.map((set) => set.open(sink));
  for (const item of items) {
    if (isNote(item)) continue;
    const call = Call.of(item, header.betaHeader);
    for (const evaluator of evaluators) {
      if (call === null) evaluator.download?.(item);
      else evaluator.call(call);
    }
  }
  for (const evaluator of evaluators) evaluator.finish();
  return observed;
}
