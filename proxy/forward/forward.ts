import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex, Stream } from 'node:stream';
import { PassThrough, Readable } from 'node:stream';
import type httpProxy from 'http-proxy';
import type { HeaderPairs } from '../../exchange/exchange.ts';
import { firstHeader } from '../../exchange/http/headers.ts';
import { errorCode } from '../../schemas/error-message.ts';
import type { ExchangeListener } from '../record/exchange-listener.ts';
import { createProxyServer } from '../upstream/http-proxy.ts';
import { IdleConnections } from '../upstream/idle-connections.ts';
import { unpassable } from '../upstream/passable.ts';
import type { Upstream } from '../upstream/upstream.ts';
import {
  type CredentialPolicy,
  type UpstreamHeaders,
  upstreamHeaders,
} from '../upstream/upstream-headers.ts';
import type { UrlRewriter } from '../urls/url-rewriter.ts';
import { LARGEST_HEAD } from '../verify/send-request.ts';
import { faultOf, statusOfFault, UpstreamTimeout } from './fault.ts';
import type { BodyTiming } from './listen.ts';
import { ProxiedExchange } from './proxied-exchange.ts';
import { sendProxyErrorOn } from './proxy-error.ts';

/** How requests are forwarded to one upstream. */
export interface ForwardOptions {
  readonly upstream: Upstream;
  /** Fields sent with every request; they replace the client's fields of the same names. */
  readonly headers: HeaderPairs;
  /** `removed` for hosts other than the service: they must not receive its credentials. */
  readonly credentials: CredentialPolicy;
  /** Milliseconds of silence after which the upstream has timed out; 0 for never. */
  readonly timeout: number;
  /** Rewrites URLs in responses; null to pass them on unchanged. */
  readonly rewriter: UrlRewriter | null;
}

/** One request to forward. */
export interface ForwardedRequest {
  /** Path and query, from `/v1` on. */
  readonly path: string;
  /** The result of `route`. */
  readonly headers: UpstreamHeaders;
  readonly listener: ExchangeListener;
  readonly timing: BodyTiming;
  /** The complete request body, where it has been read already; null otherwise. */
  readonly body: Buffer | null;
}

/** The state of a request between the handlers of http-proxy. */
interface Pending {
  readonly proxied: ProxiedExchange;
  readonly headers: HeaderPairs;
  readonly path: string;
  /** Holds the body back until the upstream sends `100 Continue`; null when it is sent at once. */
  readonly gate: PassThrough | null;
}

/**
 * Key under which a request carries its state. In a map, even a weak one, finished requests would stay in memory until the
 * old generation is collected.
 */
const PENDING = Symbol('pending');
type Carrier = IncomingMessage & { [PENDING]?: Pending };

function pendingOf(req: Carrier): Pending | undefined {
  return req[PENDING];
}

/**
 * Forwards requests to one upstream over persistent connections. http-proxy connects and sends the request;
 * `ProxiedExchange` returns the response and handles disconnects of either side.
 */
export class Forwarder {
  readonly #options: ForwardOptions;
  readonly #idle: IdleConnections;
  /** Options of http-proxy, shared by all requests: it copies them for requests with separate options, which is slow. */
  readonly #transport: httpProxy.ServerOptions;
  readonly #proxy: httpProxy;

  constructor(options: ForwardOptions) {
    this.#options = options;
    const { protocol, hostname, port } = options.upstream;
    const keeping = { keepAlive: true, scheduling: 'lifo' as const };
    // Without TLS the server name is unused; a constant spares node deriving it for each request.
    const plain = { ...keeping, servername: '' };
    const agent = protocol === 'https:' ? new HttpsAgent(keeping) : new HttpAgent(plain);
    // The key of the connection pool: all connections go to one upstream.
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
      ssl: { maxHeaderSize: LARGEST_HEAD },
    };
    this.#proxy = createProxyServer(this.#transport);
    this.#proxy.on('proxyReq', (outgoing, req) => this.#prepare(outgoing, req));
    this.#proxy.on('proxyReqWs', (outgoing, _req, socket) => this.#prepareUpgrade(outgoing, socket));
    this.#proxy.on('open', (upstream) => this.#limit(upstream));
    this.#proxy.on('proxyRes', (incoming, req) => {
      this.#idle.note(incoming);
      pendingOf(req)?.proxied.answered(incoming);
    });
    // A failed upgrade is reported by its callback; without a listener here, it would be thrown.
    this.#proxy.on('error', (error, req) => pendingOf(req)?.proxied.failed(error));
  }

  /** The header fields that are sent to the upstream for a request. */
  route(req: IncomingMessage): UpstreamHeaders {
    const { upstream, headers, credentials } = this.#options;
    return upstreamHeaders(req.rawHeaders, upstream, headers, credentials);
  }

  /** Forwards a request, and its response. */
  forward(
    req: IncomingMessage,
    res: ServerResponse,
    { path, headers: route, listener, timing, body }: ForwardedRequest,
  ): void {
    const proxied = new ProxiedExchange(req, res, listener, this.#options.rewriter);
    const gate = timing === 'after-continue' ? new PassThrough() : null;
    const pending: Pending = {
      proxied,
      gate,
      headers: route.headers,
      path: `${this.#options.upstream.prefix}${path}`,
    };
    // as: an additional field under a symbol of this module
    (req as Carrier)[PENDING] = pending;
    // http-proxy sends these fields; node's own would be in lower case, and joined by name.
    req.headers = route.fields;
    const source = body === null ? gate : Readable.from([body], { objectMode: false });
    // as: http-proxy calls `pipe` only. Node's `pipe` adds more listeners than the rest of a request together.
    this.#transport.buffer = source ?? (proxied as unknown as Stream);
    // http-proxy reads it synchronously; the body flows a tick after its first listener, when the request head is prepared.
    try {
      this.#proxy.web(req, res);
    } catch (error) {
      // A request that node refuses to send, such as one with an invalid header field.
      proxied.failed(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    if (source !== null) proxied.listen(body);
    if (gate !== null) req.pause();
  }

  /** Connects both sides of an upgraded connection; its bytes are not recorded. */
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { upstream, headers } = this.#options;
    const { protocol, hostname, port } = upstream;
    const target = { protocol, hostname, host: hostname, port, path: upstream.prefix + req.url };
    const given = Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]));
    socket.on('error', () => socket.destroy());
    this.#proxy.ws(req, socket, head, { target, changeOrigin: true, headers: given }, (error) => {
      const { code, message } = faultOf(error, errorCode(error));
      if (socket.destroyed || !socket.writable) return;
      if (code === 'upstream_reset') socket.destroy();
      else sendProxyErrorOn(socket, { status: statusOfFault(code), code, message });
    });
  }

  /** Closes the connections to the upstream. */
  close(): void {
    this.#idle.close();
    this.#proxy.close();
  }

  /** Restores the client's path, which http-proxy has rewritten, and fields that it left out. */
  #prepare(outgoing: ClientRequest, req: IncomingMessage): void {
    const pending = pendingOf(req);
    if (pending === undefined) return;
    outgoing.path = pending.path;
    if (req.method === 'DELETE' || req.method === 'OPTIONS') restoreLength(outgoing, pending.headers);
    this.#limit(outgoing);
    const { proxied, gate } = pending;
    proxied.sent(outgoing);
    outgoing.on('information', (information) => proxied.informed(information));
    outgoing.on('upgrade', (incoming, socket) => {
      socket.destroy();
      proxied.switched(incoming);
    });
    if (gate === null) return;
    outgoing.setHeader('Expect', '100-continue');
    outgoing.flushHeaders();
    outgoing.once('continue', () => {
      proxied.goOn();
      req.pipe(gate);
    });
  }

  /** Closes one side of an upgraded connection with the other, which http-proxy leaves open. */
  #prepareUpgrade(outgoing: ClientRequest, socket: Duplex): void {
    this.#limit(outgoing);
    socket.on('close', () => outgoing.destroy());
    outgoing.on('upgrade', (_incoming, upstream: Duplex) => {
      socket.on('close', () => upstream.destroy());
      upstream.on('close', () => socket.destroy());
    });
    outgoing.on('response', decline);
  }

  /** Aborts a connection to the upstream after the timeout. */
  #limit(upstream: ClientRequest | Socket): void {
    const { timeout } = this.#options;
    if (timeout === 0) return;
    const seconds = timeout / 1000;
    upstream.setTimeout(timeout, () => upstream.destroy(new UpstreamTimeout(`silent for ${seconds} s`)));
  }
}

/**
 * Prepares the response of an upstream that declines an upgrade: http-proxy decodes its chunks, but would still announce a
 * chunked body.
 */
function decline(incoming: IncomingMessage): void {
  const { headers, statusCode = 0, statusMessage = '' } = incoming;
  delete headers['transfer-encoding'];
  delete headers['trailer'];
  headers.connection = 'close';
  if (unpassable(statusCode, statusMessage, 0) === null) return;
  incoming.statusCode = 502;
  incoming.statusMessage = 'Bad Gateway';
}

/** Restores the body length of methods that http-proxy takes for bodyless, as it looks for the length under another name. */
function restoreLength(outgoing: ClientRequest, headers: HeaderPairs): void {
  for (const name of ['content-length', 'transfer-encoding']) {
    const value = firstHeader(headers, name);
    if (value === null) outgoing.removeHeader(name);
    else outgoing.setHeader(name, value);
  }
}
