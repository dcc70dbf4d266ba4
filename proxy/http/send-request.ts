import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { HeaderPairs, HttpResponse } from '../../exchange/exchange.ts';
import { Body } from '../../exchange/http/body.ts';
import { headerPairs } from '../../exchange/http/headers.ts';
import { errorCode } from '../../schemas/error-message.ts';
import { isReset } from './response.ts';
import { UNREQUESTED_SWITCH } from './unpassable.ts';
import { MAX_RESPONSE_HEAD_BYTES, type Upstream } from './upstream.ts';

const CONNECTION_FIELDS =
  /^(?:host|connection|keep-alive|proxy-connection|content-length|transfer-encoding|expect)$/i;

export interface CompleteRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: HeaderPairs;
  readonly body: Uint8Array;
}

/** Methods that get `Content-Length: 0` without a body (RFC 9110, section 8.6); node would send chunks. */
const METHODS_WITH_CONTENT: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Returns the whole response, without the times of its pieces. Rejects with ClosedConnection if the service closes the
 * connection before the response head, and with another error if no complete response arrives for any other reason. A
 * request is retried on a new connection if a reused one closes before the response head. `timeout`: milliseconds of
 * silence after which it rejects; 0 for never.
 */
export async function sendRequest(
  upstream: Upstream,
  request: CompleteRequest,
  timeout: number,
): Promise<HttpResponse> {
  try {
    return await sendOnce(upstream, request, { timeout });
  } catch (error) {
    if (!(error instanceof ClosedConnection) || !error.wasReused) throw error;
    return sendOnce(upstream, request, { timeout, agent: false });
  }
}

export class ClosedConnection extends Error {
  override readonly name = 'ClosedConnection';
  readonly wasReused: boolean;

  constructor(error: Error, wasReused: boolean) {
    super(error.message, { cause: error });
    this.wasReused = wasReused;
  }
}

function sendOnce(
  { protocol, hostname, port, host, prefix }: Upstream,
  { method, target, headers, body }: CompleteRequest,
  { timeout, agent }: { readonly timeout: number; readonly agent?: false },
): Promise<HttpResponse> {
  const fields: HeaderPairs = [
    ['Host', host],
    ...headers.filter(([name]) => !CONNECTION_FIELDS.test(name)),
    ...(body.length > 0 || METHODS_WITH_CONTENT.has(method)
      ? [['Content-Length', String(body.length)] as const]
      : []),
  ];
  const path = `${prefix}${target}`;
  return new Promise((resolve, reject) => {
    const request = protocol === 'https:' ? httpsRequest : httpRequest;
    const address = { hostname, port, path, method, headers: fields.flat() };
    const options = { ...address, agent, timeout, maxHeaderSize: MAX_RESPONSE_HEAD_BYTES };
    let hasBegun = false;
    const outgoing = request(options, (incoming) => {
      hasBegun = true;
      readResponse(incoming).then(resolve, reject);
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`silent for ${timeout / 1000} s`)));
    outgoing.on('error', (error) => {
      const isClosed = !hasBegun && isReset(errorCode(error));
      reject(isClosed ? new ClosedConnection(error, outgoing.reusedSocket) : error);
    });
    outgoing.on('upgrade', (_, socket) => {
      socket.destroy();
      reject(new Error(UNREQUESTED_SWITCH));
    });
    outgoing.end(body);
  });
}

async function readResponse(incoming: IncomingMessage): Promise<HttpResponse> {
  return {
    status: incoming.statusCode ?? 0,
    reason: incoming.statusMessage ?? '',
    headers: headerPairs(incoming.rawHeaders),
    body: Body.from(await readMessage(incoming)),
    trailers: headerPairs(incoming.rawTrailers),
    pieces: [],
  };
}

export async function readMessage(message: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(piece);
  return Buffer.concat(pieces);
}
