// A proxy before a service on this machine that spoils some of its answers.
import { type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import { performance } from 'node:perf_hooks';
import { CREATED_BEFORE_FIELD, type DisturbedAnswer, isMark, isWhole } from '../../exchange/disturbed.ts';
import { flatHeaders, headerPairs } from '../../exchange/http/headers.ts';
import { listenOnLoopback, requestTargetOf, sendProxyError } from '../http/server.ts';
import { type Disturbance, InvalidDisturbance } from './disturbances.ts';
import { neverMet, Reactions, type SeenRequest } from './reactions.ts';
import { isRefusal, type ServiceAnswer, sendDisturbed, sendRefusal } from './send-disturbed.ts';

/** What is disturbed, and how often. */
export interface DisturberOptions {
  /** The service, with `/v1`, over HTTP without TLS. */
  readonly upstream: string;
  /** Each happens once, in this order, to the first request that fits. */
  readonly disturbances: readonly Disturbance[];
  /** Decides how many requests, one or two, stay undisturbed in between. Default 1. */
  readonly seed?: number;
  /** 0, the default, selects any free port. */
  readonly port?: number;
}

/** A running proxy that disturbs. */
export interface Disturber {
  /** Where clients connect, with `/v1`. */
  readonly url: string;
  /** The reactions of the client so far, a row for each disturbance; those that no request met come last. */
  report(): readonly DisturbedAnswer[];
  /** Stops listening and cuts open connections. */
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

/** One session: which disturbances are left, and what came of the others. */
class DisturbedSession {
  readonly #reactions = new Reactions();
  /** Origin, and what the service has before `/v1`. */
  readonly #origin: string;
  readonly #left: Disturbance[];
  readonly #seed: number;
  /** Fresh requests that pass before the next disturbance: a session begins well, and goes on in between. */
  #passing = 1;
  #disturbed = 0;

  constructor({ upstream, disturbances, seed = 1 }: DisturberOptions) {
    const { origin, pathname } = new URL(upstream);
    this.#origin = `${origin}${pathname.replace(/\/(v1\/?)?$/, '')}`;
    this.#left = [...disturbances];
    this.#seed = seed;
  }

  /** Answers one request; whatever goes wrong ends that request alone. */
  async answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    try {
      const seen = {
        method: req.method ?? 'GET',
        headers: req.rawHeaders,
        target: requestTargetOf(req) ?? '/',
        at: performance.now(),
        body: await bodyOf(req),
      };
      const arrival = this.#reactions.arrives(seen);
      const again = arrival.due;
      const disturbance = again ?? this.#candidate(seen);
      if (disturbance !== null && isRefusal(disturbance)) {
        if (again === null) this.#disturbs(disturbance, seen, null)(performance.now());
        sendRefusal(res, disturbance);
        return;
      }
      const answer = await this.#forward(req, seen);
      // Another request may have taken it meanwhile.
      const isDue = again !== null || (disturbance !== null && this.#left.includes(disturbance));
      if (disturbance === null || !isDue || !isFit(disturbance, answer)) {
        const before = this.#reactions.answered(arrival, seen, { answer, passed: true });
        pass(res, answer, before);
        return;
      }
      this.#reactions.answered(arrival, seen, { answer, passed: false });
      if (again === null) tellLoss(res, disturbance, this.#disturbs(disturbance, seen, answer));
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

  /** The reactions of the client, and the disturbances that no request met. */
  report(): readonly DisturbedAnswer[] {
    return [...this.#reactions.report(), ...this.#left.map(neverMet)];
  }

  /**
   * The first disturbance that a request may suffer, as far as the request shows; null in between, so that the session goes
   * on. It is known before the service is asked: a request that a client may send again after a refusal must not have been carried out.
   */
  #candidate({ method, target, body }: SeenRequest): Disturbance | null {
    this.#passing -= 1;
    const line = `${method} ${target}`;
    const isStream = /"stream"\s*:\s*true/.test(body.toString('utf8'));
    const fits = ({ on, needs }: Disturbance) =>
      (on === null ? this.#passing < 0 : line.startsWith(on)) &&
      (needs === 'any' || (needs === 'stream') === isStream);
    return this.#left.find(fits) ?? null;
  }

  /** A disturbance happens, once. The function that it returns is to be called when the client can know that the answer is lost. */
  #disturbs(disturbance: Disturbance, seen: SeenRequest, answer: ServiceAnswer | null): (at: number) => void {
    this.#left.splice(this.#left.indexOf(disturbance), 1);
    this.#disturbed += 1;
    this.#passing = 1 + ((this.#seed + this.#disturbed) % 2);
    return this.#reactions.disturbed(disturbance, seen, answer);
  }

  /** The whole answer of the service: a disturbance may need what comes last. */
  #forward(req: IncomingMessage, { method, target, body }: SeenRequest): Promise<ServiceAnswer> {
    return new Promise((resolve, reject) => {
      // Answers are taken apart, so they must not be compressed.
      const headers = { ...req.headers, 'accept-encoding': 'identity' };
      const forwarded = send(`${this.#origin}${target}`, { method, headers }, (incoming) => {
        bodyOf(incoming).then(
          (content) =>
            resolve({
              status: incoming.statusCode ?? 502,
              headers: flatHeaders(headerPairs(incoming.rawHeaders).filter(([name]) => !isMark(name))),
              body: content,
            }),
          reject,
        );
      });
      forwarded.once('error', reject);
      forwarded.end(body);
    });
  }
}

/** Sends an answer as it is, marked where it made an object a second time. */
function pass(res: ServerResponse, { status, headers, body }: ServiceAnswer, before: string | null): void {
  const mark = before === null ? [] : [CREATED_BEFORE_FIELD, before];
  res.writeHead(status, [...headers, ...mark]);
  res.end(body);
}

/**
 * Says when the client can know that it will not get the answer: with the first byte, since the head may show it; where the
 * answer only takes long, when the connection ends before the answer does.
 */
function tellLoss(res: ServerResponse, { name }: Disturbance, lost: (at: number) => void): void {
  if (res.closed || (name !== 'stall' && !isWhole(name))) {
    lost(performance.now());
    return;
  }
  res.once('close', () => {
    if (!res.writableFinished) lost(performance.now());
  });
}

/** Whether an answer can be spoiled in a way that needs a body, or a stream. */
function isFit({ needs }: Disturbance, { status, headers, body }: ServiceAnswer): boolean {
  if (needs === 'any') return true;
  const isStream = headers.some((text) => text.toLowerCase().startsWith('text/event-stream'));
  if (status >= 300 || body.length < 2) return false;
  return needs === 'stream' ? isStream : !isStream;
}

/** The whole body of a message. */
async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(piece);
  return Buffer.concat(pieces);
}
