import { setTimeout as pause } from 'node:timers/promises';
import type { Json } from '../../exchange/http/body.ts';
import { parseBaseUrl } from '../configuration/base-url.ts';
import type { RunConfiguration } from '../configuration/configuration.ts';
import { valueAt } from '../scenario/call-result.ts';
import type { CallInput } from '../scenario/scenario.ts';
import { encodeRequest } from '../target/encode-request.ts';
import { type IncomingResponse, type OutgoingRequest, Target } from '../target/target.ts';

/** Largest body of an answer, such as a list of thousands of models. Bytes. */
const LARGEST = 64 * 1024 * 1024;
/** Longest time for a preflight request. Milliseconds. */
const PATIENCE = 10_000;

/** Sends requests before the run, outside the trace: whether the target responds, and what it offers. None is evidence. */
export class PreflightClient {
  readonly #configuration: RunConfiguration;
  readonly #target: Target;
  readonly #unknownPaths = new Map<OutgoingRequest['method'], Promise<IncomingResponse>>();
  #looking: Promise<IncomingResponse> | null = null;
  /** The last response to it, which `status` and `models` read. */
  #seen: IncomingResponse | null = null;

  constructor(configuration: RunConfiguration) {
    this.#configuration = configuration;
    const whole = Math.min(PATIENCE, configuration.timeout * 1000);
    const patience = {
      connect: whole,
      headers: whole,
      idle: whole,
      whole,
      bytes: LARGEST,
      streamed: 1 << 20,
    };
    this.#target = new Target(parseBaseUrl(configuration.target.baseUrl), patience);
  }

  /** Sends one operation, or its path with another method; resolves in any case. */
  async ask(operation: string, input: CallInput, method?: 'PUT'): Promise<IncomingResponse> {
    const outgoing = await encodeRequest(this.#configuration, operation, input);
    return this.#target.send(method === undefined ? outgoing : { ...outgoing, method });
  }

  /** The response to a path that no service has; requested once for each method. */
  unknownPath(method: OutgoingRequest['method']): Promise<IncomingResponse> {
    const known = this.#unknownPaths.get(method);
    if (known !== undefined) return known;
    const operation = method === 'POST' ? 'createChatCompletion' : 'listModels';
    const answer = encodeRequest(this.#configuration, operation, {}).then((outgoing) =>
      this.#target.send({ ...outgoing, method, target: UNKNOWN_PATH }),
    );
    this.#unknownPaths.set(method, answer);
    return answer;
  }

  /** Why no HTTP response arrives; null where any does. Concurrent calls share one request. */
  async missing(): Promise<string | null> {
    this.#looking ??= this.ask('listModels', {}).finally(() => {
      this.#looking = null;
    });
    const seen = await this.#looking;
    this.#seen = seen;
    return seen.response === null ? (seen.end.detail ?? seen.end.how) : null;
  }

  /** The status of the last response to `missing`; null where none arrived, or none was requested. */
  get status(): number | null {
    return this.#seen?.response?.status ?? null;
  }

  /** Ids of the models in that response; null where it is not a list of models. */
  get models(): readonly string[] | null {
    const data = this.status === 200 ? valueAt(this.#seen?.response?.body.json?.value, '/data') : undefined;
    if (!Array.isArray(data)) return null;
    // as: an array of JSON holds JSON
    return (data as readonly Json[])
      .map((model) => valueAt(model, '/id'))
      .filter((id) => typeof id === 'string');
  }

  /**
   * As `missing`, but retries for so many seconds until the target responds. Pauses grow from 50 ms to 1 s,
   * so that a local server is found at once and a remote one is not flooded.
   */
  async awaitTarget(seconds: number, stop: AbortSignal): Promise<string | null> {
    const deadline = performance.now() + seconds * 1000;
    for (let wait = 50; ; wait = Math.min(wait * 2, 1000)) {
      const why = await this.missing();
      if (why === null || stop.aborted || performance.now() + wait > deadline) return why;
      await pause(wait, undefined, { signal: stop }).catch(() => {});
    }
  }

  /** Closes the connections. */
  close(): Promise<void> {
    return this.#target.close();
  }
}

/** Path of a request for something that no service has: with it, a service shows how it answers unknown paths. */
export const UNKNOWN_PATH = '/v1/assay-no-such-address';

/**
 * Status and body of a response without the parts that repeat the path or an invented id, so that two answers of one handler
 * compare equal. Null when no response arrived: such an answer equals nothing.
 */
export function responseShape({ response }: Pick<IncomingResponse, 'response'>): string | null {
  if (response === null) return null;
  const text = response.body.text ?? '';
  return `${response.status} ${text.replaceAll(/\/v1\/[^\s"'<>&)]*/g, '').replaceAll(/assay-no-such-\w+/g, '')}`;
}

/** Whether a response is a 404 that the service gives to any path that it does not know. */
export function isUnknownPath(
  answer: Pick<IncomingResponse, 'response'>,
  unknown: Pick<IncomingResponse, 'response'>,
): boolean {
  return answer.response?.status === 404 && responseShape(answer) === responseShape(unknown);
}
