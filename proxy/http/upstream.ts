import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { HeaderPairs, HttpResponse } from '../../exchange/exchange.ts';
import { Body } from '../../exchange/http/body.ts';
import { flatHeaders, headerPairs } from '../../exchange/http/headers.ts';

/** The service behind the proxy. */
export interface Upstream {
  readonly protocol: 'http:' | 'https:';
  readonly hostname: string;
  readonly port: number;
  /** Value of the `Host` header. */
  readonly host: string;
  /** Path before `/v1`; empty for most. */
  readonly prefix: string;
}

/** Reads a base URL, with or without `/v1`. Throws TypeError when it is not a URL of HTTP or HTTPS. */
export function parseUpstream(baseUrl: string): Upstream {
  const url = new URL(baseUrl);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new TypeError(`${baseUrl} is not a URL of HTTP. Write it as http://host/v1 or https://host/v1.`);
  }
  return {
    protocol: url.protocol,
    hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
    host: url.host,
    prefix: url.pathname.replace(/\/+$/, '').replace(/\/v1$/, ''),
  };
}

/** The origin of a service that has no path before `/v1`; null for others. */
export function originOf(baseUrl: string): string | null {
  return parseUpstream(baseUrl).prefix === '' ? new URL(baseUrl).origin : null;
}

/** Largest response head that is accepted; node's default is 16 KiB. Bytes. */
export const LARGEST_HEAD = 16 * 1024 * 1024;

/** One request as it is sent; `target` is added to the prefix of the upstream. */
export interface SendOptions {
  readonly method: string;
  readonly target: string;
  readonly headers: HeaderPairs;
  readonly body: Uint8Array;
}

/**
 * Sends one request and returns the complete response. Rejects with the system's error when none arrives.
 * `timeout`: milliseconds of silence after which it rejects.
 */
export function sendRequest(
  upstream: Upstream,
  { method, target, headers, body }: SendOptions,
  timeout: number,
): Promise<HttpResponse> {
  const { protocol, hostname, port, host, prefix } = upstream;
  const fields: HeaderPairs = [['Host', host], ...headers];
  return new Promise((resolve, reject) => {
    const open = protocol === 'https:' ? httpsRequest : httpRequest;
    const path = `${prefix}${target}`;
    const limits = { timeout, maxHeaderSize: LARGEST_HEAD };
    const options = { hostname, port, path, method, headers: flatHeaders(fields), ...limits };
    const outgoing = open(options, (incoming) => answer(incoming).then(resolve, reject));
    outgoing.on('timeout', () => outgoing.destroy(new Error(`silent for ${timeout / 1000} s`)));
    outgoing.on('error', reject);
    outgoing.on('upgrade', (_, socket) => {
      socket.destroy();
      reject(new Error('it switches protocols (101), which the request did not ask for'));
    });
    outgoing.end(body);
  });
}

/** Collects a response. The times of its pieces are not compared, so they are not kept. */
async function answer(incoming: IncomingMessage): Promise<HttpResponse> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return {
    status: incoming.statusCode ?? 0,
    reason: incoming.statusMessage ?? '',
    headers: headerPairs(incoming.rawHeaders),
    body: Body.of(Buffer.concat(chunks)),
    trailers: headerPairs(incoming.rawTrailers),
    pieces: [],
  };
}
