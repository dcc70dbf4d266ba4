import type { CallInput, CallResult, ScenarioContext } from '../../drive/scenario/scenario.ts';
import { isCapacityStatus, isRefusalStatus } from '../../judge/trace/response-class.ts';
import type { PlannedProbe } from './probes.ts';
import type { ReadyRequest } from './requests.ts';

/** Whether a request failed, possibly for its content: the status is neither about the key nor about capacity. */
export function mayHaveFailedForContent({ ok, status }: CallResult): boolean {
  return !ok && !isCapacityStatus(status) && !isRefusalStatus(status);
}

interface SenderOptions {
  readonly operation: string;
  /** The control of the valid probes of `send`, sent at most once. */
  readonly base: PlannedProbe;
  /** As in `ReadyRequest`. Default: each probe keeps the path of its input. */
  readonly renew?: ReadyRequest['renew'];
}

/**
 * `send` sends the base after the first valid probe that may have failed for its content: if the base is accepted, the
 * probed field is the reason.
 */
export class ProbeSender {
  readonly #context: ScenarioContext;
  readonly #options: SenderOptions;
  #path: CallInput['path'];
  #isBaseSent = false;
  /** The status of the base if it was sent and not accepted; null otherwise. */
  #baseStatus: number | null = null;

  constructor(context: ScenarioContext, options: SenderOptions) {
    this.#context = context;
    this.#options = options;
  }

  async send({ probe, input }: PlannedProbe): Promise<void> {
    if (probe.side === 'violation') {
      await this.#call({ ...input, probe });
      return;
    }
    const { base } = this.#options;
    const result = await this.#call({ ...input, probe: { ...probe, control: base.probe.id } });
    if (this.#isBaseSent || !mayHaveFailedForContent(result)) return;
    this.#isBaseSent = true;
    const { ok, status } = await this.#call({ ...base.input, probe: base.probe });
    if (!ok) this.#baseStatus = status;
  }

  /**
   * Sends requests until one is accepted, which shows that the target implements the operation. Sends none unless the
   * base got a status other than 2xx, and none if that is 404, which concerns the route or the model.
   */
  async sendRicher(inputs: Iterable<CallInput>): Promise<void> {
    if (this.#baseStatus === null || this.#baseStatus === 404) return;
    for (const input of inputs) {
      if ((await this.#call(input)).ok) return;
    }
  }

  /** Sends a probe of the path, without a base: no request can leave the path out. */
  async sendPath({ probe, input }: PlannedProbe): Promise<void> {
    const result = await this.#context.call(this.#options.operation, { ...input, probe });
    await this.#renew(result);
  }

  async #call(input: CallInput): Promise<CallResult> {
    const path = this.#path === undefined ? {} : { path: this.#path };
    const result = await this.#context.call(this.#options.operation, { ...input, ...path });
    await this.#renew(result);
    return result;
  }

  async #renew(result: CallResult): Promise<void> {
    this.#path = (await this.#options.renew?.(result)) ?? this.#path;
  }
}
