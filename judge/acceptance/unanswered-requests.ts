// Valid requests of scenarios without a response that shows whether they are accepted, such as those that got 5xx.
// They are not counted in other traffic, because a client may not need each response.
import type { UnansweredRequest } from '../requirements/acceptance-facts.ts';
import type { Call } from '../trace/call.ts';
import { isClosed, isClosedAlone } from '../trace/closed-connection.ts';
import { LruMap } from '../trace/lru-map.ts';
import { numberOf } from '../trace/timed.ts';
import { undecidedReason } from '../trace/undecided-reason.ts';
import { digestOf } from './fingerprint.ts';
import type { KindName } from './refused-kinds.ts';
import type { SentRequests } from './sent-requests.ts';

/** The least recently sent request is dropped first. One suffices for a verdict. */
const MAX_UNANSWERED = 1000;
const MAX_CLOSED = 20;

export class UnansweredRequests {
  readonly #unanswered = new LruMap<UnansweredRequest>(MAX_UNANSWERED);

  add(fingerprint: string, call: Call, { subject, assumes, features }: KindName): void {
    const why = unansweredReason(call);
    if (why === null) return;
    const { exchange, status } = call;
    const known = this.#unanswered.get(fingerprint);
    const { id } = exchange;
    const closed = {
      features,
      exchanges: [id],
      last: id,
      isLastAlone: isClosedAlone(exchange),
      isOnly: true,
    };
    const request: UnansweredRequest = {
      subject,
      assumes,
      exchange: id,
      status,
      why,
      ...(isClosed(exchange) && { closed }),
    };
    this.#unanswered.set(fingerprint, known === undefined ? request : joinEqual(known, request));
  }

  settle(fingerprint: string): void {
    this.#unanswered.delete(fingerprint);
  }

  /** Leaves out `closed` if an equal request was refused, because the connection then does not close each time. */
  exceptAccepted(sent: Pick<SentRequests, 'wasAccepted' | 'wasAnswered'>): readonly UnansweredRequest[] {
    return [...this.#unanswered.entries()]
      .filter(([fingerprint]) => !sent.wasAccepted(fingerprint))
      .map(([fingerprint, request]) => (sent.wasAnswered(fingerprint) ? withoutClosed(request) : request))
      .toSorted((a, b) => numberOf(a.exchange) - numberOf(b.exchange));
  }

  part(): readonly (readonly [fingerprint: string, request: UnansweredRequest])[] {
    return [...this.#unanswered.entries()].map(([fingerprint, request]) => [
      digestOf(fingerprint),
      { ...request, assumes: request.assumes.map(digestOf) },
    ]);
  }

  absorb(part: ReturnType<UnansweredRequests['part']>): void {
    for (const [fingerprint, request] of part) {
      const known = this.#unanswered.get(fingerprint);
      const inOrder = [...(known === undefined ? [] : [known]), request].toSorted(
        (a, b) => numberOf(a.exchange) - numberOf(b.exchange),
      );
      this.#unanswered.set(fingerprint, inOrder.reduce(joinEqual));
    }
  }
}

function withoutClosed({ closed: _, ...others }: UnansweredRequest): UnansweredRequest {
  return others;
}

/** The first of equal requests with the closed connections of both, whose exchanges may alternate. */
function joinEqual(first: UnansweredRequest, later: UnansweredRequest): UnansweredRequest {
  const [one, two] = [first.closed, later.closed];
  const closed = one ?? two;
  if (closed === undefined) return first;
  if (one === undefined || two === undefined) return { ...first, closed: { ...closed, isOnly: false } };
  const last = numberOf(one.last) > numberOf(two.last) ? one : two;
  const exchanges = [...one.exchanges, ...two.exchanges]
    .toSorted((a, b) => numberOf(a) - numberOf(b))
    .slice(0, MAX_CLOSED);
  return { ...first, closed: { ...last, exchanges, isOnly: one.isOnly && two.isOnly } };
}

/** Why a response shows nothing; null if it is meaningful, cut off by the scenario or recorder, or in other traffic. */
export function unansweredReason(call: Call): UnansweredRequest['why'] | null {
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
