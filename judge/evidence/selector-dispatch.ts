import type { Exchange } from '../../exchange/exchange.ts';
import { getOrMake } from '../../schemas/maps.ts';
import type { EvidenceListener } from '../requirements/evaluator.ts';
import type { Collector, Evidence, Selector } from '../requirements/requirement.ts';
import { type Call, UnknownRequestError } from '../trace/call.ts';
import { Callers } from '../trace/callers.ts';
import { type OutsideCall, OutsideChanges } from '../trace/outside-call.ts';

const flatSelectors = new WeakMap<Selector<Evidence>, readonly FlatSelector[]>();

interface Group {
  readonly selector: Selector<Evidence>;
  collector: Collector<Evidence> | null;
  readonly root: Branch;
  isBroken: boolean;
}

/** The listeners for evidence that meets a condition and all before it; each condition is evaluated once for all. */
interface Branch {
  readonly condition: Part | null;
  readonly depth: number;
  /** Listeners without further conditions. */
  readonly listeners: EvidenceListener[];
  readonly branches: Branch[];
  /** All listeners, including those of the inner branches. */
  readonly all: EvidenceListener[];
  /** The listeners in `all` that still receive evidence that does not meet the condition. */
  readonly missListeners: EvidenceListener[];
}

const NO_GROUPS: readonly Group[] = [];

export class SelectorDispatch {
  readonly #groups = new Map<Selector<Evidence>, Group>();
  readonly #byOperation = new Map<string, Group[]>();
  readonly #outsideChanges = new OutsideChanges();
  readonly #callers = new Callers();
  readonly #owns: (exchanges: readonly Exchange[]) => boolean;
  readonly #byVariant = new Map<string, Map<string, readonly Group[]>>();

  constructor(
    listeners: readonly EvidenceListener[],
    owns: (exchanges: readonly Exchange[]) => boolean = () => true,
  ) {
    this.#owns = owns;
    for (const listener of listeners) {
      for (const { base, conditions } of flattenSelector(listener.selector))
        addListener(this.#group(base).root, listener, conditions);
    }
  }

  /** Feeds a call to the selectors that want it, unless its mode is unknown and its response cannot be judged. */
  call(call: Call): void {
    if (call.mode?.unknown !== 'answer') this.#feed(call, this.#groupsWanting(call));
  }

  context(call: Call): void {
    if (call.mode?.unknown === 'answer') return;
    const groups = this.#groupsWanting(call).filter(({ selector }) => selector.isStateless !== true);
    this.#feed(call, groups);
  }

  #feed(call: Call, groups: readonly Group[]): void {
    this.#callers.note(call);
    for (const group of groups) {
      if (group.isBroken) continue;
      try {
        const collected = collectorOf(group).call(call);
        // Most collectors find nothing in most calls.
        if (Array.isArray(collected) && collected.length === 0) continue;
        for (const evidence of collected) this.#deliver(group, evidence);
      } catch (error) {
        resetOrDisable(group, error);
      }
    }
  }

  /** Feeds a call under the alternative spelling of its path, which only some selectors want. */
  elsewhere(call: Call): void {
    this.call(call);
  }

  download(exchange: Exchange): void {
    for (const group of this.#groups.values()) {
      if (group.selector.downloads)
        this.#deliverAll(group, () => collectorOf(group).download?.(exchange) ?? []);
    }
  }

  /** Feeds a call outside the specification, which evidence about objects that it may have changed must not span. */
  outside(call: OutsideCall): void {
    this.#outsideChanges.note(call);
    for (const group of this.#groups.values()) {
      this.#deliverAll(group, () => {
        collectorOf(group).outside?.(call);
        return [];
      });
    }
  }

  finish(): void {
    for (const group of this.#groups.values())
      this.#deliverAll(group, () => group.collector?.finish?.() ?? []);
  }

  #deliverAll(group: Group, collect: () => Iterable<Evidence>): void {
    if (group.isBroken) return;
    try {
      for (const evidence of collect()) this.#deliver(group, evidence);
    } catch (error) {
      resetOrDisable(group, error);
    }
  }

  #deliver(group: Group, evidence: Evidence): void {
    if (this.#callers.mayDifferIn(evidence.exchanges)) return;
    if (group.collector?.outside === undefined && this.#outsideChanges.separates(evidence.exchanges)) return;
    deliver(group.root, evidence, this.#owns(evidence.exchanges) ? 'own' : 'foreign');
  }

  #groupsWanting(call: Call): readonly Group[] {
    const { operation, variant, hasOtherPath } = call;
    const all = this.#byOperation.get(operation.id) ?? NO_GROUPS;
    if (hasOtherPath || all.length === 0) return all.filter(({ selector }) => isWanted(selector, call));
    const name = variant?.name ?? '';
    const known = this.#byVariant.get(operation.id)?.get(name);
    if (known !== undefined) return known;
    const wanting = all.filter(({ selector }) => isWanted(selector, call));
    getOrMake(this.#byVariant, operation.id, () => new Map()).set(name, wanting);
    return wanting;
  }

  #group(selector: Selector<Evidence>): Group {
    return getOrMake(this.#groups, selector, () => {
      const group = { selector, collector: null, root: newBranch(null, 0), isBroken: false };
      for (const id of selector.operations) getOrMake(this.#byOperation, id, () => []).push(group);
      return group;
    });
  }
}

function collectorOf(group: Group): Collector<Evidence> {
  group.collector ??= group.selector.collect();
  return group.collector;
}

/** Drops the state of a selector that met an unknown request; after any other error, disables it for good. */
function resetOrDisable(group: Group, error: unknown): void {
  if (error instanceof UnknownRequestError) {
    group.collector = null;
    return;
  }
  group.isBroken = true;
  for (const listener of group.root.all) listener.fail(error);
}

function newBranch(condition: Part | null, depth: number): Branch {
  return { condition, depth, listeners: [], branches: [], all: [], missListeners: [] };
}

function addListener(from: Branch, listener: EvidenceListener, conditions: FlatSelector['conditions']): void {
  from.all.push(listener);
  if (listener.miss !== undefined) from.missListeners.push(listener);
  const next = conditions[from.depth];
  if (next === undefined) {
    from.listeners.push(listener);
    return;
  }
  const known = from.branches.find(({ condition }) => condition === next);
  const inner = known ?? newBranch(next, from.depth + 1);
  if (known === undefined) from.branches.push(inner);
  addListener(inner, listener, conditions);
}

function deliver(from: Branch, evidence: Evidence, whose: 'own' | 'foreign'): void {
  for (const listener of from.listeners) {
    if (whose === 'own') listener.receive(evidence);
    else listener.receiveForeign?.(evidence);
  }
  for (const inner of from.branches) {
    if (whose === 'foreign' && inner.all.every(({ receiveForeign }) => receiveForeign === undefined))
      continue;
    const isMet = meets(evidence, inner);
    if (isMet) deliver(inner, evidence, whose);
    else if (isMet === false && whose === 'own') miss(inner.missListeners, evidence, from.depth);
  }
}

/** Reports a miss, and removes the listeners that want no more, because nearly all evidence misses some condition. */
function miss(listeners: EvidenceListener[], evidence: Evidence, met: number): void {
  for (let n = listeners.length - 1; n >= 0; n -= 1)
    if (listeners[n]?.miss?.(evidence, met) === false) listeners.splice(n, 1);
}

/** Null if the condition cannot be evaluated. */
function meets(evidence: Evidence, { condition, all }: Branch): boolean | null {
  try {
    // A condition in JavaScript may return any value.
    return Boolean(condition?.concerns(evidence));
  } catch (error) {
    if (!(error instanceof UnknownRequestError)) for (const listener of all) listener.fail(error);
    return null;
  }
}

function isWanted(
  { variant, everyVariant, otherPath }: Selector<Evidence>,
  { operation, variant: ownVariant, hasOtherPath }: Call,
): boolean {
  if (hasOtherPath && otherPath !== true) return false;
  return variant === null || ownVariant?.name === variant || everyVariant?.includes(operation.id) === true;
}

type Part = NonNullable<Selector<Evidence>['part']>;

export interface FlatSelector {
  readonly base: Selector<Evidence>;
  readonly conditions: readonly Part[];
}

export function flattenSelector(selector: Selector<Evidence>): readonly FlatSelector[] {
  return getOrMake(flatSelectors, selector, () => flatten(selector));
}

function flatten(selector: Selector<Evidence>): readonly FlatSelector[] {
  const { part, anyOf: union } = selector;
  if (part === undefined) return union?.flatMap(flattenSelector) ?? [{ base: selector, conditions: [] }];
  return flattenSelector(part.of).map(({ base, conditions }) => ({
    base,
    conditions: [...conditions, part],
  }));
}
