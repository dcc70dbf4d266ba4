// How fast the target responds; reported, never judged.

/** Quantiles by nearest rank, in the unit of the values; of a sample if there are more than 4,096 values. */
export interface Quantiles {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
}

/** Times of the complete 2xx responses of one operation, in milliseconds, and their token rate. */
export interface Latency {
  /** Number of responses measured, at least 1. */
  readonly responses: number;
  /** Time from the start of the request to the end of the response. */
  readonly total: Quantiles;
  /** Time from the start of the request to the first byte of the body; null if no body arrived. */
  readonly firstByte: Quantiles | null;
  /** Time between consecutive events of a stream; null without two events. Events in one packet are 0 ms apart. */
  readonly betweenEvents: Quantiles | null;
  /** Reported completion tokens per second of the whole exchange; null if the target reports none. */
  readonly tokensPerSecond: Quantiles | null;
}
