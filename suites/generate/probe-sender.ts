import type { CallInput, CallResult, ScenarioContext } from '../../drive/scenario/scenario.ts';
import type { PlannedProbe } from './probes.ts';
import type { ReadyRequest } from './requests.ts';

/** Statuses whose reason is not the content of the request; null: there was no response. */
const UNRELATED_STATUSES: readonly (number | null)[] = [null, 401, 403, 407, 408, 429, 503];

/** Whether a request failed, possibly because of its content. */
export function isAboutRequest({ ok, status }: CallResult): boolean {
  return !ok && !UNRELATED_STATUSES.includes(status);
}

interface SenderOptions {
  /** Id of the operation that all probes call. */
  readonly operation: string;
  /** The control of all valid probes, sent at most once: after the first valid probe that is refused. */
  readonly base: PlannedProbe;
  /** As in `ReadyRequest`. Default: all probes have the path of their input. */
  readonly renew?: ReadyRequest['renew'];
}

/**
 * Sends probes. After the first valid probe that is refused, it also sends the base: only if the target accepts the base is the
 * refusal about the probed field.
 */
export class ProbeSender {
  readonly #context: ScenarioContext;
  readonly #options: SenderOptions;
  #path: CallInput['path'];
  #isBaseSent = false;
  /** The status with which the base was refused. */
  #baseStatus: number | null = null;

  constructor(context: ScenarioContext, options: SenderOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** Sends a probe of the query or body; use `sendPath` for one of the path. */
  async send({ probe, input }: PlannedProbe): Promise<void> {
    if (probe.side === 'violation') {
      await this.#call({ ...input, probe });
      return;
    }
    const { base } = this.#options;
    const result = await this.#call({ ...input, probe: { ...probe, control: base.probe.id } });
    if (this.#isBaseSent || !isAboutRequest(result)) return;
    this.#isBaseSent = true;
    const { ok, status } = await this.#call({ ...base.input, probe: base.probe });
    if (!ok) this.#baseStatus = status;
  }

  /**
   * After a refused base, sends valid requests with more fields until one is accepted, which shows that the target implements
   * the operation. Sends none after a 404, which is about the route or the model.
   */
  async sendRicher(inputs: Iterable<CallInput>): Promise<void> {
    if (this.#baseStatus === null || this.#baseStatus === 404) return;
    for (const input of inputs) {
      if ((await this.#call(input)).ok) return;
    }
  }

  /** Sends a probe of the path. It needs no base, because it has only a path. */
  async sendPath({ probe, input }: PlannedProbe): Promise<void> {
    const result = await this.#context.call(this.#options.operation, { ...input, probe });
    await this.#renew(result);
  }

  /** Sends a request with the current path. */
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
