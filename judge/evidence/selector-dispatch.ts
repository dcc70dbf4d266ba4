import type { Exchange } from '../../exchange/exchange.ts';
import { getOrMake } from '../../schemas/grouping.ts';
import type { EvidenceListener } from '../requirements/catalogue.ts';
import type { Collector, Evidence, Selector } from '../requirements/requirement.ts';
import { type Call, Callers, UnknownRequestError } from '../trace/call.ts';
import { type OutsideCall, OutsideTouches } from '../trace/outside-call.ts';

interface Group {
  readonly selector: Selector<Evidence>;
  collector: Collector<Evidence> | null;
  readonly listeners: { readonly listener: EvidenceListener; readonly conditions: Unfolded['conditions'] }[];
  isBroken: boolean;
}

const NO_GROUPS: readonly Group[] = [];

/**
 * Feeds every call to the selectors that want its operation, in one pass, and their evidence to requirements and
 * choices. Parts of the same selector share its evidence.
 */
export class SelectorDispatch {
  readonly #groups = new Map<Selector<Evidence>, Group>();
  readonly #byOperation = new Map<string, Group[]>();
  readonly #touches = new OutsideTouches();
  readonly #callers = new Callers();
  readonly #owns: (exchanges: readonly Exchange[]) => boolean;
  readonly #byVariant = new Map<string, Map<string, readonly Group[]>>();

  constructor(
    listeners: readonly EvidenceListener[],
    owns: (exchanges: readonly Exchange[]) => boolean = () => true,
  ) {
    this.#owns = owns;
    for (const listener of listeners) {
      for (const { whole, conditions } of unfolded(listener.selector))
        this.#group(whole).listeners.push({ listener, conditions });
    }
  }

  /** A response in an unknown mode cannot be judged. */
  call(call: Call): void {
    if (call.mode?.unknown !== 'answer') this.#feed(call, this.#wanting(call));
  }

  /** Feeds a call that is judged elsewhere to the selectors that remember calls. */
  context(call: Call): void {
    if (call.mode?.unknown === 'answer') return;
    this.#feed(
      call,
      this.#wanting(call).filter(({ selector }) => selector.isStateless !== true),
    );
  }

  #feed(call: Call, groups: readonly Group[]): void {
    this.#callers.note(call);
    for (const group of groups) {
      if (group.isBroken) continue;
      try {
        const found = collectorOf(group).call(call);
        // Most collectors find nothing in most calls.
        if (Array.isArray(found) && found.length === 0) continue;
        for (const evidence of found) this.#deliver(group, evidence);
      } catch (error) {
        breakDown(group, error);
      }
    }
  }

  elsewhere(call: Call): void {
    this.call(call);
  }

  /** Feeds an exchange that calls no operation to the selectors with `downloads`. */
  download(exchange: Exchange): void {
    for (const group of this.#groups.values()) {
      if (group.selector.downloads) this.#take(group, () => collectorOf(group).download?.(exchange) ?? []);
    }
  }

  /**
   * Feeds a call outside the specification. No evidence relates objects that it may have changed to earlier
   * exchanges.
   */
  outside(call: OutsideCall): void {
    this.#touches.note(call);
    for (const group of this.#groups.values()) {
      this.#take(group, () => {
        collectorOf(group).outside?.(call);
        return [];
      });
    }
  }

  /** Collects evidence that is complete only at the end of the trace. */
  finish(): void {
    for (const group of this.#groups.values()) this.#take(group, () => group.collector?.finish?.() ?? []);
  }

  #take(group: Group, collect: () => Iterable<Evidence>): void {
    if (group.isBroken) return;
    try {
      for (const evidence of collect()) this.#deliver(group, evidence);
    } catch (error) {
      breakDown(group, error);
    }
  }

  #deliver(group: Group, evidence: Evidence): void {
    if (this.#callers.differIn(evidence.exchanges)) return;
    if (group.collector?.outside === undefined && this.#touches.separates(evidence.exchanges)) return;
    deliver(group, evidence, this.#owns(evidence.exchanges) ? 'own' : 'foreign');
  }

  #wanting(call: Call): readonly Group[] {
    const { operation, variant, hasOtherPath } = call;
    const all = this.#byOperation.get(operation.id) ?? NO_GROUPS;
    if (hasOtherPath || all.length === 0) return all.filter(({ selector }) => isWanted(selector, call));
    const byVariant = getOrMake(this.#byVariant, operation.id, () => new Map());
    return getOrMake(byVariant, variant?.name ?? '', () =>
      all.filter(({ selector }) => isWanted(selector, call)),
    );
  }

  #group(selector: Selector<Evidence>): Group {
    return getOrMake(this.#groups, selector, () => {
      const group = { selector, collector: null, listeners: [], isBroken: false };
      for (const id of selector.operations) getOrMake(this.#byOperation, id, () => []).push(group);
      return group;
    });
  }
}

function collectorOf(group: Group): Collector<Evidence> {
  group.collector ??= group.selector.collect();
  return group.collector;
}

function breakDown(group: Group, error: unknown): void {
  if (error instanceof UnknownRequestError) {
    group.collector = null;
    return;
  }
  group.isBroken = true;
  for (const { listener } of group.listeners) listener.fail(error);
}

function deliver({ listeners }: Group, evidence: Evidence, whose: 'own' | 'foreign'): void {
  for (const { listener, conditions } of listeners) {
    if (whose === 'foreign' && listener.receiveForeign === undefined) continue;
    const met = firstUnmet(listener, conditions, evidence);
    if (met === conditions.length)
      whose === 'own' ? listener.receive(evidence) : listener.receiveForeign?.(evidence);
    else if (met !== null && whose === 'own') listener.miss?.(evidence, met);
  }
}

function firstUnmet(
  listener: EvidenceListener,
  conditions: Unfolded['conditions'],
  evidence: Evidence,
): number | null {
  try {
    for (let met = 0; met < conditions.length; met += 1)
      if (conditions[met]?.concerns(evidence) === false) return met;
    return conditions.length;
  } catch (error) {
    if (!(error instanceof UnknownRequestError)) listener.fail(error);
    return null;
  }
}

function isWanted(
  { variant, everyVariant, otherPath: elsewhere }: Selector<Evidence>,
  { operation, variant: own, hasOtherPath: isElsewhere }: Call,
): boolean {
  if (isElsewhere && elsewhere !== true) return false;
  return variant === null || own?.name === variant || everyVariant?.includes(operation.id) === true;
}

export interface Unfolded {
  readonly whole: Selector<Evidence>;
  readonly conditions: readonly NonNullable<Selector<Evidence>['part']>[];
}

const known = new WeakMap<Selector<Evidence>, readonly Unfolded[]>();

/** The selectors that a part or a union consists of, with the conditions of all parts on the way. */
export function unfolded(selector: Selector<Evidence>): readonly Unfolded[] {
  return getOrMake(known, selector, () => unfold(selector));
}

function unfold(selector: Selector<Evidence>): readonly Unfolded[] {
  const { part, anyOf: union } = selector;
  if (part === undefined) return union?.flatMap(unfolded) ?? [{ whole: selector, conditions: [] }];
  return unfolded(part.of).map(({ whole, conditions }) => ({
    whole,
    conditions: [...conditions, part],
  }));
}
