import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { headerPairs } from '../../exchange/http/headers.ts';
import { messageOf } from '../../schemas/error-message.ts';
import { sendProxyError, sendProxyErrorOn } from './proxy-error.ts';

/** Whether the client sends the request body at once, or waits for `100 Continue` first. */
export type BodyTiming = 'at-once' | 'after-continue';

/** Receives what clients send to a listening server. */
export interface ServerHandlers {
  request(req: IncomingMessage, res: ServerResponse, timing: BodyTiming): void;
  /** A client asks for WebSocket; `head` holds bytes that it sent after the request. */
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** A client uses this server as a tunnel (`CONNECT host:port`). */
  connect(req: IncomingMessage, socket: Duplex): void;
}

/** Largest request head that is accepted, as large as services accept. Bytes. */
const LARGEST_HEAD = 1024 * 1024;

/** A server that accepts connections on loopback. */
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
  const server = createServer({ requestTimeout: 0, noDelay: true, maxHeaderSize: LARGEST_HEAD });
  server.on('request', (req, res) => answering(res, () => handlers.request(req, res, 'at-once')));
  server.on('checkContinue', (req, res) =>
    answering(res, () => handlers.request(req, res, 'after-continue')),
  );
  /** node no longer closes a connection once it is upgraded, but its server still waits for it when it closes. */
  const upgraded = new Set<Duplex>();
  server.on('upgrade', (req, socket, head) => {
    upgraded.add(socket);
    socket.on('close', () => upgraded.delete(socket));
    const isWebSocket = req.method === 'GET' && req.headers.upgrade?.toLowerCase() === 'websocket';
    connecting(socket, () => {
      if (isWebSocket) handlers.upgrade(req, socket, head);
      else withoutUpgrade(server, req, socket, head);
    });
  });
  server.on('connect', (req, socket) => {
    upgraded.add(socket);
    socket.on('close', () => upgraded.delete(socket));
    connecting(socket, () => handlers.connect(req, socket));
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

/** Answers with 500 where handling a request throws: no request ends the process. */
function answering(res: ServerResponse, action: () => void): void {
  try {
    action();
  } catch (error) {
    if (res.headersSent) res.destroy();
    else sendProxyError(res, { status: 500, code: 'proxy_error', message: messageOf(error) });
  }
}

/** The same for a connection that leaves HTTP, which may also be reset at any moment. */
function connecting(socket: Duplex, action: () => void): void {
  socket.on('error', () => socket.destroy());
  try {
    action();
  } catch (error) {
    if (!socket.writable) socket.destroy();
    else sendProxyErrorOn(socket, { status: 500, code: 'proxy_error', message: messageOf(error) });
  }
}

/** Ignores an upgrade to another protocol (`h2c`), as HTTP allows: the request is parsed again without the offer. */
function withoutUpgrade(server: Server, req: IncomingMessage, socket: Duplex, head: Buffer): void {
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
