// Measures how fast operations answer. Observed for the report, never judged: no requirement depends on a time.
import type { Exchange, HttpResponse } from '../../exchange/exchange.ts';
import { arrivalTime, eventsOf } from '../../exchange/http/event-stream.ts';
import { reportedTokens } from './usage.ts';

/** Quantiles by nearest rank. The unit is that of the values. */
export interface Quantiles {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
}

/** Times of the complete 2xx responses of one operation, in milliseconds since the request began. */
export interface Latency {
  /** How many responses were measured. */
  readonly responses: number;
  /** To the last byte. */
  readonly total: Quantiles;
  /** To the first byte of the body; null where no body arrived. */
  readonly firstByte: Quantiles | null;
  /** From one event of a stream to the next; null without two events. Events of one packet are 0 ms apart. */
  readonly betweenEvents: Quantiles | null;
  /** Completion tokens that the target reports, by the seconds of the whole exchange; null where it reports none. */
  readonly tokensPerSecond: Quantiles | null;
}

/** The measurements of one operation, in bounded memory. */
export class LatencyTally {
  #responses = 0;
  readonly #total = new Sample();
  readonly #firstByte = new Sample();
  readonly #betweenEvents = new Sample();
  readonly #tokensPerSecond = new Sample();

  /** Adds an exchange with a complete 2xx response. */
  add(exchange: Exchange): void {
    const { response, end } = exchange;
    if (response === null) return;
    this.#responses += 1;
    this.#total.add(end.at);
    const [first] = response.pieces;
    if (first !== undefined) this.#firstByte.add(first.at);
    for (const gap of gapsBetweenEvents(response)) this.#betweenEvents.add(gap);
    const tokens = reportedTokens(exchange, 'completion_tokens');
    if (tokens > 0 && end.at > 0) this.#tokensPerSecond.add((tokens * 1000) / end.at);
  }

  /** Null where nothing was measured. */
  summary(): Latency | null {
    const total = this.#total.quantiles();
    if (total === null) return null;
    return {
      responses: this.#responses,
      total,
      firstByte: this.#firstByte.quantiles(),
      betweenEvents: this.#betweenEvents.quantiles(),
      tokensPerSecond: this.#tokensPerSecond.quantiles(),
    };
  }
}

/** Milliseconds from each event to the next. Events whose arrival is not known are left out. */
export function gapsBetweenEvents(response: HttpResponse): readonly number[] {
  const stream = eventsOf(response);
  if (stream === null) return [];
  const times = stream.events.flatMap(({ end }) => arrivalTime(response.pieces, end) ?? []);
  return times.slice(1).map((at, n) => at - (times[n] ?? at));
}

/** Values that are kept; 4,096 place the 99th percentile within a quarter of a percent. */
const KEPT = 4096;

/** Values in bounded memory: when it is full, every second one is dropped, and from then on every second one is kept. */
class Sample {
  #values: number[] = [];
  #stride = 1;
  #seen = 0;

  add(value: number): void {
    if (this.#seen % this.#stride === 0) this.#values.push(value);
    this.#seen += 1;
    if (this.#values.length < KEPT) return;
    this.#values = this.#values.filter((_, n) => n % 2 === 0);
    this.#stride *= 2;
  }

  quantiles(): Quantiles | null {
    const sorted = this.#values.toSorted((a, b) => a - b);
    // Hundredths of a millisecond are the precision of the recorder's clock over a network, and keep reports short.
    const at = (share: number) => Math.round((sorted[Math.ceil(share * sorted.length) - 1] ?? 0) * 100) / 100;
    return sorted.length === 0 ? null : { p50: at(0.5), p90: at(0.9), p99: at(0.99) };
  }
}
