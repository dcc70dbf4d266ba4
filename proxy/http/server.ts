import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { headerPairs } from '../../exchange/http/headers.ts';
import { messageOf } from '../../schemas/error-message.ts';

/** Whether the client sends the request body at once, or waits for `100 Continue` first. */
export type BodyTiming = 'at-once' | 'after-continue';

export interface ServerHandlers {
  request(req: IncomingMessage, res: ServerResponse, timing: BodyTiming): void;
  /** A client requests a WebSocket; `head` contains bytes that it sent after the request. */
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** A client uses this server as a tunnel (`CONNECT host:port`). */
  connect(req: IncomingMessage, socket: Duplex): void;
}

/** Maximum size in bytes of a request head; services accept no larger ones. */
const MAX_REQUEST_HEAD_BYTES = 1024 * 1024;

export interface ListeningServer {
  readonly server: Server;
  /** Base URL for clients, with `/v1`. */
  readonly url: string;
  /** Stops listening and closes every connection, upgraded ones included. */
  hangUp(): Promise<void>;
}

/** Listens on 127.0.0.1. `port` 0 selects any free port. Rejects with the system's error when the port is in use. */
export async function listenOnLoopback(port: number, handlers: ServerHandlers): Promise<ListeningServer> {
  // Uploads may be slow: the proxy adds no time limit that the service does not have.
  const server = createServer({ requestTimeout: 0, noDelay: true, maxHeaderSize: MAX_REQUEST_HEAD_BYTES });
  server.on('request', (req, res) => runGuarded(res, () => handlers.request(req, res, 'at-once')));
  server.on('checkContinue', (req, res) =>
    runGuarded(res, () => handlers.request(req, res, 'after-continue')),
  );
  // Node no longer closes an upgraded connection, but `server.close` still waits for it.
  const upgraded = new Set<Duplex>();
  const handleDetached = (socket: Duplex, action: () => void) => {
    upgraded.add(socket);
    socket.on('close', () => upgraded.delete(socket));
    socket.on('error', () => socket.destroy());
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
    const closed = close();
    for (const socket of upgraded) socket.destroy();
    return closed;
  };
  return { server, url: `http://127.0.0.1:${address.port}/v1`, hangUp };
}

/** Listens; port 0 selects any free port. Rejects with the system's error. `close` also ends open connections, except upgraded ones. */
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

/** Answers with 500 if handling a request throws, so that no request crashes the process. */
function runGuarded(res: ServerResponse, action: () => void): void {
  try {
    action();
  } catch (error) {
    if (res.headersSent) res.destroy();
    else sendProxyError(res, { status: 500, code: 'proxy_error', message: messageOf(error) });
  }
}

/** Ignores an upgrade to another protocol (`h2c`), as HTTP allows: the request is parsed again without the offer. */
function ignoreUpgrade(server: Server, req: IncomingMessage, socket: Duplex, head: Buffer): void {
  const kept = headerPairs(req.rawHeaders).filter(
    ([name]) => !/^(?:connection|upgrade|http2-settings)$/i.test(name),
  );
  const lines = kept.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const request = `${req.method} ${req.url} HTTP/${req.httpVersion}\r\n${lines}\r\n`;
  socket.unshift(Buffer.concat([Buffer.from(request, 'latin1'), head]));
  server.emit('connection', socket);
}

/** Path and query of a request target in origin or absolute form; null for any other form (`OPTIONS *`). */
export function requestTargetOf(req: IncomingMessage): string | null {
  const url = req.url ?? '/';
  if (url.startsWith('/')) return url;
  if (!URL.canParse(url)) return null;
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
}

/** An error response of the proxy itself, in the error envelope of the API. */
export interface ProxyError {
  readonly status: number;
  /** `code` of the envelope, and the value of `x-assay-error`. */
  readonly code: string;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly details?: object;
}

/** Sends a response of the proxy itself; its header `x-assay-error` distinguishes it from responses of the service. */
export function sendProxyError(res: ServerResponse, error: ProxyError): void {
  const { headers, body } = errorResponse(error);
  // The reason phrase is explicit: a response that was abandoned before may have left its own in `res`.
  res.writeHead(error.status, STATUS_CODES[error.status] ?? '', { ...headers, ...error.headers });
  res.end(body);
}

/** Like `sendProxyError`, but writes to a raw connection, such as that of an upgrade, and then closes it. */
export function sendProxyErrorOn(socket: Duplex, error: ProxyError): void {
  const { status } = error;
  const { headers, body } = errorResponse(error);
  const fields = { ...headers, Connection: 'close' };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n`;
  socket.on('error', () => socket.destroy());
  socket.end(Buffer.concat([Buffer.from(head), body]), () => socket.destroy());
}

function errorResponse({ code, message, details }: ProxyError) {
  const error = { message, type: 'assay_proxy', code, ...details };
  const body = Buffer.from(`${JSON.stringify({ error }, null, 2)}\n`);
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    'x-assay-error': code,
  };
  return { body, headers };
}

/** Rejects a CONNECT request: this server forwards to one service and tunnels nothing. */
export function refuseConnect(req: IncomingMessage, socket: Duplex): void {
  const message = `${req.url} cannot be reached through this proxy: it forwards to one service only. Give the client its URL as the base URL, and do not name it in HTTP_PROXY or HTTPS_PROXY.`;
  sendProxyErrorOn(socket, { status: 501, code: 'connect', message });
}

export function badTargetError({ url }: IncomingMessage): ProxyError {
  const message = `Invalid request target ${url}. Send requests for paths that begin with /v1.`;
  return { status: 400, code: 'bad_target', message };
}
