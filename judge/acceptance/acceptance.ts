import { firstHeader } from '../../exchange/http/headers.ts';
import type { TraceHeader } from '../../exchange/trace.ts';
import { LruMap } from '../evidence/lru-map.ts';
import { subjectOf } from '../probe/constraints.ts';
import type { Call } from '../trace/call.ts';
import { type Diagnosis, diagnose } from './diagnosis.ts';
import {
  type AcceptedRequest,
  acceptedFeatures,
  acceptedRequest,
  assumptions,
  type Expectation,
  expectationOf,
  type OpenPoint,
} from './expectation.ts';
import { type Row, shareOf } from './explain.ts';
import { disturbedBy, KnownObjects, modifiedBy } from './objects.ts';

/** Kinds of requests that are kept of one operation; of further ones nothing is learned. */
const ROWS = 2000;
/** Refused exchanges that are named of one kind of request. */
const NAMED = 20;
/** Refusals of which a later call may still show that they were in order. */
const PENDING = 1000;
/** Requests at the same time that count as load. */
const LOADS = [1, 4, 8] as const;

/** Requests of one operation that say the same under the same assumptions. */
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

/** The answers to equal requests in one moment. */
interface Tally {
  readonly moment: readonly string[];
  accepted: number;
  refused: number;
}

/** Equal requests. */
interface Sent {
  readonly moments: Map<string, Tally>;
  /** What the features of the accepted ones are read from, once they are needed; null where none is kept. */
  request: AcceptedRequest | null;
  /** Of `moments`, the accepted ones that may stand for the operation. */
  readonly accepted: Map<string, Tally>;
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

/** What the answers of a trace show about valid requests, and what they leave open. */
export interface AcceptanceVerdict {
  readonly diagnoses: readonly Diagnosis[];
  /** Requests that were answered with 2xx, by operation and variant; no request that is labelled as a violation. */
  readonly accepted: ReadonlyMap<string, number>;
  /** Requests for which a 2xx was due and that were refused, by operation and variant. */
  readonly refused: ReadonlyMap<string, number>;
  /** Refused requests for which the trace does not show whether a 2xx was due, by the reason. */
  readonly open: Readonly<Record<string, number>>;
}

/**
 * Collects, call by call in the order in which they ended, what became of requests that keep the specification, in memory
 * that does not grow with the trace, and explains what was refused.
 */
export class Acceptance {
  readonly #header: Pick<TraceHeader, 'models'>;
  #objects = new KnownObjects();
  readonly #kinds = new Map<string, Map<string, Kind>>();
  /** What requests of this trace have shown to be good. */
  readonly #proven = new LruMap<true>();
  /** Requests that were sent, by what they say to the letter, and by the moment what became of them. */
  readonly #sent = new LruMap<Sent>();
  /** Valid requests that were answered with 2xx, by operation and variant. */
  readonly #accepted = new Map<string, number>();
  readonly #refusals = new LruMap<Refusal>(PENDING);
  readonly #open = new Map<string, number>();
  /** Of the exchanges before this trace: ids count on. */
  #before = 0;
  #last = 0;

  constructor(header: Pick<TraceHeader, 'models'>) {
    this.#header = header;
  }

  call(call: Call): void {
    const outcome = outcomeOf(call);
    if (outcome === 'accepted') this.#accept(call);
    else if (outcome === 'refused') this.#refuse(call);
    this.#withdraw(call);
    this.#objects.call(call);
    this.#last = Math.max(this.#last, ordinal(call));
  }

  /** What follows is of another trace: nothing so far came before or after it. */
  next(): void {
    this.#objects = new KnownObjects();
    this.#before = this.#last;
  }

  /** Explains what was refused. To be called once. */
  finish(): AcceptanceVerdict {
    const rows = new Map<string, Row[]>();
    for (const [subject, kinds] of this.#kinds) {
      const known = this.#known([...kinds.values()]);
      if (known.length > 0) rows.set(subject, known);
    }
    const refused = new Map([...rows].map(([subject, kinds]) => [subject, shareOf(kinds).refused] as const));
    if (rows.size > 0) this.#addAccepted(rows);
    return {
      diagnoses: rows.size === 0 ? [] : diagnose(rows, [...this.#repeats()]),
      accepted: this.#accepted,
      refused,
      open: Object.fromEntries(this.#open),
    };
  }

  /** Refusals of requests of which the trace shows that a 2xx was due. An account may lack the right to call an operation. */
  #known(kinds: readonly Kind[]): Row[] {
    const due = kinds.filter(
      ({ refused, assumes }) => refused > 0 && assumes.every((one) => this.#proven.get(one)),
    );
    const subject = due[0]?.subject;
    if (subject === undefined || due.some(({ forbidden, refused }) => forbidden < refused)) return due;
    if ((this.#accepted.get(subject) ?? 0) > 0) return due;
    for (const { refused } of due) this.#leaveOpen('permission', refused);
    return [];
  }

  /** What was accepted of the operations that refused anything, and of all others in its moment. */
  #addAccepted(rows: Map<string, Row[]>): void {
    for (const { request, accepted } of this.#sent.values()) {
      if (request === null) continue;
      const own = acceptedFeatures(request);
      if (own === null) continue;
      const known = rows.get(request.subject) ?? [];
      rows.set(request.subject, known);
      for (const { moment, accepted: times } of accepted.values())
        known.push({ features: [...own, ...moment].toSorted(), accepted: times, refused: 0, exchanges: [] });
    }
  }

  #accept(call: Call): void {
    for (const one of assumptions(call)) this.#proven.set(one, true);
    const request = acceptedRequest(call);
    const letter = letterOf(call);
    const moment = this.#moment(call, letter);
    const tally = this.#tallied(letter, moment);
    tally.accepted += 1;
    if (request === null) return;
    this.#accepted.set(request.subject, (this.#accepted.get(request.subject) ?? 0) + 1);
    const sent = this.#sentAs(letter);
    sent.request ??= request;
    sent.accepted.set(moment.join(' '), tally);
  }

  #refuse(call: Call): void {
    const expectation = expectationOf(call, this.#header, this.#objects);
    const letter = letterOf(call);
    const moment = this.#moment(call, letter);
    if (expectation.kind === 'due') this.#count(call, expectation, { letter, moment });
    else this.#sentAs(letter);
    if (expectation.kind === 'open') this.#leaveOpen(expectation.why, 1);
  }

  #leaveOpen(why: OpenPoint, times: number): void {
    this.#open.set(why, (this.#open.get(why) ?? 0) + times);
  }

  #count(
    call: Call,
    { features: own, assumes, names }: Extract<Expectation, { readonly kind: 'due' }>,
    { letter, moment }: { readonly letter: string; readonly moment: readonly string[] },
  ): void {
    const { operation, variant, exchange } = call;
    if (variant === null) return;
    const subject = subjectOf(operation, variant);
    const tally = this.#tallied(letter, moment);
    tally.refused += 1;
    const features = [...own, ...moment].toSorted();
    const kinds = this.#kinds.get(subject) ?? new Map<string, Kind>();
    this.#kinds.set(subject, kinds);
    const key = JSON.stringify([features, assumes]);
    if (!kinds.has(key) && kinds.size >= ROWS) return;
    const empty = { accepted: 0 as const, refused: 0, forbidden: 0, exchanges: [] };
    const kind = kinds.get(key) ?? { subject, features, assumes, ...empty };
    kinds.set(key, kind);
    kind.refused += 1;
    if (call.responseClass === 'refused') kind.forbidden += 1;
    if (kind.exchanges.length < NAMED) kind.exchanges.push(exchange.id);
    const ids = [...Object.values(call.path), ...names];
    if (ids.length > 0)
      this.#refusals.set(exchange.id, { kind, exchange: exchange.id, ended: exchange.ended, ids, tally });
  }

  /** The circumstances in which a request was sent: again, and beside how many others. */
  #moment(call: Call, letter: string): readonly string[] {
    const beside = ordinal(call) - this.#before - 1 - call.exchange.after;
    const repeated = this.#sent.get(letter) === undefined ? [] : ['context.repeated'];
    return [...repeated, ...LOADS.filter((load) => beside >= load).map((load) => `context.beside>=${load}`)];
  }

  #sentAs(letter: string): Sent {
    return this.#sent.at(letter, () => ({ moments: new Map(), request: null, accepted: new Map() }));
  }

  #tallied(letter: string, moment: readonly string[]): Tally {
    const { moments } = this.#sentAs(letter);
    const tally = moments.get(moment.join(' ')) ?? { moment, accepted: 0, refused: 0 };
    moments.set(moment.join(' '), tally);
    return tally;
  }

  /** A row for each moment of each request. */
  *#repeats(): Generator<Row> {
    for (const [letter, { moments }] of this.#sent.entries())
      for (const { moment, accepted, refused } of moments.values())
        yield { features: [letter, ...moment], accepted, refused, exchanges: [] };
  }

  /** A refusal is in order where a call that overlapped it may have changed an object that it names. */
  #withdraw(call: Call): void {
    const changed = disturbedBy(call) ?? modifiedBy(call);
    if (changed === null) return;
    for (const [key, { kind, exchange, ended, ids, tally }] of [...this.#refusals.entries()]) {
      if (exchange === call.exchange.id || !ids.includes(changed) || call.exchange.after >= ended) continue;
      kind.refused -= 1;
      tally.refused -= 1;
      kind.exchanges = kind.exchanges.filter((one) => one !== exchange);
      this.#refusals.delete(key);
    }
  }
}

/** The same for requests that are equal to the letter, credentials included. */
function letterOf({ exchange: { request } }: Call): string {
  const key = firstHeader(request.headers, 'authorization') ?? '';
  return `${request.method} ${request.target} ${request.body.sha256} ${key}`;
}

/** Null where the answer says nothing of the request: no answer, a lack of capacity, an error of the target. */
function outcomeOf(call: Call): 'accepted' | 'refused' | null {
  switch (call.responseClass) {
    case 'accepted':
      return 'accepted';
    case 'rejected':
    case 'absent':
    case 'refused':
      return 'refused';
    default:
      return null;
  }
}

/** From 1, in the order in which exchanges began. */
function ordinal({ exchange }: Call): number {
  return Number(exchange.id.slice(1));
}
