import { setTimeout as pause } from 'node:timers/promises';
import type { Json } from '../../exchange/http/body.ts';
import type { RunConfiguration } from '../configuration/configuration.ts';
import { valueAt } from '../scenario/call-result.ts';
import type { CallInput } from '../scenario/scenario.ts';
import { parseBaseUrl } from '../target/base-url.ts';
import { encodeRequest } from '../target/encode-request.ts';
import { type IncomingResponse, Target } from '../target/target.ts';

const PATIENCE = 10_000;

/** Looks at a target outside the trace: whether it is there, and what it knows. Nothing it sees is evidence. */
export class PreflightClient {
  readonly #configuration: RunConfiguration;
  readonly #target: Target;
  #looking: Promise<IncomingResponse> | null = null;
  #seen: IncomingResponse | null = null;

  constructor(configuration: RunConfiguration) {
    this.#configuration = configuration;
    const whole = Math.min(PATIENCE, configuration.timeout * 1000);
    const patience = {
      connect: whole,
      headers: whole,
      idle: whole,
      whole,
      bytes: 1 << 20,
      streamed: 1 << 20,
    };
    this.#target = new Target(parseBaseUrl(configuration.target.baseUrl), patience);
  }

  async ask(operation: string, input: CallInput): Promise<IncomingResponse> {
    return this.#target.send(await encodeRequest(this.#configuration, operation, input));
  }

  /** What an address answers that no specification knows. */
  async astray(method: 'GET' | 'POST'): Promise<IncomingResponse> {
    const outgoing = await encodeRequest(
      this.#configuration,
      method === 'GET' ? 'listModels' : 'createChatCompletion',
      {},
    );
    return this.#target.send({ ...outgoing, target: '/v1/assay-no-such-address' });
  }

  /** Null when somebody answers HTTP there, whatever the answer; else why not. Calls at the same time share one look. */
  async missing(): Promise<string | null> {
    this.#looking ??= this.ask('listModels', {}).finally(() => {
      this.#looking = null;
    });
    const seen = await this.#looking;
    this.#seen = seen;
    return seen.response === null ? (seen.end.detail ?? seen.end.how) : null;
  }

  /** The status of the list of models when last looked at; null where nobody answered, or nobody looked. */
  get status(): number | null {
    return this.#seen?.response?.status ?? null;
  }

  /** Ids of the models that it then listed; null where it gave no such list. */
  get models(): readonly string[] | null {
    const data = this.status === 200 ? valueAt(this.#seen?.response?.body.json?.value, '/data') : undefined;
    if (!Array.isArray(data)) return null;
    // as: an array of JSON holds JSON
    return (data as readonly Json[])
      .map((model) => valueAt(model, '/id'))
      .filter((id) => typeof id === 'string');
  }

  /** As `missing`, but gives the target so many seconds to come up. */
  async awaited(seconds: number, stop: AbortSignal): Promise<string | null> {
    const deadline = performance.now() + seconds * 1000;
    for (let wait = 50; ; wait = Math.min(wait * 2, 1000)) {
      const why = await this.missing();
      if (why === null || stop.aborted || performance.now() + wait > deadline) return why;
      await pause(wait, undefined, { signal: stop }).catch(() => {});
    }
  }

  close(): Promise<void> {
    return this.#target.close();
  }
}
