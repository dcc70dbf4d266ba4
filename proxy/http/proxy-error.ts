import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { abortResponse } from './response.ts';

export interface ProxyError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly details?: object;
}

/**
 * Sends a response of the proxy itself; its header `x-assay-error` distinguishes it from responses of the service.
 * Aborts the response instead if its head was already written.
 */
export function sendProxyError(res: ServerResponse, error: ProxyError): void {
  if (res.headersSent) {
    abortResponse(res);
    return;
  }
  const { headers, body } = errorResponse(error);
  // The reason phrase is explicit: a response that was abandoned before may have left its own in `res`.
  res.writeHead(error.status, STATUS_CODES[error.status] ?? '', { ...headers, ...error.headers });
  res.end(body);
}

export function sendProxyErrorOn(socket: Duplex, error: Omit<ProxyError, 'headers'>): void {
  const { headers, body } = errorResponse(error);
  const fields = { ...headers, Connection: 'close' };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}\r\n${lines.join('')}\r\n`;
  socket.end(Buffer.concat([Buffer.from(head), body]), () => socket.destroy());
}

function errorResponse({ code, message, details }: Omit<ProxyError, 'headers'>) {
  const error = { message, type: 'assay_proxy', code, ...details };
  const body = Buffer.from(`${JSON.stringify({ error }, null, 2)}\n`);
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    'x-assay-error': code,
  };
  return { body, headers };
}

export function refuseConnect(req: IncomingMessage, socket: Duplex): void {
  const message = `${req.url} cannot be reached through this proxy, because it opens no tunnels. Give the client the URL of this proxy as its base URL, and do not name the proxy in HTTP_PROXY or HTTPS_PROXY.`;
  sendProxyErrorOn(socket, { status: 501, code: 'connect', message });
}

export function badTargetError({ url }: IncomingMessage): ProxyError {
  const message = `Invalid request target ${url}. Send requests for paths that begin with /v1.`;
  return { status: 400, code: 'bad_target', message };
}
