import type { Exchange } from '../exchange/exchange.ts';
import { isNote, type TraceItem } from '../exchange/trace.ts';
import { judgeTrace } from '../explain/judge.ts';
import type { Catalogue, EquivalentMutant } from '../judge/requirements/catalogue.ts';
import { Call } from '../judge/trace/call.ts';
import type { RecordedTrace } from './mutants/mutant.ts';

/** A trace to change, and the judgement of the original for comparison. */
export interface EquivalenceTest {
  readonly catalogue: Catalogue;
  readonly trace: RecordedTrace;
  readonly proved: ReadonlySet<string>;
  readonly understood: ReadonlyMap<Exchange, Call>;
}

export function runEquivalentMutants(test: EquivalenceTest, changes: readonly EquivalentMutant[]) {
  const { items } = test.trace;
  const idle: string[] = [];
  const accused: { change: string; requirement: string; why: string }[] = [];
  let benign = 0;
  for (const change of changes) {
    const changed = change.apply(items);
    if (changed.every((item, i) => item === items[i])) idle.push(change.name);
    else {
      benign += 1;
      accused.push(...failuresOf(test, changed, change));
    }
  }
  return { benign, accused, idle };
}

function failuresOf(test: EquivalenceTest, items: readonly TraceItem[], change: EquivalentMutant) {
  const touched = touchedIn(items, test);
  const requirementSets = test.catalogue.requirementSets.map((set) => set.touching?.(touched) ?? set);
  const catalogue = { ...test.catalogue, requirementSets, choices: [], stateMachines: [] };
  // Part of the trace is usually enough; the whole is judged only if the part shows a failure.
  const part = partAbout(touched, catalogue, items, test);
  const concerned = new Set(
    catalogue.requirementSets.flatMap(({ requirements: rules }) =>
      rules.filter(({ operations }) => operations.some((id) => touched.has(id))).map(({ id }) => id),
    ),
  );
  if (part.length < items.length) {
    const found = newFailures(test, catalogue, part, change);
    if (!found.some(({ requirement }) => concerned.has(requirement))) return [];
  }
  return newFailures(test, catalogue, items, change);
}

/** Requirements that fail on the changed trace, or lose their evidence although the mutant does not blind them. */
function newFailures(
  { trace, proved, understood }: EquivalenceTest,
  catalogue: Catalogue,
  items: readonly TraceItem[],
  change: EquivalentMutant,
) {
  const after = judgeTrace(catalogue, trace.header, items, understood).requirements;
  return after.flatMap(({ id, verdict, findings }) => {
    const [finding] = findings;
    const isNewFailure = verdict === 'fail' || verdict === 'warn' || verdict === 'error';
    if (!isNewFailure && (!proved.has(id) || verdict === 'pass' || change.blinds === true)) return [];
    const why =
      finding === undefined ? `${verdict} instead of pass` : `at ${finding.at} expected ${finding.expected}`;
    return [{ change: change.name, requirement: id, why: `${why} (${finding?.exchange ?? 'no exchange'})` }];
  });
}

function touchedIn(items: readonly TraceItem[], test: EquivalenceTest): ReadonlySet<string> {
  const touched = new Set<string>();
  const before = test.trace.items;
  for (let i = 0; i < Math.max(items.length, before.length); i += 1) {
    if (items[i] === before[i]) continue;
    for (const item of [items[i], before[i]]) {
      const operation = item === undefined ? null : operationOf(item, test);
      if (operation !== null) touched.add(operation);
    }
  }
  return touched;
}

function partAbout(
  touched: ReadonlySet<string>,
  { requirementSets: sections }: Catalogue,
  items: readonly TraceItem[],
  test: EquivalenceTest,
): readonly TraceItem[] {
  const related = sections.flatMap((set) => (set.touching === undefined ? [] : set.requirements));
  const reached = new Set([...touched, ...related.flatMap(({ operations }) => operations)]);
  return items.filter((item) => {
    const operation = operationOf(item, test);
    return operation === null || reached.has(operation);
  });
}

function operationOf(item: TraceItem, { trace, understood }: EquivalenceTest): string | null {
  if (isNote(item)) return null;
  return (understood.get(item) ?? Call.from(item, trace.header.betaHeader))?.operation.id ?? null;
}
