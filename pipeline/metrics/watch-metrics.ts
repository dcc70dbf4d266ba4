// Prometheus metrics of a watch. Labels have few values, however long the watch runs.
import type * as Prometheus from 'prom-client';
import { optionalPeer } from '../../exchange/optional-peer.ts';
import type { JudgingProgress } from '../judging/traffic-judge.ts';
import type { ExchangeMeasure, ObservedFinding } from '../observation/observed-traffic.ts';

export interface DroppedEvidence {
  readonly disk_limit: number;
  readonly disk_failure: number;
  readonly judge_memory: number;
  readonly upgraded: number;
}

/** Pairs of requirement and operation with their own count; the others are counted together. */
const MOST_PAIRS = 1000;
const OTHER = 'other';
/** Seconds. The first byte comes after the model has read the prompt, events come per token. */
const BUCKETS = {
  firstByte: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  gap: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
};

export class WatchMetrics {
  readonly #registry: Prometheus.Registry;
  readonly #counters: ReturnType<typeof countersIn>;
  readonly #pairs = new Set<string>();

  private constructor(client: typeof Prometheus, dropped: () => DroppedEvidence) {
    this.#registry = new client.Registry();
    this.#counters = countersIn(client, this.#registry);
    countDropped(client, this.#registry, dropped);
    client.collectDefaultMetrics({ register: this.#registry });
  }

  /** `dropped` is called at each scrape. Rejects with MissingPeer if prom-client is not installed. */
  static async open(dropped: () => DroppedEvidence): Promise<WatchMetrics> {
    const client = await optionalPeer('prom-client', '--metrics', () => import('prom-client'));
    return new WatchMetrics(client, dropped);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  exchange({ operation, status, firstByte, gaps, sent, received }: ExchangeMeasure): void {
    const { requests, firstBytes, gapsOf, sentBytes, receivedBytes } = this.#counters;
    requests.inc({ operation, status });
    sentBytes.inc({ operation }, sent);
    receivedBytes.inc({ operation }, received);
    if (firstByte !== null) firstBytes.observe({ operation }, firstByte);
    for (const gap of gaps) gapsOf.observe({ operation }, gap);
  }

  finding({ requirement, operation, level }: ObservedFinding): void {
    const pair = `${requirement} ${operation}`;
    if (this.#pairs.size < MOST_PAIRS) this.#pairs.add(pair);
    const isCounted = this.#pairs.has(pair);
    this.#counters.findings.inc({
      requirement: isCounted ? requirement : OTHER,
      operation: isCounted ? operation : OTHER,
      level,
    });
  }

  progress({ broken, warned }: JudgingProgress): void {
    this.#counters.violated.set({ level: 'MUST' }, broken);
    this.#counters.violated.set({ level: 'SHOULD' }, warned);
  }
}

function countersIn(client: typeof Prometheus, registry: Prometheus.Registry) {
  const registers = [registry];
  const ofOperation = { labelNames: ['operation'] as const, registers }; // as: names of labels are types
  const counter = (name: string, help: string) => new client.Counter({ name, help, ...ofOperation });
  const histogram = (name: string, help: string, buckets: number[]) =>
    new client.Histogram({ name, help, buckets, ...ofOperation });
  return {
    requests: new client.Counter({
      name: 'assay_requests_total',
      help: 'Exchanges that have ended, by the class of the status.',
      labelNames: ['operation', 'status'],
      registers,
    }),
    sentBytes: counter('assay_request_bytes_total', 'Bytes of request bodies.'),
    receivedBytes: counter('assay_response_bytes_total', 'Bytes of response bodies.'),
    firstBytes: histogram('assay_first_byte_seconds', 'Time to the first byte of a body.', BUCKETS.firstByte),
    gapsOf: histogram('assay_event_gap_seconds', 'Time from one event of a stream to the next.', BUCKETS.gap),
    findings: new client.Counter({
      name: 'assay_findings_total',
      help: 'Violations of requirements, as often as they are met.',
      labelNames: ['requirement', 'operation', 'level'],
      registers,
    }),
    violated: new client.Gauge({
      name: 'assay_violated_requirements',
      help: 'Requirements that were violated since the watch began.',
      labelNames: ['level'],
      registers,
    }),
  };
}

function countDropped(
  client: typeof Prometheus,
  registry: Prometheus.Registry,
  dropped: () => DroppedEvidence,
): void {
  const counter: Prometheus.Counter<'reason'> = new client.Counter({
    name: 'assay_dropped_total',
    help: 'Evidence that is missing from the recording or from the judgement.',
    labelNames: ['reason'],
    registers: [registry],
    collect: () => {
      counter.reset();
      for (const [reason, count] of Object.entries(dropped())) counter.inc({ reason }, count);
    },
  });
}
