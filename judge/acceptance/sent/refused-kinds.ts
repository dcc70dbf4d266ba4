// Refused requests, sorted by what they say, in bounded memory.

import type { RequestRow } from '../causes/candidates.ts';
import { isOfMoment } from '../causes/moments.ts';
import type { RefusedExchange, RefusedKindPart } from './acceptance-part.ts';
import { asRepeated, digestOf, sameMoment } from './sent-part.ts';

/** Kinds of refused requests that are kept, of one operation and of all; of further ones nothing is learned. */
const KINDS = { ofOne: 2000, ofAll: 10_000 } as const;
/** Refused exchanges whose ids are kept. */
export const NAMED_REFUSALS = 20_000;

/** Refused requests of one operation that say the same under the same assumptions. */
export interface RefusedKind {
  readonly subject: string;
  readonly features: readonly string[];
  readonly assumes: readonly string[];
  at: number;
  refused: number;
  /** Of the refused ones, those that were answered 401, 403 or 407. */
  forbidden: number;
  exchanges: RefusedExchange[];
}

/** The facts that distinguish kinds. */
type KindName = Pick<RefusedKind, 'subject' | 'features' | 'assumes'>;

/** All kinds of refused requests of a trace. */
export class RefusedKinds {
  readonly #kinds = new Map<string, Map<string, RefusedKind>>();
  #count = 0;
  #named = 0;

  /** Counts one refusal. Null where so many kinds are kept already that nothing is learned of another. */
  add(name: KindName, exchange: RefusedExchange): RefusedKind | null {
    const kind = this.#kindOf(name, exchange.at);
    if (kind === null) return null;
    kind.refused += 1;
    if (exchange.isForbidden) kind.forbidden += 1;
    if (this.#named < NAMED_REFUSALS) {
      this.#named += 1;
      kind.exchanges.push(exchange);
    }
    return kind;
  }

  /** A refusal turned out to be in order. */
  withdraw(kind: RefusedKind, exchange: string): void {
    kind.refused -= 1;
    const withdrawn = kind.exchanges.find((one) => one.exchange === exchange);
    if (withdrawn?.isForbidden === true) kind.forbidden -= 1;
    kind.exchanges = kind.exchanges.filter((one) => one !== withdrawn);
  }

  /** Of each operation, in the order in which their first request was refused; without those that were all withdrawn. */
  bySubject(): readonly (readonly [subject: string, kinds: readonly RefusedKind[]])[] {
    return [...this.#kinds]
      .map(([subject, kinds]) => [subject, inOrder([...kinds.values()])] as const)
      .filter(([, kinds]) => kinds.length > 0)
      .toSorted(([, [a]], [, [b]]) => firstAt(a) - firstAt(b));
  }

  /** The content of a partial verdict. */
  part(): readonly RefusedKindPart[] {
    return this.bySubject().flatMap(([, kinds]) =>
      kinds.map((kind) => ({ ...kind, assumes: kind.assumes.map(digestOf) })),
    );
  }

  /** Adds what was refused in another part of the traffic. */
  absorb(part: readonly RefusedKindPart[]): void {
    for (const { subject, features, assumes, at, refused, forbidden, exchanges } of part) {
      const kind = this.#kindOf({ subject, features, assumes }, at);
      if (kind === null) continue;
      kind.at = Math.min(kind.at, at);
      kind.refused += refused;
      kind.forbidden += forbidden;
      const kept = exchanges.slice(0, NAMED_REFUSALS - this.#named);
      this.#named += kept.length;
      kind.exchanges = [...kind.exchanges, ...kept].toSorted((a, b) => a.at - b.at);
    }
  }

  /** These exchanges repeat a request that was sent before. */
  repeat(exchanges: ReadonlySet<string>): void {
    if (exchanges.size === 0) return;
    for (const kinds of [...this.#kinds.values()])
      for (const kind of [...kinds.values()])
        for (const one of kind.exchanges.filter(({ exchange }) => exchanges.has(exchange)))
          this.#move(kind, one);
  }

  #move(kind: RefusedKind, exchange: RefusedExchange): void {
    const features = repeatedFeatures(kind.features);
    const target = this.#kindOf({ ...kind, features }, exchange.at);
    if (target === null || target === kind) return;
    this.withdraw(kind, exchange.exchange);
    target.refused += 1;
    target.forbidden += Number(exchange.isForbidden);
    target.at = Math.min(target.at, exchange.at);
    target.exchanges = [...target.exchanges, exchange].toSorted((a, b) => a.at - b.at);
  }

  #kindOf({ subject, features, assumes }: KindName, at: number): RefusedKind | null {
    const kinds = this.#kinds.get(subject) ?? new Map<string, RefusedKind>();
    const key = JSON.stringify([features, assumes]);
    const known = kinds.get(key);
    if (known !== undefined) return known;
    if (kinds.size >= KINDS.ofOne || this.#count >= KINDS.ofAll) return null;
    this.#kinds.set(subject, kinds);
    this.#count += 1;
    const kind: RefusedKind = { subject, features, assumes, at, refused: 0, forbidden: 0, exchanges: [] };
    kinds.set(key, kind);
    return kind;
  }
}

/** Kinds with refusals that were not withdrawn, oldest first. */
function inOrder(kinds: readonly RefusedKind[]): readonly RefusedKind[] {
  return kinds.filter(({ refused }) => refused > 0).toSorted((a, b) => firstAt(a) - firstAt(b));
}

/**
 * When the first refusal came that still counts. Of one that was withdrawn, the kind depends on the parts: it may be that of the first
 * of equal requests, or that of a repeated one.
 */
function firstAt(kind: RefusedKind | undefined): number {
  return kind?.exchanges[0]?.at ?? kind?.at ?? 0;
}

/** Features of a request that was sent before. */
export function repeatedFeatures(features: readonly string[]): readonly string[] {
  const moment = sameMoment(features.filter(isOfMoment));
  const { moment: repeated } = asRepeated({ moment, accepted: 0, refused: 0 });
  return [...features.filter((feature) => !isOfMoment(feature)), ...repeated].toSorted();
}

/** Kinds as the rows that diagnoses read. */
export function requestRows(kinds: readonly RefusedKind[]): readonly RequestRow[] {
  return kinds.map(({ features, refused, exchanges }) => ({
    features,
    accepted: 0,
    refused,
    exchanges: exchanges.map(({ exchange }) => exchange),
  }));
}
