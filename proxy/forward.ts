import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { PassThrough } from 'node:stream';
import httpProxy from 'http-proxy';
import type { HeaderPairs } from '../exchange/exchange.ts';
import { pairs } from '../exchange/headers.ts';
import { type Listener, Passage, UpstreamTimeout } from './passage.ts';
import { endToEnd, type Upstream, upstreamHeaders } from './upstream.ts';

export interface ForwardOptions {
  readonly upstream: Upstream;
  /** Value of the `Authorization` header that goes to the upstream in place of the client's; null leaves the client's. */
  readonly auth: string | null;
  /** Milliseconds of silence after which the upstream is given up; 0 for never. */
  readonly timeout: number;
}

/** Shorter than the patience of most services with a connection that says nothing. */
const IDLE = 4_000;

interface Pending {
  readonly passage: Passage;
  /** Where the body waits until the upstream says `100 Continue`; null when it does not wait. */
  readonly gate: PassThrough | null;
}

/**
 * Forwards requests to one upstream over kept connections. The transport is http-proxy, which does the connecting and the
 * request's way up; the way back, and what happens when either side leaves, is `Passage`.
 */
export class Forwarder {
  readonly #options: ForwardOptions;
  readonly #agent: HttpAgent;
  readonly #proxy: httpProxy;
  readonly #pending = new WeakMap<IncomingMessage, Pending>();

  constructor(options: ForwardOptions) {
    this.#options = options;
    const { protocol, hostname, port } = options.upstream;
    const keeping = { keepAlive: true, timeout: IDLE, scheduling: 'lifo' as const };
    this.#agent = protocol === 'https:' ? new HttpsAgent(keeping) : new HttpAgent(keeping);
    this.#proxy = httpProxy.createProxyServer({
      target: { protocol, hostname, host: hostname, port },
      agent: this.#agent,
      selfHandleResponse: true,
      ignorePath: true,
    });
    this.#proxy.on('proxyReq', (outgoing, req) => this.#prepare(outgoing, req));
    this.#proxy.on('proxyRes', (incoming, req) => this.#pending.get(req)?.passage.answered(incoming));
    // Failures come to the callback of `web`; this keeps a failing upgrade from being thrown.
    this.#proxy.on('error', () => {});
  }

  /** The fields that go to the upstream for a request. */
  headers(req: IncomingMessage): HeaderPairs {
    return upstreamHeaders(pairs(req.rawHeaders), this.#options.upstream, this.#options.auth);
  }

  /** Sends a request on and its answer back. `expects`: the client waits for `100 Continue` before it sends the body. */
  forward(req: IncomingMessage, res: ServerResponse, listener: Listener, expects: boolean): void {
    const passage = new Passage(req, res, listener);
    const gate = expects ? new PassThrough() : null;
    this.#pending.set(req, { passage, gate });
    // With this header http-proxy would send the head before it can be prepared.
    delete req.headers.expect;
    this.#proxy.web(req, res, gate === null ? {} : { buffer: gate }, (error) => passage.failed(error));
    // Only now: the body begins to flow a tick after the first listener, and the upstream's head must be prepared before.
    passage.listen();
    if (gate !== null) req.pause();
  }

  /** Connects both sides of an upgraded connection; nothing of it is seen. */
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { upstream } = this.#options;
    const { protocol, hostname, port } = upstream;
    const target = { protocol, hostname, host: hostname, port, path: upstream.prefix + req.url };
    socket.on('error', () => socket.destroy());
    this.#proxy.ws(req, socket, head, { target, changeOrigin: true }, () => socket.destroy());
  }

  close(): void {
    this.#agent.destroy();
    this.#proxy.close();
  }

  /** Gives the request to the upstream the very path and fields of the client, which http-proxy has rewritten. */
  #prepare(outgoing: ClientRequest, req: IncomingMessage): void {
    const pending = this.#pending.get(req);
    if (pending === undefined) return;
    const { upstream, timeout } = this.#options;
    outgoing.path = `${upstream.prefix}${req.url}`;
    for (const name of outgoing.getHeaderNames()) outgoing.removeHeader(name);
    const repeated = new Map<string, [name: string, values: string[]]>();
    for (const [name, value] of endToEnd(this.headers(req))) {
      const known = repeated.get(name.toLowerCase());
      if (known === undefined) repeated.set(name.toLowerCase(), [name, [value]]);
      else known[1].push(value);
    }
    for (const [name, values] of repeated.values())
      outgoing.setHeader(name, values.length === 1 ? (values[0] ?? '') : values);
    if (timeout > 0) {
      const seconds = timeout / 1000;
      outgoing.setTimeout(timeout, () => outgoing.destroy(new UpstreamTimeout(`silent for ${seconds} s`)));
    }
    const { passage, gate } = pending;
    passage.sent(outgoing);
    if (gate === null) return;
    outgoing.flushHeaders();
    outgoing.once('continue', () => {
      passage.goOn();
      req.pipe(gate);
    });
  }
}
