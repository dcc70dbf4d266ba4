import type { Exchange } from '../../exchange/exchange.ts';
import { announcedRequests } from '../../exchange/http/headers.ts';
import type {
  AcceptanceFacts,
  AcceptedTime,
  FailedRequest,
  RequestRow,
  UndecidedRefusal,
} from '../requirements/refusals.ts';
import type { Call } from '../trace/call.ts';
import { LruMap } from '../trace/lru-map.ts';
import { isClosed } from '../trace/response-class.ts';
import { addCount, FirstFacts, type Timed } from '../trace/timed.ts';
import type { OpenPoint } from './expectation.ts';
import { isOfMoment } from './moments.ts';
import { asRepeated, digestOf, SentRequests, sameMoment } from './sent-requests.ts';
import { failedWithDigests, UnansweredRequests, WithdrawnKeys } from './unanswered-requests.ts';

/** Counts outcomes of valid requests in bounded memory. */
export class AcceptanceTally {
  /** Refused requests for which a 2xx was due, grouped by features and assumptions. */
  readonly kinds = new RefusedKinds();
  /** Outcomes of distinct requests: which were accepted, and whether equal ones were treated alike. */
  readonly sent = new SentRequests();
  /** Requests of scenarios without a meaningful response, for which a 2xx was due. */
  readonly unanswered = new UnansweredRequests();
  /** Requests of scenarios that got 429, 5xx or a timeout. */
  readonly failed = new FirstFacts<FailedRequest>(5000);
  /** Times of accepted requests of scenarios: they show whether a failure is due to the content of the request or transient. */
  readonly acceptedTimes = new FirstFacts<AcceptedTime>(50_000);
  /** Denied requests, and the last accepted one of each API key: a later denial means that the key was revoked. */
  readonly keys = new WithdrawnKeys();
  /** Refusals that are not themselves violations but may explain why other requirements fail. */
  readonly undecided = new FirstFacts<UndecidedRefusal & { readonly at: number }>(2000);
  /** Calls, those whose connection closed before the response, and the most requests that the target announces for one. */
  readonly #connections: Connections = { calls: 0, closed: 0, most: null };
  readonly #proven = new LruMap<true>();
  readonly #accepted = new Map<string, { times: number; at: number; by: number }>();
  readonly #open = new Map<string, number>();
  readonly #permitted = new LruMap<true>(NAMED_REFUSALS);
  readonly #denied: string[] = [];

  /** Records that an accepted request shows this assumption to hold. */
  prove(assumption: string): void {
    this.#proven.set(assumption, true);
  }

  /** Counts an accepted request. `at`: how many exchanges have ended; `by`: the number of the exchange. */
  accept(subject: string, times: number, { at, by }: Pick<Timed<unknown>, 'at' | 'by'>): void {
    const known = this.#accepted.get(subject);
    if (known === undefined) this.#accepted.set(subject, { times, at, by });
    else {
      known.times += times;
      known.at = Math.min(known.at, at);
      known.by = Math.min(known.by, by);
    }
  }

  /** The accepted exchange with the lowest number; empty if none was accepted. */
  acceptedFirst(subject: string): readonly Pick<Exchange, 'id'>[] {
    const known = this.#accepted.get(subject);
    return known === undefined ? [] : [{ id: `e${known.by}` }];
  }

  /** Records that a choice permits the refusal of the exchange with this id, such as `e3`. */
  permit(exchange: string): void {
    this.#permitted.set(exchange, true);
  }

  /** Whether a choice permits the refusal of this exchange; false until `permit` says so. */
  isPermitted(exchange: string): boolean {
    return this.#permitted.get(exchange) === true;
  }

  /** Counts refusals for which it is unknown whether a 2xx was due. */
  leaveOpen(why: OpenPoint, times: number): void {
    addCount(this.#open, why, times);
  }

  /** Counts a call of an operation, whatever its outcome, to compare closed connections with the announced limit. */
  connect({ exchange }: Call): void {
    const most = exchange.response === null ? null : announcedRequests(exchange.response.headers);
    this.#countConnections({ calls: 1, closed: Number(isClosed(exchange)), most });
  }

  /** Returns the counts as plain data, with digests in place of fingerprints and assumptions. */
  part() {
    return {
      kinds: this.kinds.part(),
      proven: [...this.#proven.entries()].map(([assumption]) => digestOf(assumption)),
      sent: this.sent.part(),
      unanswered: this.unanswered.part(),
      failed: { failed: this.failed.all.map(failedWithDigests), accepted: this.acceptedTimes.all },
      keys: this.keys.part(),
      connections: { ...this.#connections },
      accepted: [...this.#accepted].map(([subject, counted]) => ({ subject, ...counted })),
      open: [...this.#open],
      undecided: this.undecided.all,
      permitted: [...this.#permitted.entries()].map(([exchange]) => exchange),
    };
  }

  /** Adds another part of the traffic. Refusals that now repeat an earlier request get `context.repeated`. */
  absorb(part: ReturnType<AcceptanceTally['part']>): void {
    this.kinds.absorb(part.kinds);
    for (const assumption of part.proven) this.prove(assumption);
    const repeated = new Set(this.sent.absorb(part.sent));
    this.unanswered.absorb(part.unanswered);
    this.failed.absorb(part.failed.failed);
    this.acceptedTimes.absorb(part.failed.accepted);
    this.keys.absorb(part.keys);
    this.#countConnections(part.connections);
    for (const { subject, times, ...first } of part.accepted) this.accept(subject, times, first);
    for (const [why, times] of part.open) addCount(this.#open, why, times);
    this.undecided.absorb(part.undecided, (one) =>
      repeated.has(one.exchange) ? { ...one, features: repeatedFeatures(one.features) } : one,
    );
    for (const exchange of part.permitted) this.permit(exchange);
    this.kinds.repeat(repeated);
  }

  /** All facts about refused and failed requests. Call it once: it drops requests whose refusal is permitted. */
  facts(): AcceptanceFacts {
    this.sent.sortAndShrink();
    const refusedRows = new Map<string, readonly RequestRow[]>();
    const unprovenRows = new Map<string, readonly RequestRow[]>();
    const withdrawn = this.keys.take(this.sent);
    for (const [subject, kinds] of this.kinds.bySubject()) {
      for (const kind of kinds) {
        this.#drop(kind, 'choice', (exchange) => this.isPermitted(exchange));
        this.#drop(kind, 'permission', (exchange) => withdrawn.refused.has(exchange));
      }
      const due = this.#dueKinds(kinds);
      if (due.length > 0) refusedRows.set(subject, requestRows(due));
      else if (!this.#accepted.has(subject))
        unprovenRows.set(subject, requestRows(kinds.filter(({ forbidden, refused }) => forbidden < refused)));
    }
    const areProven = (assumes: readonly string[]) => this.#areProven(assumes);
    const accepted = [...this.#accepted].toSorted(([, a], [, b]) => a.at - b.at);
    const failed = this.failed.all;
    return {
      accepted: new Map(accepted.map(([subject, { times }]) => [subject, times])),
      refusedRows,
      unprovenRows,
      open: Object.fromEntries(this.#open),
      excused: [...this.#denied, ...[...this.#permitted.entries()].map(([exchange]) => exchange)],
      unanswered: [...this.unanswered.allBut(this.sent), ...withdrawn.unanswered].filter(
        ({ assumes, closed, isClosedEachTime }) =>
          areProven(assumes) &&
          (isClosedEachTime === true || !(closed !== undefined && areExplained(this.#connections))),
      ),
      undecided: this.undecided.all,
      failed,
      acceptedTimes: this.acceptedTimes.all,
      lost: failed.filter(
        ({ isViolation, fingerprint }) => !isViolation && !this.sent.wasAccepted(fingerprint),
      ),
      acceptedRows: () => this.sent.accepted(),
      repeatedRows: () => this.sent.repeats(),
      wasAnswered: (fingerprint) => this.sent.wasAnswered(fingerprint),
      areProven,
    };
  }

  #countConnections({ calls, closed, most }: Readonly<Connections>): void {
    const known = this.#connections;
    known.calls += calls;
    known.closed += closed;
    if (most !== null) known.most = Math.max(known.most ?? 0, most);
  }

  #drop(kind: RefusedKind, why: OpenPoint, isInOrder: (exchange: string) => boolean): void {
    const due = kind.exchanges.filter(({ exchange }) => !isInOrder(exchange));
    const dropped = kind.exchanges.length - due.length;
    if (dropped === 0) return;
    kind.refused -= dropped;
    kind.forbidden = Math.min(kind.forbidden - (why === 'permission' ? dropped : 0), kind.refused);
    kind.exchanges = due;
    this.leaveOpen(why, dropped);
  }

  #dueKinds(kinds: readonly RefusedKind[]): readonly RefusedKind[] {
    const due = kinds.filter(({ refused, assumes }) => refused > 0 && this.#areProven(assumes));
    const subject = due[0]?.subject;
    if (subject === undefined || due.some(({ forbidden, refused }) => forbidden < refused)) return due;
    if ((this.#accepted.get(subject)?.times ?? 0) > 0) return due;
    for (const { refused, exchanges } of due) {
      this.leaveOpen('permission', refused);
      this.#denied.push(...exchanges.map(({ exchange }) => exchange));
    }
    return [];
  }

  #areProven(assumes: readonly string[]): boolean {
    return assumes.every((one) => this.#proven.get(one));
  }
}

/** Maximum number of kinds of refused requests; further kinds add no information. */
const MAX_KINDS = { perSubject: 2000, total: 10_000 } as const;
const NAMED_REFUSALS = 20_000;

/** Refused requests of one operation that have the same features and assumptions. */
export interface RefusedKind {
  /** The operation, with its variant if there are several: `createAssistant.v2`. */
  readonly subject: string;
  /** Sorted, with the features of the moment: `body.n>1`, `context.repeated`. */
  readonly features: readonly string[];
  /** Credentials, model and files that an accepted request must show to be valid. */
  readonly assumes: readonly string[];
  /** Position of the first refusal in the order in which exchanges ended. */
  at: number;
  /** Number of refusals, including those that `exchanges` does not list. */
  refused: number;
  /** How many of them were answered with 401, 403 or 407. */
  forbidden: number;
  /** Oldest first; limited by `NAMED_REFUSALS`. */
  exchanges: RefusedExchange[];
}

type KindName = Pick<RefusedKind, 'subject' | 'features' | 'assumes'>;

type RefusalCount = Readonly<Omit<RefusedKind, keyof KindName>>;

function countOf(exchange: RefusedExchange): RefusalCount {
  return { at: exchange.at, refused: 1, forbidden: Number(exchange.isForbidden), exchanges: [exchange] };
}

class RefusedKinds {
  readonly #kinds = new Map<string, Map<string, RefusedKind>>();
  #count = 0;
  #named = 0;

  add(name: KindName, exchange: RefusedExchange): RefusedKind | null {
    const kind = this.#kindOf(name, exchange.at);
    if (kind !== null) this.#fill(kind, countOf(exchange));
    return kind;
  }

  withdraw(kind: RefusedKind, exchange: string): void {
    kind.refused -= 1;
    const withdrawn = kind.exchanges.find((one) => one.exchange === exchange);
    if (withdrawn?.isForbidden === true) kind.forbidden -= 1;
    kind.exchanges = kind.exchanges.filter((one) => one !== withdrawn);
  }

  bySubject(): readonly (readonly [subject: string, kinds: readonly RefusedKind[]])[] {
    return [...this.#kinds]
      .map(([subject, kinds]) => [subject, sortByFirstRefusal([...kinds.values()])] as const)
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
      if (kind !== null) this.#fill(kind, one);
    }
  }

  /** Moves refusals that turned out to repeat an earlier request to the kind with `context.repeated`. */
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
    this.#named -= 1;
    this.#fill(target, countOf(exchange));
  }

  #fill(kind: RefusedKind, { at, refused, forbidden, exchanges }: RefusalCount): void {
    const kept = exchanges.slice(0, NAMED_REFUSALS - this.#named);
    const isLate = (kind.exchanges.at(-1)?.at ?? 0) > at;
    this.#named += kept.length;
    kind.at = Math.min(kind.at, at);
    kind.refused += refused;
    kind.forbidden += forbidden;
    kind.exchanges.push(...kept);
    if (isLate) kind.exchanges.sort((a, b) => a.at - b.at);
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

function sortByFirstRefusal(kinds: readonly RefusedKind[]): readonly RefusedKind[] {
  return kinds.filter(({ refused }) => refused > 0).toSorted((a, b) => firstAt(a) - firstAt(b));
}

function firstAt(kind: RefusedKind | undefined): number {
  return kind?.exchanges[0]?.at ?? kind?.at ?? 0;
}

/** The features of a request if an equal one had been sent before. */
function repeatedFeatures(features: readonly string[]): readonly string[] {
  const moment = sameMoment(features.filter(isOfMoment));
  const { moment: repeated } = asRepeated({ moment, accepted: 0, refused: 0 });
  return [...features.filter((feature) => !isOfMoment(feature)), ...repeated].toSorted();
}

function requestRows(kinds: readonly RefusedKind[]): readonly RequestRow[] {
  return kinds.map(({ features, refused, exchanges }) => ({
    features,
    accepted: 0,
    refused,
    exchanges: exchanges.map(({ exchange }) => exchange),
  }));
}

interface RefusedExchange {
  /** Id of the exchange, such as `e3`. */
  readonly exchange: string;
  /** Position in the order in which exchanges ended. */
  readonly at: number;
  /** Whether it was answered with 401, 403 or 407. */
  readonly isForbidden: boolean;
}

interface Connections {
  calls: number;
  closed: number;
  /** Null if the target announces no limit. */
  most: number | null;
}

/** Whether connections close because they have served as many requests as the target announces. */
function areExplained({ calls, closed, most }: Readonly<Connections>): boolean {
  return most !== null && closed <= Math.ceil(calls / most);
}
