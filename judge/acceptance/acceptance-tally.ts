import type { Exchange } from '../../exchange/exchange.ts';
import { announcedRequests, firstHeader } from '../../exchange/http/headers.ts';
import type {
  AcceptanceFacts,
  AcceptedTime,
  FailedRequest,
  RequestRow,
  UnansweredRequest,
  UndecidedRefusal,
} from '../requirements/refusals.ts';
import { type Call, isClosed, isClosedAlone, undecidedReason } from '../trace/call.ts';
import { LruMap } from '../trace/lru-map.ts';
import { addCount, FirstFacts, numberOf, type Timed } from '../trace/timed.ts';
import type { OpenPoint } from './expectation.ts';
import { isOfMoment } from './moments.ts';
import { asRepeated, digestOf, fingerprintOf, ordinal, SentRequests, sameMoment } from './sent-requests.ts';

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
  readonly keys = new RevokedKeys();
  /** Refusals that are not themselves violations but may explain why other requirements fail. */
  readonly undecided = new FirstFacts<UndecidedRefusal & { readonly at: number }>(2000);
  /** Number of calls, how many connections closed before the response, and the announced maximum of requests per connection. */
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

  /** Returns the counts as plain data, with digests instead of fingerprints and assumptions. */
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
    this.kinds.markRepeated(repeated);
  }

  /** All facts about refused and failed requests. Call it once: it drops requests whose refusal is permitted. */
  facts(): AcceptanceFacts {
    this.sent.sortAndShrink();
    const refusedRows = new Map<string, readonly RequestRow[]>();
    const unprovenRows = new Map<string, readonly RequestRow[]>();
    const denied = this.keys.takeRevoked(this.sent);
    for (const [subject, kinds] of this.kinds.bySubject()) {
      for (const kind of kinds) {
        this.#dropJustified(kind, 'choice', (exchange) => this.isPermitted(exchange));
        this.#dropJustified(kind, 'permission', (exchange) => denied.refused.has(exchange));
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
      unanswered: [...this.unanswered.allBut(this.sent), ...denied.unanswered].filter(
        ({ assumes, closed, isClosedEachTime }) =>
          areProven(assumes) &&
          (isClosedEachTime === true || !(closed !== undefined && explainClosings(this.#connections))),
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

  #dropJustified(kind: RefusedKind, why: OpenPoint, isJustified: (exchange: string) => boolean): void {
    const due = kind.exchanges.filter(({ exchange }) => !isJustified(exchange));
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

function singleRefusal(exchange: RefusedExchange): RefusalCount {
  return { at: exchange.at, refused: 1, forbidden: Number(exchange.isForbidden), exchanges: [exchange] };
}

class RefusedKinds {
  readonly #kinds = new Map<string, Map<string, RefusedKind>>();
  #count = 0;
  #named = 0;

  add(name: KindName, exchange: RefusedExchange): RefusedKind | null {
    const kind = this.#kindOf(name, exchange.at);
    if (kind !== null) this.#fill(kind, singleRefusal(exchange));
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
      .map(([subject, kinds]) => {
        const refused = [...kinds.values()].filter((kind) => kind.refused > 0);
        return [subject, refused.sort((a, b) => firstAt(a) - firstAt(b))] as const;
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
      if (kind !== null) this.#fill(kind, one);
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
    this.withdraw(kind, exchange.exchange);
    this.#named -= 1;
    this.#fill(target, singleRefusal(exchange));
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

function firstAt(kind: RefusedKind | undefined): number {
  return kind?.exchanges[0]?.at ?? kind?.at ?? 0;
}

/** The features that a request has if an equal one was sent before. */
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

/** Whether the announced maximum of requests per connection explains all closed connections. */
function explainClosings({ calls, closed, most }: Readonly<Connections>): boolean {
  return most !== null && closed <= Math.ceil(calls / most);
}

// Valid requests of scenarios that never got a meaningful response: only 5xx, overload, or nothing. Other traffic
// contains such requests now and then; a scenario sends a request only for its response.

/** Maximum number of requests kept; the oldest is dropped first. One is enough for a verdict. */
const MOST_UNANSWERED = 1000;

/** Maximum number of exchanges kept for equal requests whose connection closed. */
const MOST_CLOSED = 20;

/** Requests without a meaningful response, until an equal one is accepted. Memory is bounded. */
class UnansweredRequests {
  readonly #open = new LruMap<UnansweredRequest>(MOST_UNANSWERED);

  /** Keeps the first of equal requests, and whether the connection closes each time. */
  add(fingerprint: string, call: Call, { subject, assumes, features }: ExpectedRequest): void {
    const why = reasonOf(call);
    if (why === null) return;
    const known = this.#open.get(fingerprint);
    if (known !== undefined) {
      const { isClosedEachTime: _, ...others } = known;
      const isAgain = known.closed !== undefined && isClosedAlone(call.exchange);
      const exchanges = [...(known.closed?.exchanges ?? []), call.exchange.id].slice(0, MOST_CLOSED);
      this.#open.set(
        fingerprint,
        isAgain ? { ...known, isClosedEachTime: true, closed: { features, exchanges } } : others,
      );
      return;
    }
    this.#open.set(fingerprint, {
      subject,
      assumes,
      exchange: call.exchange.id,
      status: call.status,
      why,
      ...(isClosed(call.exchange) && { closed: { features, exchanges: [call.exchange.id] } }),
    });
  }

  /** Forgets that the connection closed, because an equal request was refused; the request stays unanswered. */
  refuse(fingerprint: string): void {
    const known = this.#open.get(fingerprint);
    if (known === undefined) return;
    const { closed: _, isClosedEachTime: __, ...others } = known;
    this.#open.set(fingerprint, others);
  }

  /** Removes the request: an equal one was answered. */
  settle(fingerprint: string): void {
    this.#open.delete(fingerprint);
  }

  /** Returns the requests without an equal that `sent` has as accepted, sorted by exchange number. */
  allBut(sent: Pick<SentRequests, 'wasAccepted'>): readonly UnansweredRequest[] {
    return [...this.#open.entries()]
      .flatMap(([fingerprint, request]) => (sent.wasAccepted(fingerprint) ? [] : [request]))
      .toSorted((a, b) => numberOf(a.exchange) - numberOf(b.exchange));
  }

  /** Returns the requests with digests of their fingerprints and assumptions. */
  part(): readonly (readonly [fingerprint: string, request: UnansweredRequest])[] {
    return [...this.#open.entries()].map(([fingerprint, request]) => [
      digestOf(fingerprint),
      { ...request, assumes: request.assumes.map(digestOf) },
    ]);
  }

  /** Adds requests of another part; keeps the one with the lowest exchange number among equal requests. */
  absorb(part: ReturnType<UnansweredRequests['part']>): void {
    for (const [fingerprint, request] of part) {
      const known = this.#open.get(fingerprint);
      if (known === undefined || numberOf(request.exchange) < numberOf(known.exchange))
        this.#open.set(fingerprint, request);
    }
  }
}

interface ExpectedRequest extends Pick<UnansweredRequest, 'subject' | 'assumes'> {
  readonly features: readonly string[];
}

/** Why a response shows nothing; null if it is meaningful, or if the scenario aborted the request. */
export function reasonOf(call: Call): UnansweredRequest['why'] | null {
  const { exchange, responseClass } = call;
  const { scenario, end } = exchange;
  if (scenario === null || end.how === 'client-abort' || end.how === 'recorder-killed') return null;
  switch (responseClass) {
    case 'failed':
      return undecidedReason(call) ?? 'target-error';
    case 'capacity':
      return 'capacity';
    case 'unanswered':
      return 'protocol';
    default:
      return undecidedReason(call);
  }
}

/** Returns the request with digests of its fingerprint, assumptions and control. */
function failedWithDigests({ assumes, fingerprint, probe, ...facts }: FailedRequest): FailedRequest {
  const control = probe?.control ?? null;
  return {
    ...facts,
    probe: probe && { ...probe, control: control && digestOf(control) },
    assumes: assumes?.map(digestOf) ?? null,
    fingerprint: digestOf(fingerprint),
  };
}

/** Statuses that concern the account or its limits. */
const ACCOUNT_STATUSES: readonly (number | null)[] = [402, 413];

/** Whether a request of a scenario got 429, 5xx or a timeout for a reason other than its model. */
export function isTargetFailure(call: Call): boolean {
  const { exchange, responseClass, status } = call;
  if (exchange.scenario === null || ACCOUNT_STATUSES.includes(status)) return false;
  if (responseClass === 'failed') return undecidedReason(call) === null;
  return responseClass === 'capacity';
}

/** Maximum number of denied requests kept. Beyond it, refusals may be attributed to the wrong cause. */
const MOST_DENIED = 20_000;

interface DeniedRequest {
  readonly key: string;
  readonly ordinal: number;
  readonly fingerprint: string;
  /** Number of other requests that were in flight. */
  readonly inFlight: number;
  /** Whether a scenario sent it. */
  readonly isOwn: boolean;
  readonly request: UnansweredRequest;
}

/** Requests denied after the last accepted one with the same key: the key was revoked. */
class RevokedKeys {
  readonly #accepted = new LruMap<number>();
  readonly #denied = new LruMap<DeniedRequest>(MOST_DENIED);

  /** Records that the key of this call was valid when the call began. */
  accept(call: Call): void {
    this.#acceptedAt(apiKeyOf(call), ordinal(call));
  }

  /** Returns the keys and requests with digests of keys, fingerprints and assumptions. */
  part() {
    const denied = [...this.#denied.entries()].map(([exchange, { key, fingerprint, request, ...facts }]) => {
      const assumes = request.assumes.map(digestOf);
      const digests = {
        key: digestOf(key),
        fingerprint: digestOf(fingerprint),
        request: { ...request, assumes },
      };
      return [exchange, { ...facts, ...digests }] as const;
    });
    const accepted = [...this.#accepted.entries()].map(([key, at]) => [digestOf(key), at] as const);
    return { accepted, denied };
  }

  /** Adds another part; the latest accepted exchange of each key counts. */
  absorb({ accepted, denied }: ReturnType<RevokedKeys['part']>): void {
    for (const [key, at] of accepted) this.#acceptedAt(key, at);
    for (const [exchange, request] of denied) this.#denied.set(exchange, request);
  }

  /** Keeps a call answered with 401, 403 or 407. `inFlight`: number of other requests then in flight. */
  deny(
    call: Call,
    inFlight: number,
    { subject, assumes }: Pick<UnansweredRequest, 'subject' | 'assumes'>,
  ): void {
    const { exchange, status } = call;
    const request = { subject, assumes, exchange: exchange.id, status, why: 'authentication' } as const;
    const isOwn = exchange.scenario !== null;
    this.#denied.set(exchange.id, {
      key: apiKeyOf(call),
      ordinal: ordinal(call),
      fingerprint: fingerprintOf(call),
      inFlight,
      isOwn,
      request,
    });
  }

  /** Drops the denied call with this exchange id: its refusal turned out to be justified. */
  withdraw(exchange: string): void {
    this.#denied.delete(exchange);
  }

  /**
   * `refused`: exchanges denied for a revoked key; `unanswered`: the requests of scenarios among them. Call it once,
   * at the end of the trace: it removes them from the counts in `sent`.
   */
  takeRevoked(sent: Pick<SentRequests, 'withdraw'>): {
    readonly refused: ReadonlySet<string>;
    readonly unanswered: readonly UnansweredRequest[];
  } {
    const found = [...this.#denied.entries()].filter(([, { key, ordinal: begun }]) => {
      const last = this.#accepted.get(key);
      return last !== undefined && begun > last;
    });
    for (const [exchange, { fingerprint, inFlight }] of found) sent.withdraw(fingerprint, exchange, inFlight);
    found.sort(([, a], [, b]) => a.ordinal - b.ordinal);
    return {
      refused: new Set(found.map(([exchange]) => exchange)),
      unanswered: found.flatMap(([, { request, isOwn }]) => (isOwn ? [request] : [])),
    };
  }

  #acceptedAt(key: string, at: number): void {
    this.#accepted.set(key, Math.max(at, this.#accepted.get(key) ?? 0));
  }
}

function apiKeyOf({ exchange }: Call): string {
  return firstHeader(exchange.request.headers, 'authorization') ?? '';
}
