import { type CallInput, ScenarioBlocked, type ScenarioContext } from '../../drive/scenario/scenario.ts';
import { baseLabel } from '../../judge/probe/probe-outcomes.ts';
import { operation as operationOf } from '../../schemas/index.ts';
import { mayHaveFailedForContent, ProbeSender } from './probe-sender.ts';
import { baseProbeLabel } from './probes.ts';
import type { RequestFields } from './requests.ts';

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
  /** A request without the part that the rule concerns, sent only if a valid one may have failed for its content. */
  readonly base?: CallInput;
  /** Requests that violate the rule; absent if only acceptance is judged. */
  readonly breaking?: readonly CallInput[];
}

/** Sends labelled requests for one rule. Throws `ScenarioBlocked` if the base is sent and not accepted. */
export async function sendRuleProbes(context: ScenarioContext, plan: RulePlan): Promise<void> {
  const { operation, pointer, keyword, keeping, breaking = [] } = plan;
  const id = `${operation}:${pointer}#${keyword}`;
  const control = plan.base === undefined ? null : baseLabel(id);
  for (const [i, input] of keeping.entries()) {
    const probe = { id: `${id}.valid${i + 1}`, pointer, keyword, side: 'valid', control } as const;
    const result = await context.call(operation, { ...input, probe });
    if (plan.base !== undefined && mayHaveFailedForContent(result)) {
      await needBase(context, operation, plan.base, baseLabel(id));
      break;
    }
  }
  for (const [i, input] of breaking.entries()) {
    const label = { id: `${id}.violation${i + 1}`, control: `${id}.valid1` };
    await context.call(operation, { ...input, probe: { ...label, pointer, keyword, side: 'violation' } });
  }
}

/** The label of a request that violates one rule, such as `body.file_id#unknown`. */
export function violationLabel(operation: string, rule: string): CallInput {
  const [pointer = '', keyword = ''] = rule.split('#');
  const id = `${operation}:${rule}.violation`;
  return { probe: { id, pointer, keyword, side: 'violation', control: null } };
}

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
 * Requests a stream with the highest valid temperature, then one with a higher temperature, which must be refused.
 * `fields` are those of a valid request.
 */
export async function callRefusedStream(
  context: ScenarioContext,
  operation: string,
  fields: RequestFields,
): Promise<void> {
  const label = { pointer: 'body.temperature', keyword: 'maximum' } as const;
  // Suffixes tell the ids from those of the probes that send the same values without a stream.
  const id = `${operation}:body.temperature#maximum`;
  const body = { ...fields, stream: true };
  const probe = { ...label, id: `${id}.streamed`, control: null };
  const sender = new ProbeSender(context, {
    operation,
    base: { probe: baseProbeLabel(`${id}.streamed.base`), input: { body } },
  });
  await sender.send({ input: { body: { ...body, temperature: 2 } }, probe: { ...probe, side: 'valid' } });
  await context.call(operation, {
    body: { ...body, temperature: 2.5 },
    probe: { ...label, id: `${id}.refused-stream`, side: 'violation', control: `${id}.streamed` },
  });
}
