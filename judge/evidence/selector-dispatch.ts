// Feeds every call to the selectors that want its operation, and their evidence to the requirements and choices
// that listen.
import type { Exchange } from '../../exchange/exchange.ts';
import type { Collector, Evidence, Selector } from '../requirements/requirement.ts';
import { type Call, UnknownRequestError } from '../trace/call.ts';
import { type OutsideCall, OutsideTouches } from '../trace/outside-call.ts';

/** A requirement or choice that wants the evidence of a selector. */
export interface EvidenceListener {
  readonly selector: Selector<Evidence>;
  receive(evidence: Evidence): void;
  /** The selector threw an error: no more evidence follows. */
  fail(error: unknown): void;
}

/** One selector with its collector and everything that listens to it. */
interface Group {
  readonly selector: Selector<Evidence>;
  collector: Collector<Evidence>;
  readonly listeners: { readonly listener: EvidenceListener; readonly concerns: Unfolded['concerns'] }[];
  isBroken: boolean;
}

const NO_GROUPS: readonly Group[] = [];

/** Collects the evidence of many selectors in one pass; those that are parts of the same one are collected together. */
export class SelectorDispatch {
  readonly #groups = new Map<Selector<Evidence>, Group>();
  readonly #byOperation = new Map<string, Group[]>();
  readonly #touches = new OutsideTouches();

  constructor(listeners: readonly EvidenceListener[]) {
    for (const listener of listeners) {
      for (const { whole, concerns } of unfolded(listener.selector))
        this.#group(whole).listeners.push({ listener, concerns });
    }
  }

  /** Feeds a call to the selectors of its operation. Where its mode is unknown, nothing can be said of its answer. */
  call(call: Call): void {
    if (call.mode?.unknown === 'answer') return;
    for (const group of this.#byOperation.get(call.operation.id) ?? NO_GROUPS) {
      if (isWanted(group.selector, call)) this.#take(group, () => group.collector.call(call));
    }
  }

  /** Feeds a call in the other spelling of its path; only selectors with `otherPath` take it. */
  elsewhere(call: Call): void {
    this.call(call);
  }

  /** Feeds an exchange that calls no operation; only selectors with `downloads` take it. */
  download(exchange: Exchange): void {
    for (const group of this.#groups.values()) {
      if (group.selector.downloads) this.#take(group, () => group.collector.download?.(exchange) ?? []);
    }
  }

  /** Feeds a call outside the specification; what it may have changed is not related any more to what came before. */
  outside(call: OutsideCall): void {
    this.#touches.note(call);
    for (const group of this.#groups.values()) {
      this.#take(group, () => {
        group.collector.outside?.(call);
        return [];
      });
    }
  }

  /** Collects the evidence that is complete only at the end of the trace. */
  finish(): void {
    for (const group of this.#groups.values()) this.#take(group, () => group.collector.finish());
  }

  /** Delivers what a collector yields. A selector that throws fails its own listeners only. */
  #take(group: Group, collect: () => Iterable<Evidence>): void {
    if (group.isBroken) return;
    try {
      for (const evidence of collect()) {
        const isUnknown =
          group.collector.outside === undefined && this.#touches.separates(evidence.exchanges);
        if (!isUnknown) deliver(group, evidence);
      }
    } catch (error) {
      // What the call did is not known, so nothing is demanded by what came before it.
      if (error instanceof UnknownRequestError) {
        group.collector = group.selector.collect();
        return;
      }
      group.isBroken = true;
      for (const { listener } of group.listeners) listener.fail(error);
    }
  }

  /** The group of a selector, created when first needed: equal selectors are collected once. */
  #group(selector: Selector<Evidence>): Group {
    let group = this.#groups.get(selector);
    if (group === undefined) {
      group = { selector, collector: selector.collect(), listeners: [], isBroken: false };
      this.#groups.set(selector, group);
      for (const id of selector.operations) {
        const others = this.#byOperation.get(id);
        if (others === undefined) this.#byOperation.set(id, [group]);
        else others.push(group);
      }
    }
    return group;
  }
}

function deliver({ listeners }: Group, evidence: Evidence): void {
  for (const { listener, concerns } of listeners) {
    let isConcerned = concerns === null;
    try {
      if (concerns !== null) isConcerned = concerns(evidence);
    } catch (error) {
      if (!(error instanceof UnknownRequestError)) listener.fail(error);
      isConcerned = false;
    }
    if (isConcerned) listener.receive(evidence);
  }
}

/** Whether a selector takes a call, by variant and by spelling of the path. */
function isWanted(
  { variant, everyVariant, otherPath: elsewhere }: Selector<Evidence>,
  { operation, variant: own, hasOtherPath: isElsewhere }: Call,
): boolean {
  if (isElsewhere && elsewhere !== true) return false;
  return variant === null || own?.name === variant || everyVariant?.includes(operation.id) === true;
}

/** A selector whose evidence is collected, and the condition on that evidence; null for all of it. */
interface Unfolded {
  readonly whole: Selector<Evidence>;
  readonly concerns: ((evidence: Evidence) => boolean) | null;
}

/** The selectors that a part or a union consists of, with the conditions of all parts on the way. */
function unfolded(selector: Selector<Evidence>): readonly Unfolded[] {
  const { part, anyOf: union } = selector;
  if (part === undefined) return union?.flatMap(unfolded) ?? [{ whole: selector, concerns: null }];
  return unfolded(part.of).map(({ whole, concerns }) => ({
    whole,
    concerns: concerns === null ? part.concerns : (evidence) => concerns(evidence) && part.concerns(evidence),
  }));
}
