import { firstHeader } from '../../exchange/http/headers.ts';
import type { TraceHeader } from '../../exchange/trace.ts';
import type { Call } from '../trace/call.ts';
import { LruMap } from '../evidence/lru-map.ts';
import { subjectOf } from '../probe/constraints.ts';
import { type Diagnosis, diagnose } from './diagnosis.ts';
import { assumptions, type Expectation, expectationOf } from './expectation.ts';
import type { Row } from './explain.ts';
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
  accepted: number;
  refused: number;
  exchanges: string[];
}

/** What became of a request in one moment. */
interface Tally {
  readonly moment: readonly string[];
  accepted: number;
  refused: number;
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

/** What is known of the answers to requests that keep the specification, and what is not known of how many. */
export interface AcceptanceVerdict {
  readonly diagnoses: readonly Diagnosis[];
  /** Requests for which a 2xx was due, and how many of them were refused. */
  readonly due: number;
  readonly refused: number;
  /** Requests for which the trace does not tell whether a 2xx is due, by the reason. */
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
  readonly #sent = new LruMap<Map<string, Tally>>();
  readonly #refusals = new LruMap<Refusal>(PENDING);
  readonly #open = new Map<string, number>();
  /** Of the exchanges before this trace: ids count on. */
  #before = 0;
  #last = 0;

  constructor(header: Pick<TraceHeader, 'models'>) {
    this.#header = header;
  }

  call(call: Call): void {
    const expectation = expectationOf(call, this.#header, this.#objects);
    const outcome = outcomeOf(call);
    const moment = [...this.#moment(call)];
    if (outcome === 'accepted') for (const one of assumptions(call)) this.#proven.set(one, true);
    if (expectation.kind === 'due' && outcome !== null) this.#count(call, expectation, outcome, moment);
    if (expectation.kind === 'open')
      this.#open.set(expectation.why, (this.#open.get(expectation.why) ?? 0) + 1);
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
    const rows = new Map<string, readonly Row[]>();
    const sum = { due: 0, refused: 0 };
    for (const [subject, kinds] of this.#kinds) {
      const known = [...kinds.values()].filter(
        ({ accepted, refused, assumes }) =>
          accepted + refused > 0 && assumes.every((one) => this.#proven.get(one)),
      );
      rows.set(subject, known);
      for (const kind of known) {
        sum.due += kind.accepted + kind.refused;
        sum.refused += kind.refused;
      }
    }
    return {
      diagnoses: diagnose(rows, [...this.#repeats()]),
      ...sum,
      open: Object.fromEntries(this.#open),
    };
  }

  #count(
    call: Call,
    { features: own, assumes, names }: Extract<Expectation, { readonly kind: 'due' }>,
    outcome: 'accepted' | 'refused',
    moment: readonly string[],
  ): void {
    const { operation, variant, exchange } = call;
    if (variant === null) return;
    const subject = subjectOf(operation, variant);
    const tally = this.#tallied(letterOf(call), moment);
    tally[outcome] += 1;
    const features = [...own, ...moment].toSorted();
    const kinds = this.#kinds.get(subject) ?? new Map<string, Kind>();
    this.#kinds.set(subject, kinds);
    const key = JSON.stringify([features, assumes]);
    const kind = kinds.get(key) ?? { subject, features, assumes, accepted: 0, refused: 0, exchanges: [] };
    if (!kinds.has(key) && kinds.size >= ROWS) return;
    kinds.set(key, kind);
    kind[outcome] += 1;
    if (outcome === 'accepted') return;
    if (kind.exchanges.length < NAMED) kind.exchanges.push(exchange.id);
    const ids = [...Object.values(call.path), ...names];
    if (ids.length > 0)
      this.#refusals.set(exchange.id, { kind, exchange: exchange.id, ended: exchange.ended, ids, tally });
  }

  /** Under which circumstances a request was sent: again, and beside how many others. */
  *#moment(call: Call): Generator<string> {
    const letter = letterOf(call);
    if (this.#sent.get(letter) !== undefined) yield 'context.repeated';
    this.#sent.at(letter, () => new Map());
    const beside = ordinal(call) - this.#before - 1 - call.exchange.after;
    for (const load of LOADS) if (beside >= load) yield `context.beside>=${load}`;
  }

  #tallied(letter: string, moment: readonly string[]): Tally {
    const moments = this.#sent.at(letter, () => new Map());
    const tally = moments.get(moment.join(' ')) ?? { moment, accepted: 0, refused: 0 };
    moments.set(moment.join(' '), tally);
    return tally;
  }

  /** A row for each moment of each request. */
  *#repeats(): Generator<Row> {
    for (const [letter, moments] of this.#sent.entries())
      for (const { moment, accepted, refused } of moments.values())
        yield { features: [letter, ...moment], accepted, refused, exchanges: [] };
  }

  /** A refusal is in order where a call that overlapped it may have changed an object that it names. */
  #withdraw(call: Call): void {
    const changed = disturbedBy(call) ?? modifiedBy(call);
    if (changed === null) return;
    for (const [key, { kind, exchange, ended, ids, tally }] of [...this.#refusals.entries()]) {
      if (!ids.includes(changed) || call.exchange.after >= ended) continue;
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
