import {
  type CallInput,
  type CallResult,
  ScenarioBlocked,
  type ScenarioContext,
} from '../../drive/scenario/scenario.ts';
import { baseLabel } from '../../judge/probe/probe-outcomes.ts';
import { operation as operationOf } from '../../schemas/index.ts';
import { baseProbeLabel, type PlannedProbe } from './probes.ts';
import type { ReadyRequest, RequestFields } from './requests.ts';

/** Statuses whose reason is not the content of the request; null stands for a missing response. */
const UNRELATED_STATUSES: readonly (number | null)[] = [null, 401, 403, 407, 408, 429, 503];

function isAboutRequest({ ok, status }: CallResult): boolean {
  return !ok && !UNRELATED_STATUSES.includes(status);
}

export interface SenderOptions {
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
  #refusedWith: number | null = null;

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
    if (!ok) this.#refusedWith = status;
  }

  /**
   * After a refused base, sends valid requests with more fields until one is accepted, which shows that the target implements
   * the operation. Sends none after a 404, which is about the route or the model.
   */
  async sendRicher(inputs: Iterable<CallInput>): Promise<void> {
    if (this.#refusedWith === null || this.#refusedWith === 404) return;
    for (const input of inputs) {
      if ((await this.#call(input)).ok) return;
    }
  }

  /** A request that has only a path is its own base. */
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

/** Labelled requests for a rule that no single schema keyword states. */
export interface RulePlan {
  /** Id of the operation. */
  readonly operation: string;
  /** The place in the body that the rule concerns, for the label. */
  readonly pointer: string;
  /** Name of the rule, for the label. */
  readonly keyword: string;
  /** Requests that conform to the rule. */
  readonly keeping: readonly CallInput[];
  /** The same request without the subject of the rule, sent only after a refused valid request, to find the reason. */
  readonly base?: CallInput;
  /** Requests that violate the rule; absent if only acceptance is judged. */
  readonly breaking?: readonly CallInput[];
}

/** Sends labelled requests for one rule. Throws `ScenarioBlocked` if the base is refused. */
export async function sendRuleProbes(context: ScenarioContext, plan: RulePlan): Promise<void> {
  const { operation, pointer, keyword, keeping, breaking = [] } = plan;
  const id = `${operation}:${pointer}#${keyword}`;
  const control = plan.base === undefined ? null : baseLabel(id);
  for (const [i, input] of keeping.entries()) {
    const probe = { id: `${id}.valid${i + 1}`, pointer, keyword, side: 'valid', control } as const;
    const result = await context.call(operation, { ...input, probe });
    if (plan.base !== undefined && isAboutRequest(result)) {
      await needBase(context, operation, plan.base, baseLabel(id));
      break;
    }
  }
  for (const [i, input] of breaking.entries()) {
    const label = { id: `${id}.violation${i + 1}`, control: `${id}.valid1` };
    await context.call(operation, { ...input, probe: { ...label, pointer, keyword, side: 'violation' } });
  }
}

/** The label of a request that breaks one rule, `body.file_id#unknown`. */
export function violationLabel(operation: string, broken: string): CallInput {
  const [pointer = '', keyword = ''] = broken.split('#');
  const id = `${operation}:${broken}.violation`;
  return { probe: { id, pointer, keyword, side: 'violation', control: null } };
}

/** Throws `ScenarioBlocked` if the base is refused. */
async function needBase(
  context: ScenarioContext,
  operation: string,
  input: CallInput,
  label: string,
): Promise<void> {
  const { ok, status, exchange } = await context.call(operation, { ...input, probe: baseProbeLabel(label) });
  if (ok) return;
  const { method, path } = operationOf(operation);
  throw new ScenarioBlocked(exchange.id, { kind: 'base', method, path, status, said: null });
}

/**
 * Requests a stream with the highest valid temperature, then one with a higher temperature, which has to be refused. `fields`
 * make a valid request.
 */
export async function callRefusedStream(
  context: ScenarioContext,
  operation: string,
  fields: RequestFields,
): Promise<void> {
  // Other probes cover the same request without a stream.
  const label = { pointer: 'body.temperature', keyword: 'maximum' } as const;
  const id = `${operation}:body.temperature#maximum`;
  const body = { ...fields, stream: true };
  const probe = { ...label, id: `${id}.streamed`, control: null };
  const sender = new ProbeSender(context, {
    operation,
    base: {
      probe: baseProbeLabel(`${id}.streamed.base`),
      input: { body },
    },
  });
  await sender.send({ input: { body: { ...body, temperature: 2 } }, probe: { ...probe, side: 'valid' } });
  await context.call(operation, {
    body: { ...body, temperature: 2.5 },
    probe: { ...label, id: `${id}.refused-stream`, side: 'violation', control: `${id}.streamed` },
  });
}
