import type { Exchange } from '../../exchange/exchange.ts';
import type { Collector, Evidence, Selector } from '../requirements/requirement.ts';
import type { Call } from '../trace/call.ts';

/** Somebody who wants the evidence of a selector. */
export interface EvidenceListener {
  readonly selector: Selector<Evidence>;
  receive(evidence: Evidence): void;
  /** The selector threw: there is no more evidence. */
  fail(error: unknown): void;
}

interface Group {
  readonly selector: Selector<Evidence>;
  readonly collector: Collector<Evidence>;
  readonly listeners: { readonly listener: EvidenceListener; readonly concerns: Unfolded['concerns'] }[];
  isBroken: boolean;
}

const NOBODY: readonly Group[] = [];

/** Collects the evidence of many selectors in one pass; those that are parts of the same one are collected together. */
export class SelectorDispatch {
  readonly #groups = new Map<Selector<Evidence>, Group>();
  readonly #byOperation = new Map<string, Group[]>();

  constructor(listeners: readonly EvidenceListener[]) {
    for (const listener of listeners) {
      for (const { whole, concerns } of unfolded(listener.selector))
        this.#group(whole).listeners.push({ listener, concerns });
    }
  }

  call(call: Call): void {
    for (const group of this.#byOperation.get(call.operation.id) ?? NOBODY) {
      if (isWanted(group.selector, call)) take(group, () => group.collector.call(call));
    }
  }

  elsewhere(call: Call): void {
    this.call(call);
  }

  download(exchange: Exchange): void {
    for (const group of this.#groups.values()) {
      if (group.selector.downloads) take(group, () => group.collector.download?.(exchange) ?? []);
    }
  }

  finish(): void {
    for (const group of this.#groups.values()) take(group, () => group.collector.finish());
  }

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

/** A selector that throws takes down those who listen to it, and no other. */
function take(group: Group, collect: () => Iterable<Evidence>): void {
  if (group.isBroken) return;
  try {
    for (const evidence of collect()) tell(group, evidence);
  } catch (error) {
    group.isBroken = true;
    for (const { listener } of group.listeners) listener.fail(error);
  }
}

function tell({ listeners }: Group, evidence: Evidence): void {
  for (const { listener, concerns } of listeners) {
    let isConcerned = concerns === null;
    try {
      if (concerns !== null) isConcerned = concerns(evidence);
    } catch (error) {
      listener.fail(error);
    }
    if (isConcerned) listener.receive(evidence);
  }
}

function isWanted(
  { variant, everyVariant, otherPath: elsewhere }: Selector<Evidence>,
  { operation, variant: own, hasOtherPath: isElsewhere }: Call,
): boolean {
  if (isElsewhere && elsewhere !== true) return false;
  return variant === null || own?.name === variant || everyVariant?.includes(operation.id) === true;
}

/** A selector whose evidence is collected, and what is left of that evidence; null where all is. */
interface Unfolded {
  readonly whole: Selector<Evidence>;
  readonly concerns: ((evidence: Evidence) => boolean) | null;
}

/** The selectors that a part or a union is made of. */
function unfolded(selector: Selector<Evidence>): readonly Unfolded[] {
  const { part, anyOf: union } = selector;
  if (part === undefined) return union?.flatMap(unfolded) ?? [{ whole: selector, concerns: null }];
  return unfolded(part.of).map(({ whole, concerns }) => ({
    whole,
    concerns: concerns === null ? part.concerns : (evidence) => concerns(evidence) && part.concerns(evidence),
  }));
}
