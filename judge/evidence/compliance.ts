import type { Collector, Evidence, Selector } from '../requirements/requirement.ts';
import { numberOf } from '../trace/timed.ts';

export type WithCompliance<E extends Evidence> = E & {
  /** Whether any evidence in the trace shows that the target complies. */
  readonly isCompliedElsewhere: boolean;
};

const MAX_HELD = 50;

/**
 * Adds to evidence whether the target complies anywhere. Evidence of `alsoShownBy`, which must select the same
 * operations, may show it, but is not judged.
 */
export function withCompliance<E extends Evidence>(
  selector: Selector<E>,
  complies: (evidence: E) => boolean,
  alsoShownBy?: Selector<E>,
): Selector<WithCompliance<E>> {
  const { operations, variant } = selector;
  return {
    operations,
    variant,
    around: selector,
    collect: () => createComplianceCollector(selector.collect(), complies, alsoShownBy?.collect()),
  };
}

function createComplianceCollector<E extends Evidence>(
  inner: Collector<E>,
  complies: (evidence: E) => boolean,
  others: Collector<E> | undefined,
): Collector<WithCompliance<E>> {
  const held: E[] = [];
  let hasComplied = false;
  const hold = (evidence: E) => {
    held.push(evidence);
    held.sort((a, b) => numberOfLast(a) - numberOfLast(b));
    if (held.length > MAX_HELD) held.pop();
  };
  const pick = (collected: Iterable<E>, showsCompliance: true | 'only'): WithCompliance<E>[] => {
    const shown: WithCompliance<E>[] = [];
    for (const one of collected)
      if (complies(one)) shown.push(withMembers(one, { isCompliedElsewhere: true, showsCompliance }));
      else if (showsCompliance === true) hold(one);
    hasComplied ||= shown.length > 0;
    return shown;
  };
  return {
    call: (call) => [...pick(inner.call(call), true), ...pick(others?.call(call) ?? [], 'only')],
    // Returns each held piece twice: once for a target that complies elsewhere, and once for one that does not.
    finish: () => {
      const completed = [...pick(inner.finish?.() ?? [], true), ...pick(others?.finish?.() ?? [], 'only')];
      const supposed = [true, false].flatMap((holds) => {
        const supposing = { holds, holdsHere: holds === hasComplied };
        return held.map((one) => withMembers(one, { isCompliedElsewhere: holds, supposing }));
      });
      return [...completed, ...supposed];
    },
  };
}

/** The copy has the same prototype, because some evidence has a getter. */
function withMembers<E extends Evidence, M extends object>(evidence: E, members: M): E & M {
  return Object.assign(Object.create(Object.getPrototypeOf(evidence)), evidence, members);
}

function numberOfLast({ exchanges }: Evidence): number {
  return numberOf(exchanges.at(-1)?.id ?? '');
}
