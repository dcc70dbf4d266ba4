// What became of each request, kept in bounded memory until something is refused and needs an explanation.
import { firstHeader } from '../../../exchange/http/headers.ts';
import { isCarriedOut } from '../../probe/carried-out.ts';
import type { Call } from '../../trace/call.ts';
import { undecidedReason } from '../../trace/undecided-refusal.ts';
import type { RequestRow } from '../candidates.ts';
import { type AcceptedRequest, acceptedFeatures } from '../expectation.ts';
import { momentFeatures } from '../moments.ts';

/** Bytes that are kept of requests, estimated; 16 MiB are the bodies of about 10,000 requests of the suite. */
const BUDGET = 16 * 1024 * 1024;
/** Largest number of different requests that are kept one by one; older ones are counted by their features. */
const MOST = 10_000;
/** Kinds of accepted requests that are kept of one operation after their requests are dropped. */
const KINDS = 2000;
/** Bytes of an entry without its body and its key. */
const ENTRY_BYTES = 400;
/** Bytes of a parsed body for one byte of its text: measured with JSON bodies of the suite. */
const BYTES_PER_BYTE = 4;

/** The answers to equal requests in one moment. */
export interface Tally {
  /** Features of the moment, see `moments.ts`. */
  readonly moment: readonly string[];
  accepted: number;
  refused: number;
}

/** Equal requests. */
interface Sent {
  /** By moment: the lists of `moments.ts` are the same for all requests. */
  readonly tallies: Map<readonly string[], Tally>;
  /** Source of the features of the accepted ones; null where none may stand for the operation. */
  request: AcceptedRequest | null;
  bytes: number;
}

/** A kind of accepted requests whose requests were dropped. */
interface Kind {
  readonly features: readonly string[];
  accepted: number;
}

/**
 * Requests with what became of them. Equal requests share an entry. When the budget is spent, the features of the oldest
 * request are read and counted, and the request is dropped: it then no longer shows whether equal requests are treated
 * alike, and beyond 2,000 kinds of an operation it is not counted at all.
 */
export class SentRequests {
  readonly #budget: number;
  /** By the text that equal requests have in common. */
  readonly #sent = new Map<string, Sent>();
  readonly #dropped = new Map<string, Map<string, Kind>>();
  #bytes = 0;

  constructor(budget = BUDGET) {
    this.#budget = budget;
  }

  /** Estimated size of what is kept of requests, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The answers to a request that was sent beside so many others; it counts as sent from now on. */
  tally(letter: string, beside: number): Tally {
    const entry = this.#sent.get(letter);
    const moment = momentFeatures(entry === undefined ? 'first' : 'again', beside);
    const { tallies } = entry ?? this.#entry(letter);
    const known = tallies.get(moment);
    if (known !== undefined) return known;
    const tally = { moment, accepted: 0, refused: 0 };
    tallies.set(moment, tally);
    return tally;
  }

  /** Whether an equal request was accepted. */
  wasAccepted(letter: string): boolean {
    const { tallies } = this.#sent.get(letter) ?? {};
    return [...(tallies?.values() ?? [])].some(({ accepted }) => accepted > 0);
  }

  /** Keeps the request that was accepted, for its features. `size` is that of its body in bytes. */
  keep(letter: string, request: AcceptedRequest, size: number): void {
    const entry = this.#entry(letter);
    if (entry.request !== null) return;
    entry.request = request;
    const bytes = size * BYTES_PER_BYTE;
    entry.bytes += bytes;
    this.#bytes += bytes;
    this.#shrink(letter);
  }

  /** What was accepted, by operation and variant, a row for each kind of request in each moment. */
  accepted(): ReadonlyMap<string, readonly RequestRow[]> {
    const kinds = new Map([...this.#dropped].map(([subject, own]) => [subject, copyOf(own)] as const));
    for (const sent of this.#sent.values()) addKinds(kinds, sent, Number.POSITIVE_INFINITY);
    return new Map(
      [...kinds].map(([subject, own]) => [
        subject,
        [...own.values()].map((kind) => ({ ...kind, refused: 0, exchanges: [] })),
      ]),
    );
  }

  /** A row for each moment of each request, whose first feature stands for the request. */
  *repeats(): Generator<RequestRow> {
    for (const [letter, { tallies }] of this.#sent)
      for (const { moment, accepted, refused } of tallies.values())
        yield { features: [letter, ...moment], accepted, refused, exchanges: [] };
  }

  #entry(letter: string): Sent {
    const known = this.#sent.get(letter);
    if (known !== undefined) return known;
    const bytes = ENTRY_BYTES + letter.length;
    const entry: Sent = { tallies: new Map(), request: null, bytes };
    this.#sent.set(letter, entry);
    this.#bytes += bytes;
    this.#shrink(letter);
    return entry;
  }

  /** Drops the oldest requests, but not the one that is being added. */
  #shrink(added: string): void {
    for (const [letter, sent] of this.#sent) {
      if ((this.#bytes <= this.#budget && this.#sent.size <= MOST) || letter === added) return;
      this.#sent.delete(letter);
      this.#bytes -= sent.bytes;
      addKinds(this.#dropped, sent, KINDS);
    }
  }
}

function addKinds(to: Map<string, Map<string, Kind>>, { request, tallies }: Sent, most: number): void {
  const own = request === null ? null : acceptedFeatures(request);
  if (request === null || own === null) return;
  const kinds = to.get(request.subject) ?? new Map<string, Kind>();
  to.set(request.subject, kinds);
  for (const { moment, accepted } of tallies.values()) {
    if (accepted === 0) continue;
    const features = [...own, ...moment].toSorted();
    const key = features.join(' ');
    const known = kinds.get(key);
    if (known !== undefined) known.accepted += accepted;
    else if (kinds.size < most) kinds.set(key, { features, accepted });
  }
}

function copyOf(kinds: ReadonlyMap<string, Kind>): Map<string, Kind> {
  return new Map([...kinds].map(([key, kind]) => [key, { ...kind }]));
}

/** The same for requests that are equal to the letter, credentials included. */
export function letterOf({ exchange: { request } }: Call): string {
  const key = firstHeader(request.headers, 'authorization') ?? '';
  const body = request.body.size === 0 ? '' : request.body.sha256;
  return `${request.method} ${request.target} ${body} ${key}`;
}

/** Null where the answer says nothing of the request: no answer, a 2xx without its content, a lack of capacity, an error of the target, a
 * refusal that does not speak of the request. */
export function outcomeOf(call: Call): 'accepted' | 'refused' | null {
  switch (call.responseClass) {
    case 'accepted':
      return isCarriedOut(call) ? 'accepted' : null;
    case 'rejected':
    case 'absent':
    case 'refused':
      return undecidedReason(call) === null ? 'refused' : null;
    default:
      return null;
  }
}

/** From 1, in the order in which exchanges began. */
export function ordinal({ exchange }: Call): number {
  return Number(exchange.id.slice(1));
}
