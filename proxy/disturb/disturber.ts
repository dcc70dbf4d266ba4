// A proxy for a service on this machine that disturbs some of its responses.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { CREATED_BEFORE_FIELD, type DisturbedAnswer, isMark, isUndamaged } from '../../exchange/disturbed.ts';
import { flatHeaders, headerPairs } from '../../exchange/http/headers.ts';
import { listenOnLoopback, requestTargetOf, sendProxyError } from '../http/server.ts';
import { parseUpstream, readMessage, sendRequest, type Upstream } from '../http/upstream.ts';
import { type Disturbance, InvalidDisturbance } from './disturbances.ts';
import { neverMet, Reactions, type SeenRequest } from './reactions.ts';
import { isRefusal, type ServiceAnswer, sendDisturbed, sendRefusal } from './send-disturbed.ts';

export interface DisturberOptions {
  /** The service, with `/v1`, over HTTP without TLS. */
  readonly upstream: string;
  /** Each is applied once, in this order, to the first request that fits. */
  readonly disturbances: readonly Disturbance[];
  /** Decides how many requests, one or two, stay undisturbed in between. Default 1. */
  readonly seed?: number;
  /** 0, the default, selects any free port. */
  readonly port?: number;
}

export interface Disturber {
  /** Where clients connect, with `/v1`. */
  readonly url: string;
  /** The reactions of the client so far, a row for each disturbance; unused disturbances come last. */
  report(): readonly DisturbedAnswer[];
  /** Stops listening and closes all connections. */
  close(): Promise<readonly DisturbedAnswer[]>;
}

/** Starts the proxy. Rejects with InvalidDisturbance for a service over TLS, and with the system's error when the port is in use. */
export async function startDisturber(options: DisturberOptions): Promise<Disturber> {
  if (!options.upstream.startsWith('http:'))
    throw new InvalidDisturbance(`--disturb needs a service over http, not ${options.upstream}.`);
  const session = new DisturbedSession(options);
  const { url, hangUp } = await listenOnLoopback(options.port ?? 0, {
    request: (req, res) => void session.answer(req, res),
    upgrade: (_, socket) => socket.destroy(),
    connect: (_, socket) => socket.destroy(),
  });
  return {
    url,
    report: () => session.report(),
    close: async () => {
      await hangUp();
      return session.report();
    },
  };
}

class DisturbedSession {
  readonly #reactions = new Reactions();
  readonly #upstream: Upstream;
  readonly #due: Disturbance[];
  readonly #seed: number;
  /** New requests that pass before the next disturbance, so that a session begins well and makes progress. */
  #passing = 1;
  #disturbed = 0;

  constructor({ upstream, disturbances, seed = 1 }: DisturberOptions) {
    this.#upstream = parseUpstream(upstream);
    this.#due = [...disturbances];
    this.#seed = seed;
  }

  /** Answers one request; an error ends only that request. */
  async answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    try {
      const seen = {
        method: req.method ?? 'GET',
        headers: req.rawHeaders,
        target: requestTargetOf(req) ?? '/',
        at: performance.now(),
        body: await readMessage(req),
      };
      const arrival = this.#reactions.arrives(seen);
      const again = arrival.due;
      const disturbance = again ?? this.#candidateFor(seen);
      if (disturbance !== null && isRefusal(disturbance)) {
        if (again === null) this.#disturb(disturbance, seen, null)(performance.now());
        sendRefusal(res, disturbance);
        return;
      }
      const answer = await this.#forward(seen);
      // Another request may have got the disturbance in the meantime.
      const isDue = again !== null || (disturbance !== null && this.#due.includes(disturbance));
      if (disturbance === null || !isDue || !suitsResponse(disturbance, answer)) {
        const before = this.#reactions.recordResponse(arrival, seen, { answer, passed: true });
        const mark = before === null ? [] : [CREATED_BEFORE_FIELD, before];
        res.writeHead(answer.status, [...answer.headers, ...mark]);
        res.end(answer.body);
        return;
      }
      this.#reactions.recordResponse(arrival, seen, { answer, passed: false });
      if (again === null) reportLoss(res, disturbance, this.#disturb(disturbance, seen, answer));
      await sendDisturbed(res, disturbance, answer);
    } catch {
      if (res.headersSent) res.destroy();
      else
        sendProxyError(res, {
          status: 502,
          code: 'upstream_unreachable',
          message: 'The service cannot be reached.',
        });
    }
  }

  report(): readonly DisturbedAnswer[] {
    return [...this.#reactions.report(), ...this.#due.map(neverMet)];
  }

  /**
   * The first disturbance that may fit a request; null while requests must still pass undisturbed. It is chosen before the request
   * is forwarded, because a service must not carry out a request that is then refused.
   */
  #candidateFor({ method, target, body }: SeenRequest): Disturbance | null {
    this.#passing -= 1;
    const line = `${method} ${target}`;
    const isStream = /"stream"\s*:\s*true/.test(body.toString('utf8'));
    const isCandidate = ({ on, needs }: Disturbance) =>
      (on === null ? this.#passing < 0 : line.startsWith(on)) &&
      (needs === 'any' || (needs === 'stream') === isStream);
    return this.#due.find(isCandidate) ?? null;
  }

  /** Disturbs a request, once. Call the returned function when the client can tell that the response is lost. */
  #disturb(disturbance: Disturbance, seen: SeenRequest, answer: ServiceAnswer | null): (at: number) => void {
    this.#due.splice(this.#due.indexOf(disturbance), 1);
    this.#disturbed += 1;
    this.#passing = 1 + ((this.#seed + this.#disturbed) % 2);
    return this.#reactions.disturbed(disturbance, seen, answer);
  }

  /** Returns the complete response of the service, because a disturbance may need its end. */
  async #forward({ method, target, headers, body }: SeenRequest): Promise<ServiceAnswer> {
    const sent = headerPairs(headers).filter(([name]) => name.toLowerCase() !== 'accept-encoding');
    // Responses are split, so they must not be compressed.
    const identity = [...sent, ['accept-encoding', 'identity'] as const];
    const response = await sendRequest(this.#upstream, { method, target, headers: identity, body }, 0);
    return {
      status: response.status,
      headers: flatHeaders(response.headers.filter(([name]) => !isMark(name))),
      body: Buffer.from(response.body.bytes ?? []),
    };
  }
}

/**
 * Calls `lost` when the client can tell that it will not get the response: at the first byte, because the head may reveal it, or,
 * for a slow response, if the connection closes early.
 */
function reportLoss(res: ServerResponse, { name }: Disturbance, lost: (at: number) => void): void {
  if (res.closed || (name !== 'stall' && !isUndamaged(name))) {
    lost(performance.now());
    return;
  }
  res.once('close', () => {
    if (!res.writableFinished) lost(performance.now());
  });
}

/** Whether a response has the body, or the stream, that a disturbance needs. */
function suitsResponse({ needs }: Disturbance, { status, headers, body }: ServiceAnswer): boolean {
  if (needs === 'any') return true;
  const isStream = headers.some((text) => text.toLowerCase().startsWith('text/event-stream'));
  if (status >= 300 || body.length < 2) return false;
  return needs === 'stream' ? isStream : !isStream;
}
