// Measures latency for the report. No requirement depends on it.
import type { Exchange, HttpResponse } from '../../exchange/exchange.ts';
import { arrivalTime, eventsOf } from '../../exchange/http/event-stream.ts';
import { numberOf } from '../trace/timed.ts';
import type { Latency, Quantiles } from '../verdict/verdict.ts';
import { reportedTokens } from './cost.ts';

export interface LatencyPart {
  /** Number of responses measured, including those beyond the samples below. */
  readonly responses: number;
  /**
   * Milliseconds from the start of the request to the end of the response, as `[value, lot]` like the other
   * samples.
   */
  readonly total: SamplePart;
  /** Milliseconds from the start of the request to the first byte of the response body. */
  readonly firstByte: SamplePart;
  /** Milliseconds between consecutive events of a stream. */
  readonly betweenEvents: SamplePart;
  /** Reported completion tokens per second of the whole exchange. */
  readonly tokensPerSecond: SamplePart;
}

export class LatencyTally {
  #responses = 0;
  readonly #total = new Sample();
  readonly #firstByte = new Sample();
  readonly #betweenEvents = new Sample();
  readonly #tokensPerSecond = new Sample();

  /** Measures a response that the caller knows to be a complete 2xx. */
  add(exchange: Exchange): void {
    const { response, end } = exchange;
    if (response === null) return;
    this.#responses += 1;
    const lot = lotOf(numberOf(exchange.id));
    this.#total.add(end.at, lot);
    const [first] = response.pieces;
    if (first !== undefined) this.#firstByte.add(first.at, lot);
    for (const [n, gap] of gapsBetweenEvents(response).entries())
      this.#betweenEvents.add(gap, lot + n / MOST_GAPS);
    const tokens = reportedTokens(exchange, 'completion_tokens');
    if (tokens > 0 && end.at > 0) this.#tokensPerSecond.add((tokens * 1000) / end.at, lot);
  }

  /** Returns the samples, each limited to 4,096 values. */
  part(): LatencyPart {
    return {
      responses: this.#responses,
      total: this.#total.part(),
      firstByte: this.#firstByte.part(),
      betweenEvents: this.#betweenEvents.part(),
      tokensPerSecond: this.#tokensPerSecond.part(),
    };
  }

  /** Merges samples of another part; the result is the same however the traffic is divided. */
  absorb({ responses, total, firstByte, betweenEvents, tokensPerSecond }: LatencyPart): void {
    this.#responses += responses;
    this.#total.absorb(total);
    this.#firstByte.absorb(firstByte);
    this.#betweenEvents.absorb(betweenEvents);
    this.#tokensPerSecond.absorb(tokensPerSecond);
  }

  /** Returns the quantiles, or null if nothing was measured. */
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

/** Milliseconds between consecutive events. Events without a known arrival time are skipped. */
export function gapsBetweenEvents(response: HttpResponse): readonly number[] {
  const stream = eventsOf(response);
  if (stream === null) return [];
  const times = stream.events.flatMap(({ end }) => arrivalTime(response.pieces, end) ?? []);
  return times.slice(1).map((at, n) => at - (times[n] ?? at));
}

/** Reverses the bits of a number, so that the lowest lots are an even sample of the exchanges. */
function lotOf(number: number): number {
  let lot = 0;
  for (let bit = 0; bit < 32; bit += 1) lot = lot * 2 + ((number >>> bit) & 1);
  return lot;
}

/** More gaps than a stream has; the lots of one exchange differ by fractions. */
const MOST_GAPS = 10_000_000;

/** Maximum number of values kept; 4,096 determine the 99th percentile within a quarter of a percent. */
const KEPT = 4096;

type SamplePart = readonly (readonly [value: number, lot: number])[];

/**
 * A bounded sample: the values with the lowest lots. A lot depends only on the exchange, so the sample is the same
 * however the traffic is divided.
 */
class Sample {
  #values: [value: number, lot: number][] = [];
  #bound = Number.POSITIVE_INFINITY;

  add(value: number, lot: number): void {
    if (lot >= this.#bound) return;
    this.#values.push([value, lot]);
    if (this.#values.length >= 2 * KEPT) this.#shrink();
  }

  part(): SamplePart {
    this.#shrink();
    return this.#values;
  }

  absorb(part: SamplePart): void {
    for (const [value, lot] of part) this.add(value, lot);
  }

  #shrink(): void {
    if (this.#values.length <= KEPT) return;
    this.#values = this.#values.toSorted(([, a], [, b]) => a - b).slice(0, KEPT);
    this.#bound = this.#values.at(-1)?.[1] ?? this.#bound;
  }

  quantiles(): Quantiles | null {
    this.#shrink();
    const sorted = this.#values.map(([value]) => value).toSorted((a, b) => a - b);
    // Hundredths of a millisecond, the precision of a recorder's clock.
    const at = (share: number) => Math.round((sorted[Math.ceil(share * sorted.length) - 1] ?? 0) * 100) / 100;
    return sorted.length === 0 ? null : { p50: at(0.5), p90: at(0.9), p99: at(0.99) };
  }
}
