import type { CallInput, CallResult, ScenarioContext } from '../../../drive/scenario/scenario.ts';
import type { ReadyRequest } from '../base.ts';
import type { PlannedProbe } from './probes.ts';

/** Statuses of a valid request that say nothing about what is probed. */
const OTHER_REASONS: readonly (number | null)[] = [null, 401, 403, 407, 408, 429, 503];

/** Whether a valid request was refused, most likely for what is in it. */
export function isAboutRequest({ ok, status }: CallResult): boolean {
  return !ok && !OTHER_REASONS.includes(status);
}

/** What the probes of one scenario have in common. */
export interface SenderOptions {
  readonly operation: string;
  /** A valid request without what is probed, labelled. */
  readonly base: PlannedProbe;
  readonly renew?: ReadyRequest['renew'];
}

/**
 * Sends probes. After the first valid one that is refused it also sends the base: only where the target accepts that is the
 * refusal about what is probed. A target that conforms never gets it.
 */
export class ProbeSender {
  readonly #context: ScenarioContext;
  readonly #options: SenderOptions;
  /** Ids of the path to use instead of those that were planned. */
  #path: CallInput['path'];
  #isBaseSent = false;
  /** Status of the base where it was refused. */
  #refusedWith: number | null = null;

  constructor(context: ScenarioContext, options: SenderOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** Sends a probe of the body or the query, and the base where it is needed. */
  async send({ probe, input }: PlannedProbe): Promise<void> {
    if (probe.side === 'violation') {
      await this.#call({ probe, input });
      return;
    }
    const { base } = this.#options;
    const result = await this.#call({ probe: { ...probe, control: base.probe.id }, input });
    if (this.#isBaseSent || !isAboutRequest(result)) return;
    this.#isBaseSent = true;
    const { ok, status } = await this.#call(base);
    if (!ok) this.#refusedWith = status;
  }

  /**
   * After a refused base, sends valid requests with more fields until one is accepted: it shows that the target carries the
   * operation out, so that the refusal of fewer fields is its fault. A 404 is about the route or the model.
   */
  async sendRicher(inputs: Iterable<CallInput>): Promise<void> {
    if (this.#refusedWith === null || this.#refusedWith === 404) return;
    for (const input of inputs) {
      const path = this.#path === undefined ? {} : { path: this.#path };
      const result = await this.#context.call(this.#options.operation, { ...input, ...path });
      await this.#renew(result);
      if (result.ok) return;
    }
  }

  /** Sends a probe of the path as it is. What has only a path is its own base. */
  async sendPath({ probe, input }: PlannedProbe): Promise<void> {
    const result = await this.#context.call(this.#options.operation, { ...input, probe });
    await this.#renew(result);
  }

  async #call({ probe, input }: PlannedProbe): Promise<CallResult> {
    const path = this.#path === undefined ? {} : { path: this.#path };
    const result = await this.#context.call(this.#options.operation, { ...input, ...path, probe });
    await this.#renew(result);
    return result;
  }

  async #renew(result: CallResult): Promise<void> {
    this.#path = (await this.#options.renew?.(result)) ?? this.#path;
  }
}
