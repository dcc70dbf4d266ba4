// Prometheus metrics of a watch. The number of time series is bounded, however long the watch runs.
import type * as Prometheus from 'prom-client';
import { importOptionalPeer } from '../../exchange/optional-peer.ts';
import type { JudgingProgress } from '../judging/traffic-judge.ts';
import type { ExchangeMeasure } from '../observation/exchange-measure.ts';
import type { ObservedFinding } from '../observation/observed-finding.ts';

type DroppedEvidence = Readonly<Record<'disk_limit' | 'disk_failure' | 'judge_memory' | 'upgraded', number>>;

/** Maximum number of pairs of requirement and operation with a count of their own; all others share one per level. */
const MAX_PAIRS = 1000;
const OTHER_LABEL = 'other';

/** Bucket limits in seconds. Gaps are shorter: the first byte waits for the prompt, a later event for one token. */
const BUCKET_SECONDS = {
  firstByte: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  gap: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
};

export class WatchMetrics {
  readonly registry: Prometheus.Registry;
  readonly #metrics: ReturnType<typeof createMetrics>;
  readonly #pairs = new Set<string>();

  private constructor(client: typeof Prometheus, countDropped: () => DroppedEvidence) {
    this.registry = new client.Registry();
    this.#metrics = createMetrics(client, this.registry, countDropped);
    client.collectDefaultMetrics({ register: this.registry });
  }

  /** `countDropped` is called at each scrape. Rejects with MissingPeer if prom-client is not installed. */
  static async open(countDropped: () => DroppedEvidence): Promise<WatchMetrics> {
    const client = await importOptionalPeer('prom-client', '--metrics', () => import('prom-client'));
    return new WatchMetrics(client, countDropped);
  }

  countExchange({ operation, status, firstByte, gaps, requestBytes, responseBytes }: ExchangeMeasure): void {
    const { requests, firstBytes, eventGaps, sentBytes, receivedBytes } = this.#metrics;
    requests.inc({ operation, status });
    sentBytes.inc({ operation }, requestBytes);
    receivedBytes.inc({ operation }, responseBytes);
    if (firstByte !== null) firstBytes.observe({ operation }, firstByte);
    for (const gap of gaps) eventGaps.observe({ operation }, gap);
  }

  countFinding({ requirement, operation, level }: ObservedFinding): void {
    const pair = `${requirement} ${operation}`;
    if (this.#pairs.size < MAX_PAIRS) this.#pairs.add(pair);
    const labels = this.#pairs.has(pair)
      ? { requirement, operation }
      : { requirement: OTHER_LABEL, operation: OTHER_LABEL };
    this.#metrics.findings.inc({ ...labels, level });
  }

  showProgress({ broken, warned }: JudgingProgress): void {
    this.#metrics.violated.set({ level: 'MUST' }, broken);
    this.#metrics.violated.set({ level: 'SHOULD' }, warned);
  }
}

function createMetrics(
  client: typeof Prometheus,
  registry: Prometheus.Registry,
  countDropped: () => DroppedEvidence,
) {
  const registers = [registry];
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new client.Counter({ name, help, labelNames, registers });
  const histogram = (name: string, help: string, buckets: number[]) =>
    new client.Histogram({ name, help, buckets, labelNames: ['operation'], registers });
  const metrics = {
    requests: counter(
      'assay_requests_total',
      'Exchanges that have ended, by the class of the status.',
      'operation',
      'status',
    ),
    sentBytes: counter('assay_request_bytes_total', 'Bytes of request bodies.', 'operation'),
    receivedBytes: counter('assay_response_bytes_total', 'Bytes of response bodies.', 'operation'),
    firstBytes: histogram(
      'assay_first_byte_seconds',
      'Time to the first byte of a body.',
      BUCKET_SECONDS.firstByte,
    ),
    eventGaps: histogram(
      'assay_event_gap_seconds',
      'Time from one event of a stream to the next.',
      BUCKET_SECONDS.gap,
    ),
    findings: counter(
      'assay_findings_total',
      'Violations of requirements, each time they occur.',
      'requirement',
      'operation',
      'level',
    ),
    violated: new client.Gauge({
      name: 'assay_violated_requirements',
      help: 'Requirements that were violated since the watch began.',
      labelNames: ['level'],
      registers,
    }),
  };
  const droppedTotal: Prometheus.Counter<'reason'> = new client.Counter({
    name: 'assay_dropped_total',
    help: 'Evidence that is missing from the recording or from the judgement.',
    labelNames: ['reason'],
    registers,
    collect: () => {
      droppedTotal.reset();
      for (const [reason, count] of Object.entries(countDropped())) droppedTotal.inc({ reason }, count);
    },
  });
  return metrics;
}
