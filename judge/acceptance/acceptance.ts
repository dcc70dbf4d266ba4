import type { Exchange } from '../../exchange/exchange.ts';
import type { TraceHeader } from '../../exchange/trace.ts';
import { LruMap } from '../evidence/lru-map.ts';
import { subjectOf } from '../probe/constraints.ts';
import type { Call } from '../trace/call.ts';
import type { OutsideCall } from '../trace/outside-call.ts';
import type { AcceptanceVerdict } from './acceptance-verdict.ts';
import type { RequestRow } from './candidates.ts';
import { type Diagnosis, diagnose, refusesAll, type UndecidedRefusal, withUndecided } from './diagnosis.ts';
import { acceptedRequest, assumptions, type Expectation, expectationOf } from './expectation.ts';
import { shareOf } from './explain.ts';
import { disturbedBy, KnownObjects, modifiedBy } from './known-state/objects.ts';
import type { OpenPoint } from './open-points.ts';
import { letterOf, ordinal, outcomeOf, SentRequests, type Tally } from './sent/sent-requests.ts';
import { reasonOf, UnansweredRequests } from './sent/unanswered.ts';
import { WithdrawnKeys } from './sent/withdrawn-keys.ts';

/** Kinds of refused requests that are kept, of one operation and of all; of further ones nothing is learned. */
const KINDS = { ofOne: 2000, ofAll: 10_000 } as const;
/** Refused exchanges whose ids are kept. */
const NAMED = 20_000;
/** Refusals of requests that need not be accepted, which are kept. */
const UNDECIDED = 2000;
/** Refusals of which a later call may still show that they were in order. */
const PENDING = 1000;

/** Refused requests of one operation that say the same under the same assumptions. */
interface Kind {
  readonly subject: string;
  readonly features: readonly string[];
  readonly assumes: readonly string[];
  readonly accepted: 0;
  refused: number;
  /** Of the refused ones, those that were answered 401, 403 or 407. */
  forbidden: number;
  exchanges: string[];
}

/** A refusal that an overlapping call may explain. */
interface Refusal {
  readonly kind: Kind;
  readonly exchange: string;
  readonly ended: number;
  /** Objects that the request names: those of its path in their order, then those of its body. */
  readonly ids: readonly string[];
  readonly tally: Tally;
}

/**
 * Collects, call by call in the order in which they ended, what became of requests that keep the specification, in memory
 * that does not grow with the trace, and explains what was refused.
 */
export class Acceptance {
  readonly #header: Pick<TraceHeader, 'models'>;
  #objects = new KnownObjects();
  readonly #kinds = new Map<string, Map<string, Kind>>();
  #kindsInAll = 0;
  #named = 0;
  /** What requests of this trace have shown to be good. */
  readonly #proven = new LruMap<true>();
  readonly #sent = new SentRequests();
  readonly #unanswered = new UnansweredRequests();
  readonly #keys = new WithdrawnKeys();
  /** Valid requests that were answered with 2xx, by operation and variant. */
  readonly #accepted = new Map<string, number>();
  readonly #refusals = new LruMap<Refusal>(PENDING);
  readonly #open = new Map<string, number>();
  readonly #undecided: UndecidedRefusal[] = [];
  /** Exchanges whose refusal a choice permits. */
  readonly #permitted = new LruMap<true>(NAMED);
  /** Exchanges of operations that the account has no right to call. */
  readonly #denied: string[] = [];
  /** Of the exchanges before this trace: ids count on. */
  #before = 0;
  #last = 0;

  constructor(header: Pick<TraceHeader, 'models'>) {
    this.#header = header;
  }

  call(call: Call): void {
    const outcome = outcomeOf(call);
    if (outcome === 'accepted' && call.knowsRequest) this.#accept(call);
    else if (outcome === 'refused' && call.knowsRequest) this.#refuse(call);
    else if (outcome === 'refused') this.#leaveOpen('unreadable', 1);
    else if (call.knowsRequest && reasonOf(call) !== null) this.#await(call);
    const changed = disturbedBy(call) ?? modifiedBy(call);
    if (changed !== null) this.#withdraw([changed], call.exchange);
    this.#objects.call(call);
    this.#last = Math.max(this.#last, ordinal(call));
  }

  /** A call outside the specification: what it names may be gone or busy. */
  outside(call: OutsideCall): void {
    this.#withdraw([call.target, ...call.owners], call.exchange);
    this.#objects.outside(call);
  }

  /** A choice permits that this exchange was refused, so that no 2xx is due. May come before or after its call. */
  permit(exchange: string): void {
    this.#permitted.set(exchange, true);
  }

  /** What follows is of another trace: nothing so far came before or after it. */
  next(): void {
    this.#objects = new KnownObjects();
    this.#before = this.#last;
  }

  /** Explains what was refused. To be called once. */
  finish(): AcceptanceVerdict {
    const rows = new Map<string, readonly RequestRow[]>();
    const unproven = new Map<string, readonly RequestRow[]>();
    const withdrawn = this.#keys.take();
    for (const [subject, kinds] of this.#kinds) {
      for (const kind of kinds.values()) {
        this.#drop(kind, 'choice', (exchange) => this.#permitted.get(exchange) === true);
        this.#drop(kind, 'permission', (exchange) => withdrawn.refused.has(exchange));
      }
      const due = this.#due([...kinds.values()]);
      if (due.length > 0) rows.set(subject, due);
      else if (!this.#accepted.has(subject)) unproven.set(subject, this.#answered([...kinds.values()]));
    }
    const refused = new Map([...rows].map(([subject, kinds]) => [subject, shareOf(kinds).refused] as const));
    const diagnoses = [
      ...this.#diagnosed(rows),
      ...refusesAll(unproven, this.#accepted.size === 0 ? 'target' : 'operations'),
    ];
    return {
      diagnoses: diagnoses.map((one) => withUndecided(one, this.#undecided)),
      accepted: this.#accepted,
      refused,
      open: Object.fromEntries(this.#open),
      unanswered: [...this.#unanswered.all, ...withdrawn.unanswered].filter(({ assumes }) =>
        this.#areProven(assumes),
      ),
      excused: [...this.#denied, ...[...this.#permitted.entries()].map(([exchange]) => exchange)],
    };
  }

  /** Some choices, and the end of a key, are known only at the end of the trace. */
  #drop(kind: Kind, why: OpenPoint, isInOrder: (exchange: string) => boolean): void {
    const due = kind.exchanges.filter((exchange) => !isInOrder(exchange));
    const dropped = kind.exchanges.length - due.length;
    if (dropped === 0) return;
    kind.refused -= dropped;
    kind.forbidden = Math.min(kind.forbidden - (why === 'permission' ? dropped : 0), kind.refused);
    kind.exchanges = due;
    this.#leaveOpen(why, dropped);
  }

  /** Explains refusals of requests that had to be accepted. */
  #diagnosed(rows: ReadonlyMap<string, readonly RequestRow[]>): readonly Diagnosis[] {
    if (rows.size === 0) return [];
    const all = new Map(rows);
    for (const [subject, accepted] of this.#sent.accepted())
      all.set(subject, [...(rows.get(subject) ?? []), ...accepted]);
    return diagnose(all, [...this.#sent.repeats()]);
  }

  /** Refusals of requests of which the trace shows that a 2xx was due. An account may lack the right to call an operation. */
  #due(kinds: readonly Kind[]): readonly RequestRow[] {
    const due = kinds.filter(({ refused, assumes }) => refused > 0 && this.#areProven(assumes));
    const subject = due[0]?.subject;
    if (subject === undefined || due.some(({ forbidden, refused }) => forbidden < refused)) return due;
    if ((this.#accepted.get(subject) ?? 0) > 0) return due;
    for (const { refused, exchanges } of due) {
      this.#leaveOpen('permission', refused);
      this.#denied.push(...exchanges);
    }
    return [];
  }

  /** Refusals that are not a matter of rights. */
  #answered(kinds: readonly Kind[]): readonly RequestRow[] {
    return kinds.filter(({ forbidden, refused }) => forbidden < refused);
  }

  #accept(call: Call): void {
    this.#keys.accept(call);
    for (const one of assumptions(call, this.#objects) ?? []) this.#proven.set(one, true);
    const letter = letterOf(call);
    this.#sent.tally(letter, this.#beside(call)).accepted += 1;
    this.#unanswered.settle(letter);
    const request = acceptedRequest(call);
    if (request === null) return;
    this.#accepted.set(request.subject, (this.#accepted.get(request.subject) ?? 0) + 1);
    this.#sent.keep(letter, request, call.exchange.request.body.size);
  }

  /** A request whose answer shows nothing; an equal one may still be answered. */
  #await(call: Call): void {
    const { operation, variant } = call;
    const letter = letterOf(call);
    if (variant === null || this.#sent.wasAccepted(letter)) return;
    const expectation = this.#expectationOf(call);
    if (expectation.kind !== 'due') return;
    this.#unanswered.add(letter, call, {
      subject: subjectOf(operation, variant),
      assumes: expectation.assumes,
    });
  }

  /** Whether other requests have shown all of this to be good. */
  #areProven(assumes: readonly string[]): boolean {
    return assumes.every((one) => this.#proven.get(one));
  }

  #refuse(call: Call): void {
    const tally = this.#sent.tally(letterOf(call), this.#beside(call));
    const expectation = this.#expectationOf(call);
    if (expectation.kind === 'due') this.#count(call, expectation, tally);
    if (expectation.kind !== 'open') return;
    this.#leaveOpen(expectation.why, 1);
    this.#keepUndecided(call, [...expectation.features, ...tally.moment]);
  }

  /** A refusal that a choice permits, or the dialect, is in order, whatever the request says. */
  #expectationOf(call: Call): Expectation {
    const expectation = expectationOf(call, this.#header, this.#objects);
    if (expectation.kind !== 'due') return expectation;
    const { features } = expectation;
    if (this.#permitted.get(call.exchange.id) === true) return { kind: 'open', why: 'choice', features };
    return call.permittedRefusal === null ? expectation : { kind: 'open', why: 'dialect', features };
  }

  /** Other requirements may fail by a refusal that is in order here. */
  #keepUndecided({ operation, variant, exchange }: Call, features: readonly string[]): void {
    if (variant === null || this.#undecided.length >= UNDECIDED) return;
    this.#undecided.push({ subject: subjectOf(operation, variant), features, exchange: exchange.id });
  }

  #leaveOpen(why: OpenPoint, times: number): void {
    this.#open.set(why, (this.#open.get(why) ?? 0) + times);
  }

  /** Counts a refusal that needs a reason. */
  #count(call: Call, expectation: Extract<Expectation, { readonly kind: 'due' }>, tally: Tally): void {
    const { operation, variant, exchange } = call;
    if (variant === null) return;
    const { features, assumes, names } = expectation;
    tally.refused += 1;
    const kind = this.#kindOf(
      subjectOf(operation, variant),
      [...features, ...tally.moment].toSorted(),
      assumes,
    );
    if (kind === null) return;
    kind.refused += 1;
    if (call.responseClass === 'refused') {
      kind.forbidden += 1;
      this.#keys.deny(call, tally, kind);
    }
    if (this.#named < NAMED) {
      this.#named += 1;
      kind.exchanges.push(exchange.id);
    }
    const ids = [...Object.values(call.path), ...names];
    if (ids.length > 0)
      this.#refusals.set(exchange.id, { kind, exchange: exchange.id, ended: exchange.ended, ids, tally });
  }

  /** Null where so many kinds are kept already that nothing is learned of another. */
  #kindOf(subject: string, features: readonly string[], assumes: readonly string[]): Kind | null {
    const kinds = this.#kinds.get(subject) ?? new Map<string, Kind>();
    this.#kinds.set(subject, kinds);
    const key = JSON.stringify([features, assumes]);
    const known = kinds.get(key);
    if (known !== undefined) return known;
    if (kinds.size >= KINDS.ofOne || this.#kindsInAll >= KINDS.ofAll) return null;
    this.#kindsInAll += 1;
    const kind: Kind = { subject, features, assumes, accepted: 0, refused: 0, forbidden: 0, exchanges: [] };
    kinds.set(key, kind);
    return kind;
  }

  /** How many other requests had begun before a call and had not ended then. */
  #beside(call: Call): number {
    return ordinal(call) - this.#before - 1 - call.exchange.after;
  }

  /** A refusal is in order where a call that overlapped it may have changed an object that it names. */
  #withdraw(changed: readonly string[], by: Exchange): void {
    if (this.#refusals.size === 0) return;
    for (const [key, { kind, exchange, ended, ids, tally }] of [...this.#refusals.entries()]) {
      if (exchange === by.id || !ids.some((id) => changed.includes(id)) || by.after >= ended) continue;
      kind.refused -= 1;
      tally.refused -= 1;
      kind.exchanges = kind.exchanges.filter((one) => one !== exchange);
      this.#refusals.delete(key);
    }
  }
}
