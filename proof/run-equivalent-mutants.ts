import type { Exchange } from '../exchange/exchange.ts';
import { isNote, type TraceItem } from '../exchange/trace.ts';
import { judgeTrace } from '../explain/judge.ts';
import type { Catalogue, EquivalentMutant } from '../judge/requirements/catalogue.ts';
import { Call } from '../judge/trace/call.ts';
import type { RecordedTrace } from './mutants/mutant.ts';
import type { MutationReport } from './mutation-report.ts';

interface EquivalenceTest {
  readonly catalogue: Catalogue;
  readonly trace: RecordedTrace;
  readonly proved: ReadonlySet<string>;
  readonly calls: ReadonlyMap<Exchange, Call>;
}

type NewFailure = MutationReport['accused'][number];

export function runEquivalentMutants(test: EquivalenceTest, changes: readonly EquivalentMutant[]) {
  const { items } = test.trace;
  const idle: string[] = [];
  const accused: NewFailure[] = [];
  let benign = 0;
  for (const change of changes) {
    const changed = change.apply(items);
    const isUnchanged = changed.length === items.length && changed.every((item, i) => item === items[i]);
    if (isUnchanged) idle.push(change.name);
    else {
      benign += 1;
      accused.push(...findNewFailures(test, changed, change));
    }
  }
  return { benign, accused, idle };
}

/** Judges the part that the change concerns, then the whole trace if it is larger and the part shows a failure. */
function findNewFailures(
  test: EquivalenceTest,
  changed: readonly TraceItem[],
  change: EquivalentMutant,
): readonly NewFailure[] {
  const touched = touchedOperations(test, changed);
  const requirementSets = test.catalogue.requirementSets.map((set) => set.touching?.(touched) ?? set);
  const catalogue = { ...test.catalogue, requirementSets, choices: [], stateMachines: [] };
  const related = requirementSets.flatMap((set) => (set.touching === undefined ? [] : set.requirements));
  const reached = new Set([...touched, ...related.flatMap(({ operations: ids }) => ids)]);
  const part = changed.filter((item) => operationsOf(test, item).every((id) => reached.has(id)));
  if (part.length < changed.length) {
    const requirements = requirementSets.flatMap((set) => set.requirements);
    const concerned = requirements.filter(({ operations: ids }) => ids.some((id) => touched.has(id)));
    const ids = new Set(concerned.map(({ id }) => id));
    const failures = judgeChangedTrace(test, catalogue, part, change);
    if (!failures.some(({ requirement }) => ids.has(requirement))) return [];
  }
  return judgeChangedTrace(test, catalogue, changed, change);
}

function touchedOperations(test: EquivalenceTest, changed: readonly TraceItem[]): ReadonlySet<string> {
  const { items } = test.trace;
  const touched = new Set<string>();
  for (let i = 0; i < Math.max(changed.length, items.length); i += 1)
    if (changed[i] !== items[i])
      for (const id of [...operationsOf(test, changed[i]), ...operationsOf(test, items[i])]) touched.add(id);
  return touched;
}

function operationsOf({ trace, calls }: EquivalenceTest, item: TraceItem | undefined): readonly string[] {
  if (item === undefined || isNote(item)) return [];
  const call = calls.get(item) ?? Call.from(item, trace.header.betaHeader);
  return call === null ? [] : [call.operation.id];
}

/** Requirements that fail or cannot be checked on the changed trace, or lose evidence that the mutant may not hide. */
function judgeChangedTrace(
  { trace, calls, proved }: EquivalenceTest,
  catalogue: Catalogue,
  changed: readonly TraceItem[],
  change: EquivalentMutant,
): readonly NewFailure[] {
  const { requirements } = judgeTrace(catalogue, trace.header, changed, calls);
  return requirements.flatMap(({ id, verdict, findings }) => {
    const [finding] = findings;
    const isNewFailure = verdict === 'fail' || verdict === 'warn' || verdict === 'error';
    if (!isNewFailure && (!proved.has(id) || verdict === 'pass' || change.blinds === true)) return [];
    const why =
      finding === undefined ? `${verdict} instead of pass` : `at ${finding.at} expected ${finding.expected}`;
    return [{ change: change.name, requirement: id, why: `${why} (${finding?.exchange ?? 'no exchange'})` }];
  });
}
