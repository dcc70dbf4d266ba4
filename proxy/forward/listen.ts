import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { headerPairs } from '../../exchange/http/headers.ts';

export interface ServerHandlers {
  /** `expects`: the client waits for `100 Continue`. */
  request(req: IncomingMessage, res: ServerResponse, expects: boolean): void;
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** A client takes this server for a proxy of any connection (`CONNECT host:port`). */
  connect(req: IncomingMessage, socket: Duplex): void;
}

/** As services take them at most. Bytes. */
const LARGEST_HEAD = 1024 * 1024;

export interface ListeningServer {
  readonly server: Server;
  readonly url: string;
  /** Stops listening and drops every connection, upgraded ones, too. */
  hangUp(): Promise<void>;
}

/** Listens on loopback. `port` 0 takes a free one. Rejects when the port is taken. */
export async function listenOnLoopback(port: number, handlers: ServerHandlers): Promise<ListeningServer> {
  // A slow upload may take as long as it takes.
  const server = createServer({ requestTimeout: 0, noDelay: true, maxHeaderSize: LARGEST_HEAD });
  server.on('request', (req, res) => handlers.request(req, res, false));
  server.on('checkContinue', (req, res) => handlers.request(req, res, true));
  /** The server forgets a connection when it is upgraded, and yet waits for it when it closes. */
  const upgraded = new Set<Duplex>();
  server.on('upgrade', (req, socket, head) => {
    upgraded.add(socket);
    socket.on('close', () => upgraded.delete(socket));
    if (req.method === 'GET' && req.headers.upgrade?.toLowerCase() === 'websocket')
      handlers.upgrade(req, socket, head);
    else withoutUpgrade(server, req, socket, head);
  });
  server.on('connect', (req, socket) => {
    upgraded.add(socket);
    socket.on('close', () => upgraded.delete(socket));
    handlers.connect(req, socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  // as: a server that listens on a port has an address of this form
  const address = server.address() as AddressInfo;
  const hangUp = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
      for (const socket of upgraded) socket.destroy();
    });
  return { server, url: `http://127.0.0.1:${address.port}/v1`, hangUp };
}

/** Declines an offer of another protocol (`h2c`) by reading the request once more without it. */
function withoutUpgrade(server: Server, req: IncomingMessage, socket: Duplex, head: Buffer): void {
  const kept = headerPairs(req.rawHeaders).filter(
    ([name]) => !/^(?:connection|upgrade|http2-settings)$/i.test(name),
  );
  const lines = kept.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const request = `${req.method} ${req.url} HTTP/${req.httpVersion}\r\n${lines}\r\n`;
  socket.unshift(Buffer.concat([Buffer.from(request, 'latin1'), head]));
  server.emit('connection', socket);
}

/** Path and query of a request, whether it names a host or not; null when it is neither (`OPTIONS *`). */
export function requestTargetOf(req: IncomingMessage): string | null {
  const url = req.url ?? '/';
  if (url.startsWith('/')) return url;
  if (!URL.canParse(url)) return null;
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
}
