import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import {
  Agent as HttpsAgent,
  type RequestOptions as HttpsOptions,
  request as httpsRequest,
} from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { HeaderPairs } from '../../exchange/exchange.ts';
import { headerPairs } from '../../exchange/http/headers.ts';
import { headerClass, holdsCredential } from '../../exchange/redaction/known-places.ts';
import { errorCode } from '../../schemas/error-message.ts';
import { isHopByHop, unpassable } from '../http/response.ts';
import { type BodyTiming, sendProxyErrorOn } from '../http/server.ts';
import { LARGEST_HEAD, parseUpstream, type Upstream } from '../http/upstream.ts';
import type { UrlRewriter } from '../http/url-rewriter.ts';
import { IdleConnections } from './idle-connections.ts';
import {
  type ExchangeListener,
  faultOf,
  ProxiedExchange,
  statusOfFault,
  UpstreamTimeout,
} from './proxied-exchange.ts';

export interface ForwardOptions {
  readonly upstream: Upstream;
  /** Fields sent with every request; they replace the client's fields of the same names. */
  readonly headers: HeaderPairs;
  /** `removed` for hosts other than the service: they must not receive its credentials. */
  readonly credentials: 'forwarded' | 'removed';
  /** Milliseconds of silence after which the upstream has timed out; 0 for never. */
  readonly timeout: number;
  /** Rewrites URLs in responses; null to pass them on unchanged. */
  readonly rewriter: UrlRewriter | null;
}

/** The header fields of a request to the upstream, in two forms. */
export interface UpstreamHeaders {
  /** As they are sent, for the cassette. */
  readonly headers: HeaderPairs;
  /** As node takes them: names in their case, repeated fields as a list, without hop-by-hop fields. */
  readonly fields: OutgoingHttpHeaders;
}

export interface ForwardedRequest {
  /** Path and query, from `/v1` on. */
  readonly path: string;
  readonly headers: UpstreamHeaders;
  readonly listener: ExchangeListener;
  readonly timing: BodyTiming;
  /** The complete request body if it has been read already; null otherwise. */
  readonly body: Buffer | null;
}

/** Whether other hosts must not receive a field: credentials, cookies, and who the client is. `name` in lower case. */
function isForServiceOnly(name: string, value: string): boolean {
  return ['cookie', 'masked'].includes(headerClass(name)) || holdsCredential(name, value);
}

/** Forwards requests to one upstream over persistent connections. */
export class Forwarder {
  readonly #options: ForwardOptions;
  readonly #idle: IdleConnections;
  /** The same for all requests. */
  readonly #connection: HttpsOptions;
  readonly #send: (options: HttpsOptions) => ClientRequest;

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
    this.#connection = {
      protocol,
      hostname,
      port,
      agent,
      maxHeaderSize: LARGEST_HEAD,
      rejectUnauthorized: true,
    };
    this.#send = protocol === 'https:' ? httpsRequest : httpRequest;
  }

  upstreamHeaders({ rawHeaders }: IncomingMessage): UpstreamHeaders {
    const { upstream, headers: given, credentials } = this.#options;
    const headers: (readonly [string, string])[] = [];
    const fields: Record<string, string | string[]> = {};
    const names = new Map<string, string>();
    const add = (name: string, lower: string, value: string) => {
      headers.push([name, value]);
      if (isHopByHop(lower)) return;
      const known = names.get(lower);
      if (known === undefined) {
        names.set(lower, name);
        fields[name] = value;
      } else fields[known] = [fields[known] ?? [], value].flat();
    };
    for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
      const name = rawHeaders[i] ?? '';
      const lower = name.toLowerCase();
      if (given.length > 0 && given.some(([other]) => other.toLowerCase() === lower)) continue;
      if (credentials === 'removed' && isForServiceOnly(lower, rawHeaders[i + 1] ?? '')) continue;
      add(name, lower, lower === 'host' ? upstream.host : (rawHeaders[i + 1] ?? ''));
    }
    for (const [name, value] of given) add(name, name.toLowerCase(), value);
    return { headers, fields };
  }

  forward(req: IncomingMessage, res: ServerResponse, request: ForwardedRequest): void {
    const { headers, listener, timing, body } = request;
    const proxied = new ProxiedExchange(req, res, listener, this.#options.rewriter);
    let outgoing: ClientRequest;
    try {
      outgoing = this.#open(req.method, request.path, headers.fields);
    } catch (error) {
      // A request that node refuses to send, such as one with an invalid header field.
      proxied.fail(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    proxied.attach(outgoing);
    outgoing.on('response', (incoming) => this.#idle.noteKeepAlive(incoming));
    if (body !== null) proxied.sendBody(body);
    else if (timing === 'at-once') proxied.pipeBody();
    else {
      outgoing.setHeader('Expect', '100-continue');
      outgoing.flushHeaders();
      outgoing.once('continue', () => proxied.continueRequest());
    }
  }

  /** Opens a request to the upstream. Throws if node refuses it. */
  #open(method: string | undefined, path: string, headers: OutgoingHttpHeaders): ClientRequest {
    const outgoing = this.#send({ ...this.#connection, method, headers });
    // Node would check it again: the client's request was parsed.
    outgoing.path = `${this.#options.upstream.prefix}${path}`;
    this.#limitSilence(outgoing);
    return outgoing;
  }

  /** Connects both sides of an upgraded connection; its bytes are not recorded. */
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { upstream, headers: given } = this.#options;
    const own = Object.fromEntries(given.map(([name, value]) => [name.toLowerCase(), value]));
    const fail = (error: Error) => {
      const { code, message } = faultOf(error, errorCode(error));
      if (socket.destroyed || !socket.writable) return;
      if (code === 'upstream_reset') socket.destroy();
      else sendProxyErrorOn(socket, { status: statusOfFault(code), code, message });
    };
    let outgoing: ClientRequest;
    try {
      outgoing = this.#open(req.method, req.url ?? '/', { ...req.headers, host: upstream.host, ...own });
    } catch (error) {
      fail(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    socket.on('error', () => socket.destroy());
    socket.on('close', () => outgoing.destroy());
    outgoing.on('error', fail);
    outgoing.on('response', (incoming) => declineUpgrade(incoming, socket));
    outgoing.on('upgrade', (incoming, remote, first) => {
      this.#limitSilence(remote);
      remote.setNoDelay(true);
      remote.setKeepAlive(true);
      socket.write(headText(incoming, headerPairs(incoming.rawHeaders)), 'latin1');
      if (head.length > 0) socket.unshift(head);
      if (first.length > 0) remote.unshift(first);
      remote.on('error', () => socket.destroy());
      socket.on('close', () => remote.destroy());
      remote.on('close', () => socket.destroy());
      remote.pipe(socket).pipe(remote);
    });
    outgoing.end();
  }

  close(): void {
    this.#idle.close();
  }

  /** Aborts a connection to the upstream after the timeout. */
  #limitSilence(upstream: ClientRequest | Socket): void {
    const { timeout } = this.#options;
    if (timeout === 0) return;
    const seconds = timeout / 1000;
    upstream.setTimeout(timeout, () => upstream.destroy(new UpstreamTimeout(`silent for ${seconds} s`)));
  }
}

/** Passes the response to a declined upgrade on, and closes the connection at its end. Node has decoded its chunks. */
function declineUpgrade(incoming: IncomingMessage, socket: Duplex): void {
  const { statusCode = 0, statusMessage = '' } = incoming;
  if (unpassable(statusCode, statusMessage, 0) !== null) {
    incoming.statusCode = 502;
    incoming.statusMessage = STATUS_CODES[502] ?? '';
  }
  const kept = headerPairs(incoming.rawHeaders).filter(
    ([name]) => !/^(?:connection|keep-alive|transfer-encoding|trailer)$/i.test(name),
  );
  socket.write(headText(incoming, [...kept, ['Connection', 'close']]), 'latin1');
  incoming.pipe(socket);
}

function headText({ statusCode, statusMessage }: IncomingMessage, headers: HeaderPairs): string {
  const fields = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${statusCode} ${statusMessage}\r\n${fields.join('')}\r\n`;
}

/** Hosts other than the service that its responses named: images and files are fetched from them through the proxy. */
export class OtherHosts {
  readonly #timeout: number;
  readonly #origins = new Set<string>();
  readonly #forwarders = new Map<string, Forwarder>();

  /** `timeout` in milliseconds, as for the service. */
  constructor(timeout: number) {
    this.#timeout = timeout;
  }

  /** A response named this URL: its host may be requested from now on. */
  allow(url: URL): void {
    this.#origins.add(url.origin);
  }

  /** The forwarder to the host of a URL, which removes credentials; null if no response named that host. */
  forwarder(url: URL): Forwarder | null {
    if (!this.#origins.has(url.origin)) return null;
    const known = this.#forwarders.get(url.origin);
    if (known !== undefined) return known;
    const forwarder = new Forwarder({
      upstream: parseUpstream(url.origin),
      headers: [],
      credentials: 'removed',
      timeout: this.#timeout,
      rewriter: null,
    });
    this.#forwarders.set(url.origin, forwarder);
    return forwarder;
  }

  close(): void {
    for (const forwarder of this.#forwarders.values()) forwarder.close();
  }
}
