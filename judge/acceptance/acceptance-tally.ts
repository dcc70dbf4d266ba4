import type { Exchange } from '../../exchange/exchange.ts';
import { remainingRequests } from '../../exchange/http/headers.ts';
import { addCount, getOrMake } from '../../schemas/maps.ts';
import {
  type AcceptanceFacts,
  type AcceptedTime,
  closesEachTime,
  type FailedRequest,
  type RequestRow,
  type UndecidedRefusal,
} from '../requirements/acceptance-facts.ts';
import type { Call } from '../trace/call.ts';
import { isClosed } from '../trace/closed-connection.ts';
import { FirstFacts } from '../trace/first-facts.ts';
import { LruMap } from '../trace/lru-map.ts';
import type { Timed } from '../trace/timed.ts';
import { undecidedReason } from '../trace/undecided-reason.ts';
import type { OpenPoint } from './expectation.ts';
import { digestOf } from './fingerprint.ts';
import { MAX_KEPT_REFUSALS, type RefusedKind, RefusedKinds, repeatedFeatures } from './refused-kinds.ts';
import { RevokedKeys } from './revoked-keys.ts';
import { SentRequests } from './sent-requests.ts';
import { UnansweredRequests } from './unanswered-requests.ts';

const MAX_FAILED = 5000;
const MAX_ACCEPTED_TIMES = 50_000;
const MAX_UNDECIDED = 2000;

export class AcceptanceTally {
  readonly refusedKinds = new RefusedKinds();
  readonly sent = new SentRequests();
  readonly unanswered = new UnansweredRequests();
  readonly failed = new FirstFacts<FailedRequest>(MAX_FAILED);
  /** Times of accepted requests of scenarios: they show whether the content of a request causes a failure. */
  readonly acceptedTimes = new FirstFacts<AcceptedTime>(MAX_ACCEPTED_TIMES);
  readonly revokedKeys = new RevokedKeys();
  readonly undecided = new FirstFacts<UndecidedRefusal & { readonly at: number }>(MAX_UNDECIDED);
  readonly #connections: Connections = { calls: 0, closed: 0, most: null };
  readonly #proven = new LruMap<true>();
  readonly #accepted = new Map<string, { times: number; at: number; by: number }>();
  readonly #openByReason = new Map<string, number>();
  readonly #permitted = new LruMap<true>(MAX_KEPT_REFUSALS);
  readonly #withoutPermission: string[] = [];

  prove(assumption: string): void {
    this.#proven.set(assumption, true);
  }

  accept(subject: string, times: number, { at, by }: Pick<Timed<unknown>, 'at' | 'by'>): void {
    const known = getOrMake(this.#accepted, subject, () => ({ times: 0, at, by }));
    known.times += times;
    known.at = Math.min(known.at, at);
    known.by = Math.min(known.by, by);
  }

  firstAccepted(subject: string): readonly Pick<Exchange, 'id'>[] {
    const known = this.#accepted.get(subject);
    return known === undefined ? [] : [{ id: `e${known.by}` }];
  }

  permit(exchange: string): void {
    this.#permitted.set(exchange, true);
  }

  isPermitted(exchange: string): boolean {
    return this.#permitted.get(exchange) === true;
  }

  countOpen(why: OpenPoint, times: number): void {
    addCount(this.#openByReason, why, times);
  }

  /** Counts a call of an operation, whatever its outcome, to compare closed connections with the announced limit. */
  countConnection({ exchange }: Call): void {
    const most = exchange.response === null ? null : remainingRequests(exchange.response.headers);
    this.#countConnections({ calls: 1, closed: Number(isClosed(exchange)), most });
  }

  part() {
    return {
      kinds: this.refusedKinds.part(),
      proven: [...this.#proven.entries()].map(([assumption]) => digestOf(assumption)),
      sent: this.sent.part(),
      unanswered: this.unanswered.part(),
      failed: { failed: this.failed.all.map(digestFailed), accepted: this.acceptedTimes.all },
      keys: this.revokedKeys.part(),
      connections: { ...this.#connections },
      accepted: [...this.#accepted].map(([subject, counted]) => ({ subject, ...counted })),
      open: [...this.#openByReason],
      undecided: this.undecided.all,
      permitted: [...this.#permitted.entries()].map(([exchange]) => exchange),
    };
  }

  /** Refusals that now repeat an earlier request get `context.repeated`. */
  absorb(part: ReturnType<AcceptanceTally['part']>): void {
    this.refusedKinds.absorb(part.kinds);
    for (const assumption of part.proven) this.prove(assumption);
    const repeated = new Set(this.sent.absorb(part.sent));
    this.unanswered.absorb(part.unanswered);
    this.failed.absorb(part.failed.failed);
    this.acceptedTimes.absorb(part.failed.accepted);
    this.revokedKeys.absorb(part.keys);
    this.#countConnections(part.connections);
    for (const { subject, times, ...first } of part.accepted) this.accept(subject, times, first);
    for (const [why, times] of part.open) addCount(this.#openByReason, why, times);
    this.undecided.absorb(part.undecided, (refusal) =>
      repeated.has(refusal.exchange) ? { ...refusal, features: repeatedFeatures(refusal.features) } : refusal,
    );
    for (const exchange of part.permitted) this.permit(exchange);
    this.refusedKinds.markRepeated(repeated);
  }

  /** Call it once: it drops requests whose refusal is permitted. */
  facts(): AcceptanceFacts {
    this.sent.sortAndShrink();
    const refusedRows = new Map<string, readonly RequestRow[]>();
    const unprovenRows = new Map<string, readonly RequestRow[]>();
    const denied = this.revokedKeys.withdrawRevoked(this.sent);
    for (const [subject, kinds] of this.refusedKinds.bySubject()) {
      for (const kind of kinds) {
        this.#dropJustified(kind, 'choice', (exchange) => this.isPermitted(exchange));
        this.#dropJustified(kind, 'permission', (exchange) => denied.refused.has(exchange));
      }
      const due = this.#selectDueKinds(kinds);
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
      open: Object.fromEntries(this.#openByReason),
      excused: [...this.#withoutPermission, ...[...this.#permitted.entries()].map(([exchange]) => exchange)],
      unanswered: [...this.unanswered.exceptAccepted(this.sent), ...denied.unanswered].filter(
        ({ assumes, closed }) =>
          areProven(assumes) &&
          (closed?.isOnly !== true || closesEachTime(closed) || !doesLimitExplain(this.#connections)),
      ),
      undecided: this.undecided.all,
      failed,
      acceptedTimes: this.acceptedTimes.all,
      lost: failed.filter(
        ({ isViolation, fingerprint }) => !isViolation && !this.sent.wasAccepted(fingerprint),
      ),
      acceptedRows: () => this.sent.listAccepted(),
      repeatedRows: () => this.sent.listRequests(),
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
    const dropped = kind.exchanges.filter(({ exchange }) => isJustified(exchange));
    if (dropped.length === 0) return;
    for (const refusal of dropped) this.refusedKinds.withdraw(kind, refusal);
    this.countOpen(why, dropped.length);
  }

  /** Selects none if all got 401, 403 or 407 and the subject accepted nothing: the permission may be missing. */
  #selectDueKinds(kinds: readonly RefusedKind[]): readonly RefusedKind[] {
    const due = kinds.filter(({ refused, assumes }) => refused > 0 && this.#areProven(assumes));
    const subject = due[0]?.subject;
    if (subject === undefined || due.some(({ forbidden, refused }) => forbidden < refused)) return due;
    if ((this.#accepted.get(subject)?.times ?? 0) > 0) return due;
    for (const { refused, exchanges } of due) {
      this.countOpen('permission', refused);
      this.#withoutPermission.push(...exchanges.map(({ exchange }) => exchange));
    }
    return [];
  }

  #areProven(assumes: readonly string[]): boolean {
    return assumes.every((assumption) => this.#proven.get(assumption));
  }
}

function requestRows(kinds: readonly RefusedKind[]): readonly RequestRow[] {
  return kinds.map(({ features, refused, exchanges }) => ({
    features,
    accepted: 0,
    refused,
    exchanges: exchanges.map(({ exchange }) => exchange),
  }));
}

/** The member names are part of the format of partial verdicts. */
interface Connections {
  calls: number;
  closed: number;
  /** The highest announced number of requests that a connection still takes; null if the target announces none. */
  most: number | null;
}

function doesLimitExplain({ calls, closed, most }: Readonly<Connections>): boolean {
  return most !== null && closed <= Math.ceil(calls / most);
}

function digestFailed({ assumes, fingerprint, probe, ...facts }: FailedRequest): FailedRequest {
  const control = probe?.control ?? null;
  return {
    ...facts,
    probe: probe && { ...probe, control: control && digestOf(control) },
    assumes: assumes?.map(digestOf) ?? null,
    fingerprint: digestOf(fingerprint),
  };
}

/** Whether a request of a scenario got 408, 429, no response in time, or a 5xx other than 501 that blames no model. */
export function isTargetFailure(call: Call): boolean {
  const { exchange, responseClass, status } = call;
  // A spent budget (402) is no failure of the target.
  if (exchange.scenario === null || status === 402) return false;
  if (responseClass === 'failed') return undecidedReason(call) === null;
  return responseClass === 'capacity';
}
