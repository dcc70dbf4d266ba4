import type { IncomingMessage, ServerResponse } from 'node:http';
import { CREATED_BEFORE_FIELD, type DisturbedAnswer, isLossless, isMark } from '../../exchange/disturbed.ts';
import { isEventStream } from '../../exchange/http/event-stream.ts';
import { headerPairs } from '../../exchange/http/headers.ts';
import { messageOf } from '../../schemas/error-message.ts';
import { sendProxyError } from '../http/proxy-error.ts';
import { readMessage, sendRequest } from '../http/send-request.ts';
import { listenOnLoopback, requestTargetOf } from '../http/server.ts';
import { parseUpstream, type Upstream } from '../http/upstream.ts';
import { type Disturbance, InvalidDisturbance } from './disturbances.ts';
import { Reactions, type ReportLoss, type SeenRequest, unusedDisturbance } from './reactions.ts';
import { isRefusal, type ServiceAnswer, sendDisturbed, sendRefusal } from './send-disturbed.ts';

export interface DisturberOptions {
  /** The service, with `/v1`, over HTTP without TLS. */
  readonly upstream: string;
  /** Each applies to one suitable request and its retries, at most `times` attempts; earlier ones come first. */
  readonly disturbances: readonly Disturbance[];
  /** A whole number that decides whether one or two requests pass between disturbances without `on`. Default: 1. */
  readonly seed?: number;
  /** 0, the default, selects any free port. */
  readonly port?: number;
}

export interface Disturber {
  readonly url: string;
  /** The reactions of the client so far, a row for each disturbance; unused disturbances come last. */
  report(): readonly DisturbedAnswer[];
  close(): Promise<readonly DisturbedAnswer[]>;
}

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
  readonly #pending: Disturbance[];
  readonly #seed: number;
  /** How many requests must pass before a disturbance without `on`, so that a session makes progress. */
  #untilNext = 1;
  #disturbedCount = 0;

  constructor({ upstream, disturbances, seed = 1 }: DisturberOptions) {
    this.#upstream = parseUpstream(upstream);
    this.#pending = [...disturbances];
    this.#seed = seed;
  }

  async answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    try {
      const request = {
        method: req.method ?? 'GET',
        headers: req.rawHeaders,
        target: requestTargetOf(req) ?? '/',
        at: performance.now(),
        body: await readMessage(req),
      };
      const arrival = this.#reactions.recordRequest(request);
      const { due } = arrival;
      const disturbance = due ?? this.#chooseCandidate(request);
      if (disturbance !== null && isRefusal(disturbance)) {
        if (due === null) this.#disturb(disturbance, request, null)(performance.now());
        sendRefusal(res, disturbance);
        return;
      }
      const answer = await this.#forward(request);
      // While this request was forwarded, another one may have got the disturbance.
      const isStillDue = due !== null || (disturbance !== null && this.#pending.includes(disturbance));
      if (disturbance === null || !isStillDue || !suitsResponse(disturbance, answer)) {
        const firstId = this.#reactions.recordResponse(arrival, request, { answer, isDisturbed: false });
        const mark = firstId === null ? [] : [CREATED_BEFORE_FIELD, firstId];
        res.writeHead(answer.status, [...answer.headers, ...mark]);
        res.end(answer.body);
        return;
      }
      this.#reactions.recordResponse(arrival, request, { answer, isDisturbed: true });
      if (due === null) reportWhenLost(res, disturbance, this.#disturb(disturbance, request, answer));
      await sendDisturbed(res, disturbance, answer);
    } catch (error) {
      const message = `The service did not answer: ${messageOf(error)}.`;
      sendProxyError(res, { status: 502, code: 'upstream_unreachable', message });
    }
  }

  report(): readonly DisturbedAnswer[] {
    return [...this.#reactions.report(), ...this.#pending.map(unusedDisturbance)];
  }

  /**
   * Until enough requests have passed undisturbed, only a disturbance with `on` fits. It is chosen before the request
   * is forwarded, because the service must not carry out a request that the disturbance refuses.
   */
  #chooseCandidate({ method, target, body }: SeenRequest): Disturbance | null {
    this.#untilNext -= 1;
    const line = `${method} ${target}`;
    const isStream = /"stream"\s*:\s*true/.test(body.toString('utf8'));
    const isCandidate = ({ on, needs }: Disturbance) =>
      (on === null ? this.#untilNext < 0 : line.startsWith(on)) &&
      (needs === 'any' || (needs === 'stream') === isStream);
    return this.#pending.find(isCandidate) ?? null;
  }

  #disturb(disturbance: Disturbance, request: SeenRequest, answer: ServiceAnswer | null): ReportLoss {
    this.#pending.splice(this.#pending.indexOf(disturbance), 1);
    this.#disturbedCount += 1;
    this.#untilNext = 1 + ((this.#seed + this.#disturbedCount) % 2);
    return this.#reactions.recordDisturbance(disturbance, request, answer);
  }

  /** Returns the complete response, because a disturbance may need its end. */
  async #forward({ method, target, headers, body }: SeenRequest): Promise<ServiceAnswer> {
    // Responses are split, so they must not be compressed.
    const fields = headerPairs(headers).filter(([name]) => name.toLowerCase() !== 'accept-encoding');
    const identity = [...fields, ['accept-encoding', 'identity'] as const];
    const response = await sendRequest(this.#upstream, { method, target, headers: identity, body }, 0);
    return {
      status: response.status,
      headers: response.headers.filter(([name]) => !isMark(name)).flat(),
      body: Buffer.from(response.body.bytes ?? []),
    };
  }
}

/** Calls `reportLoss` at once; for a stall or a lossless disturbance, only if the connection closes before the end. */
function reportWhenLost(res: ServerResponse, { name }: Disturbance, reportLoss: ReportLoss): void {
  if (res.closed || (name !== 'stall' && !isLossless(name))) {
    reportLoss(performance.now());
    return;
  }
  res.once('close', () => {
    if (!res.writableFinished) reportLoss(performance.now());
  });
}

function suitsResponse({ needs }: Disturbance, { status, headers, body }: ServiceAnswer): boolean {
  if (needs === 'any') return true;
  if (status >= 300 || body.length < 2) return false;
  return (needs === 'stream') === isEventStream({ headers: headerPairs(headers) });
}
