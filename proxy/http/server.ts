import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { headerPairs } from '../../exchange/http/headers.ts';
import { messageOf } from '../../schemas/error-message.ts';
import { sendProxyError, sendProxyErrorOn } from './proxy-error.ts';

/** Whether the client sends the request body at once, or waits for `100 Continue` first. */
export type BodyTiming = 'at-once' | 'after-continue';

export interface ServerHandlers {
  request(req: IncomingMessage, res: ServerResponse, timing: BodyTiming): void;
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void;
  connect(req: IncomingMessage, socket: Duplex): void;
}

/** Maximum size in bytes of a request head; node's default is 16 KiB. */
const MAX_REQUEST_HEAD_BYTES = 1024 * 1024;

export interface ListeningServer {
  readonly url: string;
  /** Stops listening and closes every connection, upgraded ones included. */
  hangUp(): Promise<void>;
}

export async function listenOnLoopback(port: number, handlers: ServerHandlers): Promise<ListeningServer> {
  // Uploads may be slow: the proxy adds no time limit that the service does not have.
  const server = createServer({ requestTimeout: 0, noDelay: true, maxHeaderSize: MAX_REQUEST_HEAD_BYTES });
  // Idle connections stay open until the client closes them: closing one could reset a request that is on its way.
  server.keepAliveTimeout = 0;
  server.on('request', (req, res) => runGuarded(res, () => handlers.request(req, res, 'at-once')));
  server.on('checkContinue', (req, res) =>
    runGuarded(res, () => handlers.request(req, res, 'after-continue')),
  );
  // Node no longer closes connections that were upgraded or became tunnels, but `server.close` still waits for them.
  const detachedSockets = new Set<Duplex>();
  const handleDetached = (socket: Duplex, action: () => void) => {
    // A connection on which an offer was ignored may bring further ones.
    if (!detachedSockets.has(socket)) {
      detachedSockets.add(socket);
      socket.on('close', () => detachedSockets.delete(socket));
      socket.on('error', () => socket.destroy());
    }
    try {
      action();
    } catch (error) {
      if (!socket.writable) socket.destroy();
      else sendProxyErrorOn(socket, { status: 500, code: 'proxy_error', message: messageOf(error) });
    }
  };
  server.on('upgrade', (req, socket, head) => {
    const isWebSocket = req.method === 'GET' && req.headers.upgrade?.toLowerCase() === 'websocket';
    handleDetached(socket, () => {
      if (isWebSocket) handlers.upgrade(req, socket, head);
      else ignoreUpgrade(server, req, socket, head);
    });
  });
  server.on('connect', (req, socket) => handleDetached(socket, () => handlers.connect(req, socket)));
  const { address, close } = await listen(server, { host: '127.0.0.1', port });
  const hangUp = () => {
    const closing = close();
    for (const socket of detachedSockets) socket.destroy();
    return closing;
  };
  return { url: `http://127.0.0.1:${address.port}/v1`, hangUp };
}

export async function listen(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<{ readonly address: AddressInfo; close(): Promise<void> }> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  // as: a server that listens on a port has an address of this form
  const address = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { address, close };
}

/** Without this, an error that a handler throws would crash the process. */
function runGuarded(res: ServerResponse, action: () => void): void {
  try {
    action();
  } catch (error) {
    sendProxyError(res, { status: 500, code: 'proxy_error', message: messageOf(error) });
  }
}

/** Ignores an upgrade to another protocol (`h2c`), as HTTP allows: the request is parsed again without the offer. */
function ignoreUpgrade(server: Server, req: IncomingMessage, socket: Duplex, head: Buffer): void {
  const fields = headerPairs(req.rawHeaders).filter(
    ([name]) => !/^(?:connection|upgrade|http2-settings)$/i.test(name),
  );
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const request = `${req.method} ${req.url} HTTP/${req.httpVersion}\r\n${lines}\r\n`;
  socket.unshift(Buffer.concat([Buffer.from(request, 'latin1'), head]));
  server.emit('connection', socket);
}

/** Path and query of a request target in origin or absolute form; null for any other target (`OPTIONS *`, `a://b`). */
export function requestTargetOf(req: IncomingMessage): string | null {
  const url = req.url ?? '/';
  if (url.startsWith('/')) return url;
  if (!URL.canParse(url)) return null;
  const { pathname, search } = new URL(url);
  return pathname.startsWith('/') ? `${pathname}${search}` : null;
}
