import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** What an answer of the proxy itself says besides its status. */
interface Refusal {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string | number>>;
}

/** An answer of the proxy itself, told apart from the service's by its header `x-assay-error`. */
export function sendProxyError(
  res: ServerResponse,
  status: number,
  code: string,
  message: string,
  {
    headers = {},
    ...more
  }: { readonly headers?: Refusal['headers'] } & Readonly<Record<string, unknown>> = {},
): void {
  const refusal = refusalOf(code, message, more);
  // The reason phrase is given: where another answer was given up, its own would still stand there.
  res.writeHead(status, STATUS_CODES[status] ?? '', { ...refusal.headers, ...headers });
  res.end(refusal.body);
}

/** The same on a bare connection, as an upgrade leaves it; the connection is closed after it. */
export function refuseOn(socket: Duplex, status: number, code: string, message: string): void {
  const { headers, body } = refusalOf(code, message, {});
  const fields = { ...headers, Connection: 'close' };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n`;
  socket.on('error', () => socket.destroy());
  socket.end(Buffer.concat([Buffer.from(head), body]), () => socket.destroy());
}

/** Refuses to be the proxy of another connection. */
export function refuseConnect(req: IncomingMessage, socket: Duplex): void {
  const message = `${req.url} cannot be reached through this proxy: it stands for one service. Give the client its URL as the base URL, and do not name it in HTTP_PROXY or HTTPS_PROXY.`;
  refuseOn(socket, 501, 'connect', message);
}

function refusalOf(code: string, message: string, more: object): Refusal {
  const error = { message, type: 'assay_proxy', code, ...more };
  const body = Buffer.from(`${JSON.stringify({ error }, null, 2)}\n`);
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    'x-assay-error': code,
  };
  return { body, headers };
}
