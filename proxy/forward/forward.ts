import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex, Stream } from 'node:stream';
import { PassThrough, Readable } from 'node:stream';
import type httpProxy from 'http-proxy';
import type { HeaderPairs } from '../../exchange/exchange.ts';
import { firstHeader } from '../../exchange/http/headers.ts';
import type { ExchangeListener } from '../record/exchange-listener.ts';
import { createProxyServer } from '../upstream/http-proxy.ts';
import { unpassable } from '../upstream/passable.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { type UpstreamHeaders, upstreamHeaders } from '../upstream/upstream-headers.ts';
import type { UrlRewriter } from '../urls/url-rewriter.ts';
import { LARGEST_HEAD } from '../verify/send-request.ts';
import { faultOf, UpstreamTimeout } from './fault.ts';
import { ProxiedExchange } from './proxied-exchange.ts';
import { refuseOn } from './proxy-error.ts';

export interface ForwardOptions {
  readonly upstream: Upstream;
  /** Fields that go to the upstream with every request, in place of the client's of the same names. */
  readonly headers: HeaderPairs;
  /** False for hosts that are to see no credentials. */
  readonly trust: boolean;
  /** Milliseconds of silence after which the upstream is given up; 0 for never. */
  readonly timeout: number;
  readonly rewriter: UrlRewriter | null;
}

export interface ForwardedRequest {
  /** Path and query, from `/v1` on. */
  readonly path: string;
  /** What `route` gave. */
  readonly headers: UpstreamHeaders;
  readonly listener: ExchangeListener;
  /** The client waits for `100 Continue` before it sends the body. */
  readonly expects: boolean;
  /** The whole of the request body, where it has been read already. */
  readonly body: Buffer | null;
}

/** Shorter than the patience of most services with a connection that says nothing. */
const IDLE = 4_000;

interface Pending {
  readonly proxied: ProxiedExchange;
  readonly headers: HeaderPairs;
  readonly path: string;
  /** Where the body waits until the upstream says `100 Continue`; null when it does not wait. */
  readonly gate: PassThrough | null;
}

/**
 * Where a request carries what is known of it. In a map, even a weak one, requests that are over would stay until the old
 * generation is collected.
 */
const PENDING = Symbol('pending');
type Carrier = IncomingMessage & { [PENDING]?: Pending };

function pendingOf(req: Carrier): Pending | undefined {
  return req[PENDING];
}

/**
 * Forwards requests to one upstream over kept connections. The transport is http-proxy, which does the connecting and the
 * request's way up; the way back, and what happens when either side leaves, is `Passage`.
 */
export class Forwarder {
  readonly #options: ForwardOptions;
  readonly #agent: HttpAgent;
  /** What http-proxy goes by. It copies them for requests that bring options of their own, which takes long. */
  readonly #transport: httpProxy.ServerOptions;
  readonly #proxy: httpProxy;

  constructor(options: ForwardOptions) {
    this.#options = options;
    const { protocol, hostname, port } = options.upstream;
    const keeping = { keepAlive: true, timeout: IDLE, scheduling: 'lifo' as const };
    // Without TLS the server's name is of no use: where there is one, node does not make it of each request.
    const plain = { ...keeping, servername: '' };
    this.#agent = protocol === 'https:' ? new HttpsAgent(keeping) : new HttpAgent(plain);
    // By this it tells its connections apart; all of them go to one place.
    this.#agent.getName = () => hostname;
    this.#transport = {
      target: { protocol, hostname, host: hostname, port },
      agent: this.#agent,
      selfHandleResponse: true,
      // The path is put in by `#prepare`, as it came: http-proxy would take it apart and clean it.
      toProxy: true,
      ignorePath: true,
      // http-proxy begins the options of each request with these.
      ssl: { maxHeaderSize: LARGEST_HEAD },
    };
    this.#proxy = createProxyServer(this.#transport);
    this.#proxy.on('proxyReq', (outgoing, req) => this.#prepare(outgoing, req));
    this.#proxy.on('proxyReqWs', (outgoing, _req, socket) => this.#prepareUpgrade(outgoing, socket));
    this.#proxy.on('open', (upstream) => this.#limit(upstream));
    this.#proxy.on('proxyRes', (incoming, req) => pendingOf(req)?.proxied.answered(incoming));
    // An upgrade that fails is told elsewhere; here it must not be thrown.
    this.#proxy.on('error', (error, req) => pendingOf(req)?.proxied.failed(error));
  }

  /** The fields that go to the upstream for a request. */
  route(req: IncomingMessage): UpstreamHeaders {
    const { upstream, headers, trust } = this.#options;
    return upstreamHeaders(req.rawHeaders, upstream, headers, trust);
  }

  /** Sends a request on, and its answer back. */
  forward(
    req: IncomingMessage,
    res: ServerResponse,
    { path, headers: route, listener, expects, body }: ForwardedRequest,
  ): void {
    const proxied = new ProxiedExchange(req, res, listener, this.#options.rewriter);
    const gate = expects ? new PassThrough() : null;
    const pending: Pending = {
      proxied,
      gate,
      headers: route.headers,
      path: `${this.#options.upstream.prefix}${path}`,
    };
    // as: a field of our own, under a name that nobody else has
    (req as Carrier)[PENDING] = pending;
    // http-proxy sends what stands here, which node gives it in lower case and in one line per name.
    req.headers = route.fields;
    const source = body === null ? gate : Readable.from([body], { objectMode: false });
    // as: `pipe`, the one thing that is asked of it. Node's own takes more listeners than all the rest of a request.
    this.#transport.buffer = source ?? (proxied as unknown as Stream);
    // It is asked at once; the body begins to flow a tick after the first listener, when the upstream's head is prepared.
    try {
      this.#proxy.web(req, res);
    } catch (error) {
      // What node refuses to send.
      proxied.failed(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    if (source !== null) proxied.listen(body);
    if (gate !== null) req.pause();
  }

  /** Connects both sides of an upgraded connection; nothing of it is seen. */
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { upstream, headers } = this.#options;
    const { protocol, hostname, port } = upstream;
    const target = { protocol, hostname, host: hostname, port, path: upstream.prefix + req.url };
    const given = Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]));
    socket.on('error', () => socket.destroy());
    this.#proxy.ws(req, socket, head, { target, changeOrigin: true, headers: given }, (error) => {
      const { code, message } = faultOf(error, 'code' in error ? String(error.code) : null);
      if (socket.destroyed || !socket.writable) return;
      if (code === 'upstream_reset') socket.destroy();
      else refuseOn(socket, code === 'upstream_timeout' ? 504 : 502, code, message);
    });
  }

  close(): void {
    this.#agent.destroy();
    this.#proxy.close();
  }

  /** Gives the request to the upstream the very path of the client, which http-proxy has rewritten, and what it left out. */
  #prepare(outgoing: ClientRequest, req: IncomingMessage): void {
    const pending = pendingOf(req);
    if (pending === undefined) return;
    outgoing.path = pending.path;
    if (req.method === 'DELETE' || req.method === 'OPTIONS') restoreLength(outgoing, pending.headers);
    this.#limit(outgoing);
    const { proxied: passage, gate } = pending;
    passage.sent(outgoing);
    outgoing.on('information', (information) => passage.informed(information));
    outgoing.on('upgrade', (incoming, socket) => {
      socket.destroy();
      passage.switched(incoming);
    });
    if (gate === null) return;
    outgoing.setHeader('Expect', '100-continue');
    outgoing.flushHeaders();
    outgoing.once('continue', () => {
      passage.goOn();
      req.pipe(gate);
    });
  }

  /** When one side of an upgraded connection closes, so does the other, which http-proxy leaves open. */
  #prepareUpgrade(outgoing: ClientRequest, socket: Duplex): void {
    this.#limit(outgoing);
    socket.on('close', () => outgoing.destroy());
    outgoing.on('upgrade', (_incoming, upstream: Duplex) => {
      socket.on('close', () => upstream.destroy());
      upstream.on('close', () => socket.destroy());
    });
    outgoing.on('response', decline);
  }

  /** Gives an upstream up that is silent for too long. */
  #limit(upstream: ClientRequest | Socket): void {
    const { timeout } = this.#options;
    if (timeout === 0) return;
    const seconds = timeout / 1000;
    upstream.setTimeout(timeout, () => upstream.destroy(new UpstreamTimeout(`silent for ${seconds} s`)));
  }
}

/**
 * Makes the answer to an upgrade that the upstream declines fit to be passed on: http-proxy takes it out of its chunks, and
 * would still say that it comes in chunks.
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

/** http-proxy takes requests of some methods for empty ones, not seeing the length under its own name. */
function restoreLength(outgoing: ClientRequest, headers: HeaderPairs): void {
  for (const name of ['content-length', 'transfer-encoding']) {
    const value = firstHeader(headers, name);
    if (value === null) outgoing.removeHeader(name);
    else outgoing.setHeader(name, value);
  }
}
