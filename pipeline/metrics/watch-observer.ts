// Prometheus metrics of a watch, and the server that exposes them. Labels have few values, however long the watch runs.
import { createServer } from 'node:http';
import type * as Prometheus from 'prom-client';
import { optionalPeer } from '../../exchange/optional-peer.ts';
import { listen } from '../../proxy/http/server.ts';
import type { Recorder } from '../../proxy/record/record.ts';
import type { JudgeThread, JudgeThreadListeners } from '../judging/judge-thread.ts';
import type { JudgingProgress } from '../judging/traffic-judge.ts';
import type { ExchangeMeasure, ObservedFinding } from '../observation/observed-traffic.ts';

type DroppedEvidence = Readonly<Record<'disk_limit' | 'disk_failure' | 'judge_memory' | 'upgraded', number>>;

/** Maximum number of pairs of requirement and operation with their own count; all others are counted together. */
const MOST_PAIRS = 1000;
const OTHER = 'other';

/** Bucket limits in seconds. The first byte arrives once the model has read the prompt; events arrive per token. */
const BUCKETS = {
  firstByte: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  gap: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
};

export class WatchMetrics {
  readonly registry: Prometheus.Registry;
  readonly #counters: ReturnType<typeof countersIn>;
  readonly #pairs = new Set<string>();

  private constructor(client: typeof Prometheus, dropped: () => DroppedEvidence) {
    this.registry = new client.Registry();
    this.#counters = countersIn(client, this.registry, dropped);
    client.collectDefaultMetrics({ register: this.registry });
  }

  /** `dropped` is called at each scrape. Rejects with MissingPeer if prom-client is not installed. */
  static async open(dropped: () => DroppedEvidence): Promise<WatchMetrics> {
    const client = await optionalPeer('prom-client', '--metrics', () => import('prom-client'));
    return new WatchMetrics(client, dropped);
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
    const labels = this.#pairs.has(pair)
      ? { requirement, operation }
      : { requirement: OTHER, operation: OTHER };
    this.#counters.findings.inc({ ...labels, level });
  }

  progress({ broken, warned }: JudgingProgress): void {
    this.#counters.violated.set({ level: 'MUST' }, broken);
    this.#counters.violated.set({ level: 'SHOULD' }, warned);
  }
}

function countersIn(
  client: typeof Prometheus,
  registry: Prometheus.Registry,
  dropped: () => DroppedEvidence,
) {
  const registers = [registry];
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new client.Counter({ name, help, labelNames, registers });
  const histogram = (name: string, help: string, buckets: number[]) =>
    new client.Histogram({ name, help, buckets, labelNames: ['operation'], registers });
  const counters = {
    requests: counter(
      'assay_requests_total',
      'Exchanges that have ended, by the class of the status.',
      'operation',
      'status',
    ),
    sentBytes: counter('assay_request_bytes_total', 'Bytes of request bodies.', 'operation'),
    receivedBytes: counter('assay_response_bytes_total', 'Bytes of response bodies.', 'operation'),
    firstBytes: histogram('assay_first_byte_seconds', 'Time to the first byte of a body.', BUCKETS.firstByte),
    gapsOf: histogram('assay_event_gap_seconds', 'Time from one event of a stream to the next.', BUCKETS.gap),
    findings: counter(
      'assay_findings_total',
      'Violations of requirements, as often as they are met.',
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
  const lost: Prometheus.Counter<'reason'> = new client.Counter({
    name: 'assay_dropped_total',
    help: 'Evidence that is missing from the recording or from the judgement.',
    labelNames: ['reason'],
    registers,
    collect: () => {
      lost.reset();
      for (const [reason, count] of Object.entries(dropped())) lost.inc({ reason }, count);
    },
  });
  return counters;
}

export interface MetricsAddress {
  readonly host: string;
  readonly port: number;
}

/** Counts the events of a watch and serves the metrics, `/healthz` and `/readyz`. */
export interface WatchObserver {
  readonly url: string;
  readonly listeners: JudgeThreadListeners;
  watches(thread: JudgeThread, recorder: Recorder): void;
  /** Makes `/readyz` fail; the last counts can still be read. */
  ends(): void;
  close(): Promise<void>;
}

/** Starts the server. Rejects if it cannot listen, and with MissingPeer if prom-client is not installed. */
export async function startObserver(address: MetricsAddress): Promise<WatchObserver> {
  let watched: { readonly thread: JudgeThread; readonly recorder: Recorder } | null = null;
  let [isOpen, forgotten] = [false, 0];
  const metrics = await WatchMetrics.open(() => {
    const { beyondLimit = 0, diskFailed = 0, upgraded = 0 } = watched?.recorder.missing() ?? {};
    return { disk_limit: beyondLimit, disk_failure: diskFailed, judge_memory: forgotten, upgraded };
  });
  const server = await startMetricsServer(address, metrics, () => {
    if (!isOpen) return 'not listening';
    return watched?.thread.isBroken === true ? 'the judge has ended' : null;
  });
  return {
    ...server,
    listeners: {
      onStanding: (progress) => metrics.progress(progress),
      onFinding: (finding) => metrics.finding(finding),
      onMeasures: (measures, dropped) => {
        forgotten = dropped;
        for (const one of measures) metrics.exchange(one);
      },
    },
    watches: (thread, recorder) => {
      watched = { thread, recorder };
      isOpen = true;
    },
    ends: () => {
      isOpen = false;
    },
  };
}

async function startMetricsServer(
  { host, port }: MetricsAddress,
  { registry }: WatchMetrics,
  obstacleNow: () => string | null,
): Promise<Pick<WatchObserver, 'url' | 'close'>> {
  const server = createServer((req, res) => {
    const send = (status: number, text: string) =>
      res.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
    if (req.method !== 'GET' && req.method !== 'HEAD') return send(405, 'only GET and HEAD\n');
    const path = req.url?.split('?', 1)[0];
    if (path === '/healthz') return send(200, 'alive\n');
    if (path === '/readyz') {
      const obstacle = obstacleNow();
      return send(obstacle === null ? 200 : 503, `${obstacle ?? 'ready'}\n`);
    }
    if (path !== '/metrics') return send(404, 'only /metrics, /healthz and /readyz are served\n');
    return registry.metrics().then(
      (text) => res.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => send(500, 'the metrics could not be collected\n'),
    );
  });
  const { address, close } = await listen(server, { host, port });
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`, close };
}
