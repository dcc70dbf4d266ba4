// Serves the counts of a watch, and whether it is alive and ready.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An address to listen on. */
export interface MetricsAddress {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
}

/** What is served. */
export interface MetricsSource {
  /** Content type of `text`. */
  readonly contentType: string;
  text(): Promise<string>;
  /** Why the watch cannot take traffic; null where it can. */
  obstacle(): string | null;
}

/** A server for Prometheus and for whatever starts containers. */
export interface MetricsServer {
  /** `http://127.0.0.1:9464`. */
  readonly url: string;
  close(): Promise<void>;
}

/** Listens until it is closed. Rejects with the system's error when the address cannot be used. */
export async function startMetricsServer(
  { host, port }: MetricsAddress,
  source: MetricsSource,
): Promise<MetricsServer> {
  const server = createServer((req, res) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') return plain(res, 405, 'only GET and HEAD\n');
    const path = req.url?.split('?', 1)[0];
    if (path === '/healthz') return plain(res, 200, 'alive\n');
    if (path === '/readyz') {
      const obstacle = source.obstacle();
      return plain(res, obstacle === null ? 200 : 503, `${obstacle ?? 'ready'}\n`);
    }
    if (path !== '/metrics') return plain(res, 404, 'here are /metrics, /healthz and /readyz\n');
    source.text().then(
      (text) => res.writeHead(200, { 'content-type': source.contentType }).end(text),
      () => plain(res, 500, 'the metrics could not be collected\n'),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  // as: a server that listens on a port has an address of this form
  const { port: taken } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}`, close };
}

function plain(res: ServerResponse, status: number, text: string): void {
  res.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
}
