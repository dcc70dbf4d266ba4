import { digestOf } from './fingerprint.ts';
import { asRepeated, isMomentFeature } from './moments.ts';

/** Further kinds hardly add information. */
const MAX_KINDS = { perSubject: 2000, total: 10_000 } as const;
export const MAX_KEPT_REFUSALS = 20_000;

export interface RefusedKind {
  readonly subject: string;
  /** Sorted; features of the content, such as `body.n>1`, and of the moment, such as `context.repeated`. */
  readonly features: readonly string[];
  readonly assumes: readonly string[];
  /** Position of the first refusal, even of a withdrawn one, in the order in which exchanges ended. */
  at: number;
  /** Number of refusals, including those that `exchanges` does not list. */
  refused: number;
  /** Number of refusals with 401, 403 or 407. */
  forbidden: number;
  /** Oldest first; not all are kept. */
  exchanges: RefusedExchange[];
}

export type KindName = Pick<RefusedKind, 'subject' | 'features' | 'assumes'>;

type RefusalCount = Readonly<Omit<RefusedKind, keyof KindName>>;

function singleRefusal(exchange: RefusedExchange): RefusalCount {
  return { at: exchange.at, refused: 1, forbidden: Number(exchange.isForbidden), exchanges: [exchange] };
}

export class RefusedKinds {
  readonly #kinds = new Map<string, Map<string, RefusedKind>>();
  #count = 0;
  #keptRefusals = 0;

  /** Null if there are too many kinds. */
  add(name: KindName, exchange: RefusedExchange): RefusedKind | null {
    const kind = this.#kindOf(name, exchange.at);
    if (kind !== null) this.#addTo(kind, singleRefusal(exchange));
    return kind;
  }

  /** Removes a refusal from its kind, which may not have kept it. */
  withdraw(kind: RefusedKind, { exchange, isForbidden }: RefusedExchange): void {
    kind.refused -= 1;
    kind.forbidden -= Number(isForbidden);
    const remaining = kind.exchanges.filter((one) => one.exchange !== exchange);
    this.#keptRefusals -= kind.exchanges.length - remaining.length;
    kind.exchanges = remaining;
  }

  bySubject(): readonly (readonly [subject: string, kinds: readonly RefusedKind[]])[] {
    return [...this.#kinds]
      .map(([subject, kinds]) => {
        const refusedKinds = [...kinds.values()].filter((kind) => kind.refused > 0);
        return [subject, refusedKinds.sort((a, b) => firstAt(a) - firstAt(b))] as const;
      })
      .filter(([, kinds]) => kinds.length > 0)
      .toSorted(([, [a]], [, [b]]) => firstAt(a) - firstAt(b));
  }

  part(): readonly Readonly<RefusedKind>[] {
    return this.bySubject().flatMap(([, kinds]) =>
      kinds.map((kind) => ({ ...kind, assumes: kind.assumes.map(digestOf) })),
    );
  }

  absorb(part: readonly Readonly<RefusedKind>[]): void {
    for (const one of part) {
      const kind = this.#kindOf(one, one.at);
      if (kind !== null) this.#addTo(kind, one);
    }
  }

  /** Moves refusals that turned out to repeat an earlier request to the kind with `context.repeated`. */
  markRepeated(exchanges: ReadonlySet<string>): void {
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
    this.withdraw(kind, exchange);
    this.#addTo(target, singleRefusal(exchange));
  }

  #addTo(kind: RefusedKind, { at, refused, forbidden, exchanges }: RefusalCount): void {
    const keptExchanges = exchanges.slice(0, MAX_KEPT_REFUSALS - this.#keptRefusals);
    const isOutOfOrder = (kind.exchanges.at(-1)?.at ?? 0) > at;
    this.#keptRefusals += keptExchanges.length;
    kind.at = Math.min(kind.at, at);
    kind.refused += refused;
    kind.forbidden += forbidden;
    kind.exchanges.push(...keptExchanges);
    if (isOutOfOrder) kind.exchanges.sort((a, b) => a.at - b.at);
  }

  #kindOf({ subject, features, assumes }: KindName, at: number): RefusedKind | null {
    const kinds = this.#kinds.get(subject) ?? new Map<string, RefusedKind>();
    const key = JSON.stringify([features, assumes]);
    const known = kinds.get(key);
    if (known !== undefined) return known;
    if (kinds.size >= MAX_KINDS.perSubject || this.#count >= MAX_KINDS.total) return null;
    this.#kinds.set(subject, kinds);
    this.#count += 1;
    const kind: RefusedKind = { subject, features, assumes, at, refused: 0, forbidden: 0, exchanges: [] };
    kinds.set(key, kind);
    return kind;
  }
}

function firstAt(kind: RefusedKind | undefined): number {
  return kind?.exchanges[0]?.at ?? kind?.at ?? 0;
}

export function repeatedFeatures(features: readonly string[]): readonly string[] {
  const content = features.filter((feature) => !isMomentFeature(feature));
  return [...content, ...asRepeated(features)].toSorted();
}

interface RefusedExchange {
  readonly exchange: string;
  readonly at: number;
  readonly isForbidden: boolean;
}
