import type { Exchange } from '../../exchange/exchange.ts';
import { isNote, type TraceItem } from '../../exchange/trace.ts';
import { Call } from '../call.ts';
import type { Catalogue } from '../catalogue.ts';
import { judge } from '../court.ts';
import type { Benign } from './benign/benign.ts';
import type { Trace } from './green.ts';

/** What changes are tried on. */
export interface Ground {
  readonly catalogue: Catalogue;
  readonly trace: Trace;
  readonly shown: ReadonlySet<string>;
  readonly understood: ReadonlyMap<Exchange, Call>;
}

/** Makes benign changes, one at a time, and judges what comes out. */
export function tryChanges(ground: Ground, changes: readonly Benign[]) {
  const { items } = ground.trace;
  const idle: string[] = [];
  const accused: { change: string; requirement: string; why: string }[] = [];
  let benign = 0;
  for (const change of changes) {
    const changed = change.apply(items);
    if (changed.every((item, i) => item === items[i])) idle.push(change.name);
    else {
      benign += 1;
      accused.push(...accusations(ground, changed, change));
    }
  }
  return { benign, accused, idle };
}

function accusations(ground: Ground, items: readonly TraceItem[], change: Benign) {
  const touched = touchedIn(items, ground);
  const catalogue = touchedBy(touched, ground.catalogue);
  // Mostly a part of the trace tells enough; only where it does not the whole of it is judged.
  const part = partAbout(touched, catalogue, items, ground);
  const concerned = new Set(
    catalogue.sections.flatMap(({ rules }) =>
      rules.filter(({ operations }) => operations.some((id) => touched.has(id))).map(({ id }) => id),
    ),
  );
  if (part.length < items.length) {
    const found = complaints(ground, catalogue, part, change);
    if (!found.some(({ requirement }) => concerned.has(requirement))) return [];
  }
  return complaints(ground, catalogue, items, change);
}

function complaints(
  { trace, shown, understood }: Ground,
  catalogue: Catalogue,
  items: readonly TraceItem[],
  change: Benign,
) {
  const after = judge(catalogue, trace.header, items, understood).requirements;
  return after.flatMap(({ id, verdict, findings }) => {
    const [finding] = findings;
    const accuses = verdict === 'fail' || verdict === 'warn' || verdict === 'error';
    if (!accuses && (!shown.has(id) || verdict === 'pass' || change.blinds === true)) return [];
    const why =
      finding === undefined ? `${verdict} instead of pass` : `at ${finding.at} expected ${finding.expected}`;
    return [{ change: change.name, requirement: id, why: `${why} (${finding?.exchange ?? 'no exchange'})` }];
  });
}

/** The operations of which a call is not as it was. */
function touchedIn(items: readonly TraceItem[], ground: Ground): ReadonlySet<string> {
  const touched = new Set<string>();
  const before = ground.trace.items;
  for (let i = 0; i < Math.max(items.length, before.length); i += 1) {
    if (items[i] === before[i]) continue;
    for (const item of [items[i], before[i]]) {
      const operation = item === undefined ? null : operationOf(item, ground);
      if (operation !== null) touched.add(operation);
    }
  }
  return touched;
}

/** The rules that may say something else of the changed trace: those whose evidence is all the same say the same. */
function touchedBy(touched: ReadonlySet<string>, catalogue: Catalogue): Catalogue {
  const sections = catalogue.sections.map((section) => section.touching?.(touched) ?? section);
  return { ...catalogue, sections, choices: [], lives: [] };
}

/** The calls that are evidence for one of those rules, and all that is no call. */
function partAbout(
  touched: ReadonlySet<string>,
  { sections }: Catalogue,
  items: readonly TraceItem[],
  ground: Ground,
): readonly TraceItem[] {
  const related = sections.flatMap((section) => (section.touching === undefined ? [] : section.rules));
  const reached = new Set([...touched, ...related.flatMap(({ operations }) => operations)]);
  return items.filter((item) => {
    const operation = operationOf(item, ground);
    return operation === null || reached.has(operation);
  });
}

function operationOf(item: TraceItem, { trace, understood }: Ground): string | null {
  if (isNote(item)) return null;
  return (understood.get(item) ?? Call.of(item, trace.header.betaHeader))?.operation.id ?? null;
}
