// Valid requests of scenarios that a target never answered: with a 5xx, for lack of capacity, or not at all.
// Traffic of others shows such answers now and then; a scenario sends a request to see its answer.
import { LruMap } from '../../evidence/lru-map.ts';
import { numberOf } from '../../partial/earliest.ts';
import type { Violation } from '../../requirements/requirement.ts';
import type { Call } from '../../trace/call.ts';
import { undecidedReason } from '../../trace/undecided-refusal.ts';
import { digestOf } from './sent-part.ts';
import type { SentRequests } from './sent-requests.ts';

/** So many requests are kept, the oldest dropped: each of them is reason enough. */
const KEPT = 1000;

/** A request for which a 2xx was due and whose answer shows nothing of it. */
export interface UnansweredRequest {
  /** Operation and variant. */
  readonly subject: string;
  /** Facts that other requests have to show, as in an expectation. */
  readonly assumes: readonly string[];
  /** Id of the first exchange with it. */
  readonly exchange: string;
  /** Null where no status line arrived. */
  readonly status: number | null;
  /** The kind of answer, as a reason for an inconclusive verdict. */
  readonly why: NonNullable<Violation['inconclusive']>;
}

/** Requests whose answers show nothing, until an equal one is accepted. In bounded memory. */
export class UnansweredRequests {
  /** By the text that equal requests have in common. */
  readonly #open = new LruMap<UnansweredRequest>(KEPT);

  /** Keeps the first of equal requests. */
  add(
    fingerprint: string,
    call: Call,
    { subject, assumes }: Pick<UnansweredRequest, 'subject' | 'assumes'>,
  ): void {
    const why = reasonOf(call);
    if (why === null || this.#open.get(fingerprint) !== undefined) return;
    this.#open.set(fingerprint, { subject, assumes, exchange: call.exchange.id, status: call.status, why });
  }

  /** An equal request was answered. */
  settle(fingerprint: string): void {
    this.#open.delete(fingerprint);
  }

  /** The same without those of which another part of the traffic shows that they were accepted, in the order of their numbers. */
  allBut(sent: Pick<SentRequests, 'wasAccepted'>): readonly UnansweredRequest[] {
    return [...this.#open.entries()]
      .flatMap(([fingerprint, request]) => (sent.wasAccepted(fingerprint) ? [] : [request]))
      .toSorted((a, b) => numberOf(a.exchange) - numberOf(b.exchange));
  }

  /** The content of a partial verdict. */
  part(): readonly (readonly [fingerprint: string, request: UnansweredRequest])[] {
    return [...this.#open.entries()].map(([fingerprint, request]) => [
      digestOf(fingerprint),
      { ...request, assumes: request.assumes.map(digestOf) },
    ]);
  }

  /** Adds those of another part of the traffic; of equal requests the first is kept. */
  absorb(part: readonly (readonly [fingerprint: string, request: UnansweredRequest])[]): void {
    for (const [fingerprint, request] of part) {
      const known = this.#open.get(fingerprint);
      if (known === undefined || numberOf(request.exchange) < numberOf(known.exchange))
        this.#open.set(fingerprint, request);
    }
  }
}

/** Why an answer shows nothing; null where the scenario itself broke off, or the answer says something. */
export function reasonOf(call: Call): UnansweredRequest['why'] | null {
  const { exchange, responseClass } = call;
  const { scenario, end } = exchange;
  if (scenario === null || end.how === 'client-abort' || end.how === 'recorder-killed') return null;
  switch (responseClass) {
    case 'failed':
      return 'target-error';
    case 'capacity':
      return 'capacity';
    case 'unanswered':
      return 'protocol';
    default:
      return undecidedReason(call);
  }
}
