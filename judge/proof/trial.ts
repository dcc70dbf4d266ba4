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
  const { trace, shown, understood } = ground;
  const after = judge(touchedBy(items, ground), trace.header, items, understood).requirements;
  return after.flatMap(({ id, verdict, findings }) => {
    const [finding] = findings;
    const accuses = verdict === 'fail' || verdict === 'warn' || verdict === 'error';
    if (!accuses && (!shown.has(id) || verdict === 'pass' || change.blinds === true)) return [];
    const why =
      finding === undefined ? `${verdict} instead of pass` : `at ${finding.at} expected ${finding.expected}`;
    return [{ change: change.name, requirement: id, why: `${why} (${finding?.exchange ?? 'no exchange'})` }];
  });
}

/** The rules that may say something else of the changed trace: those whose evidence is all the same say the same. */
function touchedBy(items: readonly TraceItem[], { catalogue, trace }: Ground): Catalogue {
  const touched = new Set<string>();
  const touch = (item: TraceItem | undefined): void => {
    const call = item === undefined || isNote(item) ? null : Call.of(item, trace.header.betaHeader);
    if (call !== null) touched.add(call.operation.id);
  };
  for (let i = 0; i < Math.max(items.length, trace.items.length); i += 1) {
    if (items[i] === trace.items[i]) continue;
    touch(trace.items[i]);
    touch(items[i]);
  }
  const sections = catalogue.sections.map((section) => section.touching?.(touched) ?? section);
  return { ...catalogue, sections, choices: [], lives: [] };
}
