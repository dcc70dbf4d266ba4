import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Recorder } from '../../proxy/record/record.ts';
import type { JudgeThread, JudgeThreadListeners } from '../judging/judge-thread.ts';
import { WatchMetrics } from './watch-metrics.ts';

interface ObservedWatch {
  thread: JudgeThread | null;
  recorder: Recorder | null;
  isOpen: boolean;
  forgotten: number;
}

/** Counts the events of a watch and serves the metrics, `/healthz` and `/readyz`. */
export class WatchObserver {
  readonly #metrics: WatchMetrics;
  readonly #server: MetricsServer;
  readonly #watch: ObservedWatch;

  private constructor(metrics: WatchMetrics, server: MetricsServer, watch: ObservedWatch) {
    this.#metrics = metrics;
    this.#server = server;
    this.#watch = watch;
  }

  static async start(address: MetricsAddress): Promise<WatchObserver> {
    const watch: ObservedWatch = { thread: null, recorder: null, isOpen: false, forgotten: 0 };
    const metrics = await WatchMetrics.open(() => {
      const { beyondLimit = 0, diskFailed = 0, upgraded = 0 } = watch.recorder?.missing() ?? {};
      return { disk_limit: beyondLimit, disk_failure: diskFailed, judge_memory: watch.forgotten, upgraded };
    });
    const server = await startMetricsServer(address, metrics, () => {
      if (!watch.isOpen) return 'not listening';
      return watch.thread?.isBroken === true ? 'the judge has ended' : null;
    });
    return new WatchObserver(metrics, server, watch);
  }

  get url(): string {
    return this.#server.url;
  }

  listeners(): JudgeThreadListeners {
    return {
      onStanding: (progress) => this.#metrics.progress(progress),
      onFinding: (finding) => this.#metrics.finding(finding),
      onMeasures: (measures, forgotten) => {
        this.#watch.forgotten = forgotten;
        for (const one of measures) this.#metrics.exchange(one);
      },
    };
  }

  watches(thread: JudgeThread, recorder: Recorder): void {
    Object.assign(this.#watch, { thread, recorder, isOpen: true });
  }

  /** No longer ready; the last counts can still be read. */
  ends(): void {
    this.#watch.isOpen = false;
  }

  close(): Promise<void> {
    return this.#server.close();
  }
}

export interface MetricsAddress {
  readonly host: string;
  readonly port: number;
}

interface MetricsServer {
  readonly url: string;
  close(): Promise<void>;
}

async function startMetricsServer(
  { host, port }: MetricsAddress,
  metrics: WatchMetrics,
  obstacleNow: () => string | null,
): Promise<MetricsServer> {
  const server = createServer((req, res) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') return sendPlainText(res, 405, 'only GET and HEAD\n');
    const path = req.url?.split('?', 1)[0];
    if (path === '/healthz') return sendPlainText(res, 200, 'alive\n');
    if (path === '/readyz') {
      const obstacle = obstacleNow();
      return sendPlainText(res, obstacle === null ? 200 : 503, `${obstacle ?? 'ready'}\n`);
    }
    if (path !== '/metrics')
      return sendPlainText(res, 404, 'only /metrics, /healthz and /readyz are served\n');
    metrics.text().then(
      (text) => res.writeHead(200, { 'content-type': metrics.contentType }).end(text),
      () => sendPlainText(res, 500, 'the metrics could not be collected\n'),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  // as: a server that listens on a port has an address of this form
  const { port: boundPort } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${boundPort}`, close };
}

function sendPlainText(res: ServerResponse, status: number, text: string): void {
  res.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
}
