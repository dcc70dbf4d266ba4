import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';
import { type Duplex, Readable, type Stream } from 'node:stream';
import type httpProxy from 'http-proxy';
import type { HeaderPairs } from '../../exchange/exchange.ts';
import { firstHeader } from '../../exchange/http/headers.ts';
import { SCOPE_HEADER } from '../../exchange/matching/request-key.ts';
import { headerClass, holdsCredential } from '../../exchange/redaction/header-fields.ts';
import { sendProxyErrorOn } from '../http/proxy-error.ts';
import { isHopByHop } from '../http/response.ts';
import type { BodyTiming } from '../http/server.ts';
import { findUnpassablePart } from '../http/unpassable.ts';
import { MAX_RESPONSE_HEAD_BYTES, type Upstream } from '../http/upstream.ts';
import type { UrlRewriter } from '../http/url-rewriter.ts';
import { faultOf, statusOfFault, UpstreamTimeout } from './forwarding-fault.ts';
import { createProxyServer } from './http-proxy.ts';
import { IdleConnections } from './idle-connections.ts';
import { type ExchangeListener, ProxiedExchange } from './proxied-exchange.ts';

export interface ForwardOptions {
  readonly upstream: Upstream;
  /** Fields sent with every request; they replace the client's fields of the same names. */
  readonly headers: HeaderPairs;
  /** `removed` for hosts other than the service, which must not receive its credentials. */
  readonly credentials: 'forwarded' | 'removed';
  /** Milliseconds of silence after which the upstream has timed out; 0 for never. */
  readonly timeout: number;
  /** Rewrites URLs in responses; null to pass them on unchanged. */
  readonly rewriter: UrlRewriter | null;
}

export interface UpstreamHeaders {
  /** The fields for the cassette: those that are sent, hop-by-hop fields of the client, and the scope. */
  readonly headers: HeaderPairs;
  /** The fields to send: names in their original case, repeated fields as a list; no hop-by-hop fields, no scope. */
  readonly fields: IncomingHttpHeaders;
}

export interface ForwardedRequest {
  /** Path and query, without the upstream's path prefix. */
  readonly path: string;
  readonly headers: UpstreamHeaders;
  readonly listener: ExchangeListener;
  readonly timing: BodyTiming;
  /** The complete body if it was read already; null to stream the client's. */
  readonly body: Buffer | null;
}

interface RequestState {
  readonly proxied: ProxiedExchange;
  readonly headers: HeaderPairs;
  readonly path: string;
  readonly timing: BodyTiming;
}

/** The state is stored on the request: even a weak map would keep requests until the old generation is collected. */
const STATE = Symbol('state');
type RequestWithState = IncomingMessage & { [STATE]?: RequestState };

/** Whether a field identifies the client, so that other hosts must not receive it. `name`: in lower case. */
function identifiesClient(name: string, value: string): boolean {
  return ['cookie', 'masked'].includes(headerClass(name)) || holdsCredential(name, value);
}

/**
 * Forwards requests to one upstream: http-proxy connects and sends the request; `ProxiedExchange` returns the response
 * and handles disconnects of either side.
 */
export class Forwarder {
  readonly #options: ForwardOptions;
  readonly #idle: IdleConnections;
  /** Options of http-proxy, shared by all requests: copying them for each request, as http-proxy would, is slow. */
  readonly #transport: httpProxy.ServerOptions;
  readonly #proxy: httpProxy;

  constructor(options: ForwardOptions) {
    this.#options = options;
    const { protocol, hostname, port } = options.upstream;
    const poolOptions = { keepAlive: true, scheduling: 'lifo' as const };
    // Without TLS the server name is unused; a constant saves node from deriving it for each request.
    const plainOptions = { ...poolOptions, servername: '' };
    const agent = protocol === 'https:' ? new HttpsAgent(poolOptions) : new HttpAgent(plainOptions);
    // The key of the connection pool is constant, because all connections go to one upstream.
    agent.getName = () => hostname;
    this.#idle = new IdleConnections(agent);
    this.#transport = {
      target: { protocol, hostname, host: hostname, port },
      agent,
      selfHandleResponse: true,
      // `#prepare` sets the path as the client sent it: http-proxy would parse and normalise it.
      toProxy: true,
      ignorePath: true,
      // http-proxy copies these into the options of each request.
      ssl: { maxHeaderSize: MAX_RESPONSE_HEAD_BYTES },
    };
    this.#proxy = createProxyServer(this.#transport);
    this.#proxy.on('proxyReq', (outgoing, req: RequestWithState) => {
      if (req[STATE] !== undefined) this.#prepare(outgoing, req, req[STATE]);
    });
    this.#proxy.on('proxyReqWs', (outgoing, _req, socket) => this.#prepareUpgrade(outgoing, socket));
    this.#proxy.on('open', (upstream) => this.#limitSilence(upstream));
    this.#proxy.on('proxyRes', (incoming, req: RequestWithState) => {
      this.#idle.noteKeepAlive(incoming);
      req[STATE]?.proxied.receive(incoming);
    });
    // A failed upgrade is reported to its own callback; without a listener here, http-proxy would throw other errors.
    this.#proxy.on('error', (error, req: RequestWithState) => req[STATE]?.proxied.fail(error));
  }

  upstreamHeaders({ rawHeaders }: IncomingMessage): UpstreamHeaders {
    const { upstream, headers: ownHeaders, credentials } = this.#options;
    const headers: (readonly [string, string])[] = [];
    const fields: Record<string, string | string[]> = {};
    const names = new Map<string, string>();
    const add = (name: string, lower: string, value: string) => {
      headers.push([name, value]);
      if (isHopByHop(lower) || lower === SCOPE_HEADER) return;
      const firstName = names.get(lower);
      if (firstName === undefined) {
        names.set(lower, name);
        fields[name] = value;
      } else fields[firstName] = [fields[firstName] ?? [], value].flat();
    };
    for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
      const name = rawHeaders[i] ?? '';
      const lower = name.toLowerCase();
      if (ownHeaders.some(([other]) => other.toLowerCase() === lower)) continue;
      if (credentials === 'removed' && identifiesClient(lower, rawHeaders[i + 1] ?? '')) continue;
      add(name, lower, lower === 'host' ? upstream.host : (rawHeaders[i + 1] ?? ''));
    }
    for (const [name, value] of ownHeaders) add(name, name.toLowerCase(), value);
    return { headers, fields };
  }

  forward(req: IncomingMessage, res: ServerResponse, request: ForwardedRequest): void {
    const { headers, listener, timing, body } = request;
    const proxied = new ProxiedExchange(req, res, listener, this.#options.rewriter);
    const path = `${this.#options.upstream.prefix}${request.path}`;
    // as: an additional field under a symbol of this module
    (req as RequestWithState)[STATE] = { proxied, timing, headers: headers.headers, path };
    // http-proxy sends these fields; node's own would be in lower case, and joined by name.
    req.headers = headers.fields;
    // as: http-proxy only calls `pipe`. Node's `pipe` adds more listeners than everything else in a request.
    const piped = proxied as unknown as Stream;
    this.#transport.buffer = body === null ? piped : Readable.from([body], { objectMode: false });
    // http-proxy reads `buffer` synchronously; the body flows one tick after `pipe`, when the head is ready.
    try {
      this.#proxy.web(req, res);
    } catch (error) {
      // Node refuses to send some requests, such as one with an invalid header field.
      proxied.fail(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    if (body !== null) proxied.record(body);
  }

  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { upstream, headers } = this.#options;
    const { protocol, hostname, port } = upstream;
    const target = { protocol, hostname, host: hostname, port, path: upstream.prefix + req.url };
    const ownHeaders = Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]));
    socket.on('error', () => socket.destroy());
    delete req.headers[SCOPE_HEADER];
    this.#proxy.ws(req, socket, head, { target, changeOrigin: true, headers: ownHeaders }, (error) => {
      const { code, message } = faultOf(error);
      if (socket.destroyed || !socket.writable) return;
      if (code === 'upstream_reset') socket.destroy();
      else sendProxyErrorOn(socket, { status: statusOfFault(code), code, message });
    });
  }

  close(): void {
    this.#idle.close();
    this.#proxy.close();
  }

  /** Restores the client's path and length fields, which http-proxy rewrote; attaches listeners to the request. */
  #prepare(
    outgoing: ClientRequest,
    req: IncomingMessage,
    { path, headers, proxied, timing }: RequestState,
  ): void {
    outgoing.path = path;
    if (req.method === 'DELETE' || req.method === 'OPTIONS') restoreLength(outgoing, headers);
    this.#limitSilence(outgoing);
    proxied.attach(outgoing);
    outgoing.on('information', (information) => proxied.forwardInformation(information));
    outgoing.on('upgrade', (incoming, socket) => {
      socket.destroy();
      proxied.receiveProtocolSwitch(incoming);
    });
    if (timing === 'at-once') return;
    // The body is not held back: a client stops waiting if the service never sends `100 Continue`.
    outgoing.setHeader('Expect', '100-continue');
    outgoing.flushHeaders();
    outgoing.once('continue', () => proxied.continueRequest());
  }

  /** Closes each side of an upgraded connection when the other closes; http-proxy would leave it open. */
  #prepareUpgrade(outgoing: ClientRequest, socket: Duplex): void {
    this.#limitSilence(outgoing);
    socket.on('close', () => outgoing.destroy());
    outgoing.on('upgrade', (_incoming, upstream: Duplex) => {
      socket.on('close', () => upstream.destroy());
      upstream.on('close', () => socket.destroy());
    });
    outgoing.on('response', prepareDeclinedUpgrade);
  }

  #limitSilence(upstream: ClientRequest | Socket): void {
    const { timeout } = this.#options;
    if (timeout === 0) return;
    const seconds = timeout / 1000;
    upstream.setTimeout(timeout, () => upstream.destroy(new UpstreamTimeout(`silent for ${seconds} s`)));
  }
}

/** Prepares the response to a declined upgrade: http-proxy decodes its chunks, but still announces a chunked body. */
function prepareDeclinedUpgrade(incoming: IncomingMessage): void {
  const { headers, statusCode = 0, statusMessage = '' } = incoming;
  delete headers['transfer-encoding'];
  delete headers['trailer'];
  headers.connection = 'close';
  if (findUnpassablePart(statusCode, statusMessage, 0) === null) return;
  incoming.statusCode = 502;
  incoming.statusMessage = 'Bad Gateway';
}

/** Restores the body length of DELETE and OPTIONS, which http-proxy sets to 0 unless `content-length` is lowercase. */
function restoreLength(outgoing: ClientRequest, headers: HeaderPairs): void {
  for (const name of ['content-length', 'transfer-encoding']) {
    const value = firstHeader(headers, name);
    if (value === null) outgoing.removeHeader(name);
    else outgoing.setHeader(name, value);
  }
}
