import type { Exchange, HttpResponse } from '../../exchange/exchange.ts';
import { arrivalTime, eventsOf } from '../../exchange/http/event-stream.ts';
import { MAX_PARTS, numberOf } from '../trace/timed.ts';
import type { Latency, Quantiles } from '../verdict/latency.ts';
import { reportedTokens } from './cost.ts';

/** In milliseconds except the last. `total` and `firstByte` begin with the request. */
const MEASURES = ['total', 'firstByte', 'betweenEvents', 'tokensPerSecond'] as const;
const SAMPLE_SIZE = 4096;

type Measure = (typeof MEASURES)[number];

export class LatencyTally {
  #responses = 0;
  readonly #samples = {
    total: new Sample(),
    firstByte: new Sample(),
    betweenEvents: new Sample(),
    tokensPerSecond: new Sample(),
  };

  /** The response must be a complete 2xx. */
  add(exchange: Exchange): void {
    const { response, end } = exchange;
    if (response === null) return;
    const { total, firstByte, betweenEvents, tokensPerSecond } = this.#samples;
    this.#responses += 1;
    const rank = samplingRank(numberOf(exchange.id));
    total.add(end.at, rank);
    const [first] = response.pieces;
    if (first !== undefined) firstByte.add(first.at, rank);
    for (const [n, gap] of gapsBetweenEvents(response).entries())
      betweenEvents.add(gap, rank + n / MAX_PARTS);
    const tokens = reportedTokens(exchange, 'completion_tokens');
    if (tokens > 0 && end.at > 0) tokensPerSecond.add((tokens * 1000) / end.at, rank);
  }

  part() {
    return { responses: this.#responses, ...this.#mapSamples((sample) => sample.part()) };
  }

  absorb({ responses, ...samples }: ReturnType<LatencyTally['part']>): void {
    this.#responses += responses;
    for (const name of MEASURES) this.#samples[name].absorb(samples[name]);
  }

  summary(): Latency | null {
    const { total, ...others } = this.#mapSamples((sample) => sample.quantiles());
    return total === null ? null : { responses: this.#responses, total, ...others };
  }

  #mapSamples<T>(measure: (sample: Sample) => T): Record<Measure, T> {
    const results = MEASURES.map((name) => [name, measure(this.#samples[name])] as const);
    return Object.fromEntries(results) as Record<Measure, T>; // as: an entry for each measure
  }
}

/** In milliseconds. Events without a known arrival time are skipped. */
export function gapsBetweenEvents(response: HttpResponse): readonly number[] {
  const stream = eventsOf(response);
  if (stream === null) return [];
  const times = stream.events.flatMap(({ end }) => arrivalTime(response.pieces, end) ?? []);
  return times.slice(1).map((at, n) => at - (times[n] ?? at));
}

/** Reverses the bits of the number of an exchange, so that the exchanges with the lowest ranks are an even sample. */
function samplingRank(number: number): number {
  let rank = 0;
  for (let bit = 0; bit < 32; bit += 1) rank = rank * 2 + ((number >>> bit) & 1);
  return rank;
}

type SamplePart = readonly (readonly [value: number, rank: number])[];

/** A bounded sample: the values with the lowest ranks, which are the same however the traffic is divided. */
class Sample {
  #values: [value: number, rank: number][] = [];
  #bound = Number.POSITIVE_INFINITY;

  add(value: number, rank: number): void {
    if (rank >= this.#bound) return;
    this.#values.push([value, rank]);
    if (this.#values.length >= 2 * SAMPLE_SIZE) this.#shrink();
  }

  part(): SamplePart {
    this.#shrink();
    return this.#values;
  }

  absorb(part: SamplePart): void {
    for (const [value, rank] of part) this.add(value, rank);
  }

  #shrink(): void {
    if (this.#values.length <= SAMPLE_SIZE) return;
    this.#values = this.#values.toSorted(([, a], [, b]) => a - b).slice(0, SAMPLE_SIZE);
    this.#bound = this.#values.at(-1)?.[1] ?? this.#bound;
  }

  quantiles(): Quantiles | null {
    this.#shrink();
    const sorted = this.#values.map(([value]) => value).toSorted((a, b) => a - b);
    // Rounds to hundredths, the precision of the times that `assay run` records.
    const at = (share: number) => Math.round((sorted[Math.ceil(share * sorted.length) - 1] ?? 0) * 100) / 100;
    return sorted.length === 0 ? null : { p50: at(0.5), p90: at(0.9), p99: at(0.99) };
  }
}
