import { createServer } from 'node:http';
import { listen } from '../../proxy/http/server.ts';
import type { Recorder } from '../../proxy/record/record.ts';
import type { JudgeThread, JudgeThreadListeners } from '../judging/judge-thread.ts';
import { WatchMetrics } from './watch-metrics.ts';

export interface MetricsAddress {
  readonly host: string;
  readonly port: number;
}

export interface WatchObserver {
  readonly url: string;
  readonly listeners: JudgeThreadListeners;
  beginWatch(thread: JudgeThread, recorder: Recorder): void;
  /** Makes `/readyz` fail; the last counts can still be read. */
  endWatch(): void;
  close(): Promise<void>;
}

/** Rejects if it cannot listen, and with MissingPeer if prom-client is not installed. */
export async function startObserver(address: MetricsAddress): Promise<WatchObserver> {
  let watch: { readonly thread: JudgeThread; readonly recorder: Recorder } | null = null;
  let isOpen = false;
  let droppedByJudge = 0;
  const metrics = await WatchMetrics.open(() => {
    const { beyondLimit = 0, diskFailed = 0, upgraded = 0 } = watch?.recorder.missing() ?? {};
    return { disk_limit: beyondLimit, disk_failure: diskFailed, judge_memory: droppedByJudge, upgraded };
  });
  const server = await startMetricsServer(address, metrics, () => {
    if (!isOpen) return 'not listening';
    return watch?.thread.isBroken === true ? 'the judge has ended' : null;
  });
  return {
    ...server,
    listeners: {
      onProgress: (progress) => metrics.showProgress(progress),
      onFinding: (finding) => metrics.countFinding(finding),
      onMeasures: (measures, dropped) => {
        droppedByJudge = dropped;
        for (const measure of measures) metrics.countExchange(measure);
      },
    },
    beginWatch: (thread, recorder) => {
      watch = { thread, recorder };
      isOpen = true;
    },
    endWatch: () => {
      isOpen = false;
    },
  };
}

async function startMetricsServer(
  { host, port }: MetricsAddress,
  { registry }: WatchMetrics,
  findObstacle: () => string | null,
): Promise<Pick<WatchObserver, 'url' | 'close'>> {
  const server = createServer((req, res) => {
    const send = (status: number, text: string) =>
      res.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.setHeader('allow', 'GET, HEAD');
      return send(405, 'only GET and HEAD\n');
    }
    const path = req.url?.split('?', 1)[0];
    if (path === '/healthz') return send(200, 'alive\n');
    if (path === '/readyz') {
      const obstacle = findObstacle();
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
