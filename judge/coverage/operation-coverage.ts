import { type ClaimedNames, claimsOperation } from '../../exchange/claims.ts';
import { contentCodings, decodedContent, jsonContent } from '../../exchange/http/content.ts';
import { isEventStream } from '../../exchange/http/event-stream.ts';
import { countedFamilies, operations } from '../../schemas/index.ts';
import { addCount, getOrMake } from '../../schemas/maps.ts';
import type { Call } from '../trace/call.ts';
import { arrayAt, textAt } from '../trace/json.ts';
import { LruMap } from '../trace/lru-map.ts';
import type { ResponseClass } from '../trace/response-class.ts';
import { earlier, earliestOf, numberOf, type Timed } from '../trace/timed.ts';
import type { Arrival } from '../verdict/cause.ts';
import type { OperationVerdict } from '../verdict/verdict.ts';
import { LatencyTally } from './latency.ts';

/** Other classes are conclusive. */
const FAULT_BY_CLASS: Readonly<Partial<Record<ResponseClass, UnusableResponse['fault']>>> = {
  refused: 'authentication',
  capacity: 'capacity',
  failed: 'protocol',
  unanswered: 'protocol',
};

interface OperationCounts {
  exercised: number;
  readonly byFamily: Map<string, number>;
  readonly microseconds: Map<string, number>;
  readonly latency: Map<string, LatencyTally>;
  absent: number;
  present: number;
  readonly arrivals: Readonly<Record<'body' | 'stream', Arrivals>>;
}

export interface Arrivals {
  /** Number of complete 2xx responses that can be decoded and do not begin with an error. */
  whole: number;
  /** The first unusable response. The names are part of the format of partial verdicts. */
  miss: Timed<UnusableResponse> | null;
}

export interface UnusableResponse {
  readonly exchange: string;
  /** `capacity`: 402, 408, 429, 503 or a timeout; `authentication`: 401, 403 or 407; `protocol`: any other cause. */
  readonly fault: 'protocol' | 'capacity' | 'authentication';
  readonly arrival: Arrival;
}

export class OperationCoverage {
  readonly #counts = new Map<string, OperationCounts>();
  readonly #known = new LruMap<true>();

  /**
   * A 404 does not prove that the route is missing if the id is unknown or the error names a parameter or the model.
   * `at`: how many exchanges have ended.
   */
  call(call: Call, at: number): void {
    const counts = this.#countsOf(call.operation.id);
    countArrival(counts, call, at);
    const families = countedFamilies(call.operation);
    const family = families.find((name) => name === call.variant?.family) ?? families[0] ?? '';
    addCount(counts.microseconds, family, Math.round(call.exchange.end.at * 1000));
    if (call.responseClass === 'accepted') {
      counts.exercised += 1;
      addCount(counts.byFamily, family, 1);
      if (call.complete) latencyOf(counts, family).add(call.exchange);
      this.context(call);
    } else if (call.responseClass === 'absent') {
      if (call.status !== 404 || (this.#namesOnlyKnown(call) && !blamesRequest(call))) counts.absent += 1;
    } else if (call.responseClass === 'rejected') counts.present += 1;
  }

  /** Learns which objects exist, without counting the call. */
  context(call: Call): void {
    if (call.responseClass !== 'accepted') return;
    const { responseJson: answer, operation, path } = call;
    if (operation.method === 'DELETE') {
      for (const id of Object.values(path).slice(-1)) this.#known.delete(id);
      return;
    }
    for (const object of [answer, ...arrayAt(answer, 'data')]) {
      // A fine-tuning job names the model that it created.
      for (const name of ['id', 'fine_tuned_model']) {
        const id = textAt(object, name);
        if (id !== undefined) this.#known.set(id, true);
      }
    }
  }

  part() {
    return [...this.#counts].map(([id, counts]) => ({
      id,
      exercised: counts.exercised,
      byFamily: [...counts.byFamily],
      microseconds: [...counts.microseconds],
      latency: [...counts.latency].map(([family, latency]) => [family, latency.part()] as const),
      absent: counts.absent,
      present: counts.present,
      arrivals: counts.arrivals,
    }));
  }

  absorb(parts: ReturnType<OperationCoverage['part']>): void {
    for (const part of parts) {
      const counts = this.#countsOf(part.id);
      counts.exercised += part.exercised;
      counts.absent += part.absent;
      counts.present += part.present;
      for (const [family, times] of part.byFamily) addCount(counts.byFamily, family, times);
      for (const [family, time] of part.microseconds) addCount(counts.microseconds, family, time);
      for (const [family, latency] of part.latency) latencyOf(counts, family).absorb(latency);
      for (const form of ['body', 'stream'] as const) {
        const arrivals = counts.arrivals[form];
        arrivals.whole += part.arrivals[form].whole;
        arrivals.miss = earliestOf(arrivals.miss, part.arrivals[form].miss);
      }
    }
  }

  isNotImplemented(operation: string): boolean {
    const counts = this.#counts.get(operation);
    return counts !== undefined && counts.absent > 0 && counts.exercised === 0 && counts.present === 0;
  }

  /** The first unusable response of an operation without a usable one of the same form; null without any. */
  findUnusableResponse(ids: readonly string[]): UnusableResponse | null {
    for (const id of ids) {
      const arrivals = this.#counts.get(id)?.arrivals;
      if (arrivals === undefined) continue;
      for (const { whole, miss } of [arrivals.body, arrivals.stream])
        if (whole === 0 && miss !== null) return miss.value;
    }
    return null;
  }

  verdicts(claimed: ClaimedNames): OperationVerdict[] {
    return operations().flatMap((operation) =>
      countedFamilies(operation).map((family) => ({
        id: operation.id,
        method: operation.method,
        path: operation.path,
        family,
        claimed: claimsOperation(claimed, operation.id, family),
        exercised: this.#counts.get(operation.id)?.byFamily.get(family) ?? 0,
        milliseconds: Math.round((this.#counts.get(operation.id)?.microseconds.get(family) ?? 0) / 1000),
        latency: this.#counts.get(operation.id)?.latency.get(family)?.summary() ?? null,
        notImplemented: this.isNotImplemented(operation.id),
      })),
    );
  }

  #countsOf(operation: string): OperationCounts {
    return getOrMake(this.#counts, operation, () => ({
      exercised: 0,
      byFamily: new Map(),
      microseconds: new Map(),
      latency: new Map(),
      absent: 0,
      present: 0,
      arrivals: { body: { whole: 0, miss: null }, stream: { whole: 0, miss: null } },
    }));
  }

  #namesOnlyKnown({ path }: Call): boolean {
    return Object.values(path).every((id) => this.#known.get(id) === true);
  }
}

/** Whether an error names a parameter or the model, such as an unknown `assistant_id`: only real routes read them. */
function blamesRequest({ exchange: { response } }: Call): boolean {
  const error = jsonContent(response);
  return Boolean(textAt(error, 'error', 'param')) || /model/i.test(textAt(error, 'error', 'code') ?? '');
}

function latencyOf({ latency }: OperationCounts, family: string): LatencyTally {
  return getOrMake(latency, family, () => new LatencyTally());
}

function countArrival({ arrivals }: OperationCounts, call: Call, at: number): void {
  const { response, id } = call.exchange;
  const counts = response !== null && isEventStream(response) ? arrivals.stream : arrivals.body;
  const unusable = unusableArrival(call);
  // A labelled violation may have a wrong key or none, so its denial is correct.
  if (unusable?.fault === 'authentication' && call.exchange.probe?.side === 'violation') return;
  if (unusable !== null)
    counts.miss = earlier(counts.miss, { at, by: numberOf(id), value: { exchange: id, ...unusable } });
  else if (call.responseClass === 'accepted' && call.complete) counts.whole += 1;
}

/** Null if the response can be judged, or if the client or the recorder ended the exchange. */
function unusableArrival({
  exchange: { response, end },
  responseClass,
  status,
}: Call): Omit<UnusableResponse, 'exchange'> | null {
  const { detail } = end;
  if (end.how === 'upstream-reset') return { fault: 'protocol', arrival: { what: 'reset', detail } };
  if (end.how === 'upstream-timeout') return { fault: 'capacity', arrival: { what: 'timeout', detail } };
  if (response === null || end.how !== 'complete') return null;
  if (responseClass === 'accepted') {
    if (decodedContent(response) !== null) return null;
    return { fault: 'protocol', arrival: { what: 'undecodable', codings: contentCodings(response.headers) } };
  }
  const fault = FAULT_BY_CLASS[responseClass];
  return fault === undefined ? null : { fault, arrival: { what: 'answered', status } };
}
