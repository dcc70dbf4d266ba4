// Probes of rules across fields, which families write by hand, and mutations of their outcomes.

import { type CallInput, ScenarioBlocked, type ScenarioContext } from '../../../drive/scenario/scenario.ts';
import { BASE_KEYWORD, baseLabel } from '../../../judge/probe/controls.ts';
import { operation as operationOf } from '../../../schemas/index.ts';
import { withJsonResponse } from '../../vocabulary/exchanges.ts';
import type { Exchange, Mutation } from '../../vocabulary/types.ts';
import { isAboutRequest } from './probe-sender.ts';

/** Requests that follow a rule which no single keyword of a schema states, and requests that violate it. */
export interface RulePlan {
  /** The operation that all requests call. */
  readonly operation: string;
  /** The place of the body that the rule concerns, for the label. */
  readonly pointer: string;
  /** The rule; requirements find the requests by it. */
  readonly keyword: string;
  /** The first one is the control of the others. */
  readonly keeping: readonly CallInput[];
  /** The same request without what the rule concerns; it is sent only after a refused valid request, to see what is to blame. */
  readonly base?: CallInput;
  /** Requests that violate the rule; absent where only acceptance is judged. */
  readonly breaking?: readonly CallInput[];
}

/** Sends labelled requests for one rule. */
export async function sendRuleProbes(context: ScenarioContext, plan: RulePlan): Promise<void> {
  const { operation, pointer, keyword, keeping, breaking = [] } = plan;
  const id = `${operation}:${pointer}#${keyword}`;
  const control = plan.base === undefined ? null : baseLabel(id);
  for (const [i, input] of keeping.entries()) {
    const probe = { id: `${id}.valid${i + 1}`, pointer, keyword, side: 'valid', control } as const;
    const result = await context.call(operation, { ...input, probe });
    if (plan.base !== undefined && isAboutRequest(result)) {
      await needBase(context, { operation, input: plan.base, label: baseLabel(id) });
      break;
    }
  }
  for (const [i, input] of breaking.entries()) {
    const label = { id: `${id}.violation${i + 1}`, control: `${id}.valid1` };
    await context.call(operation, { ...input, probe: { ...label, pointer, keyword, side: 'violation' } });
  }
}

/** Sends a base request; where it is refused as well, nothing more can be seen, and the scenario is blocked by it. */
async function needBase(
  context: ScenarioContext,
  {
    operation,
    input,
    label,
  }: { readonly operation: string; readonly input: CallInput; readonly label: string },
): Promise<void> {
  const probe = { id: label, pointer: 'body', keyword: BASE_KEYWORD, side: 'valid', control: null } as const;
  const { ok, status, exchange } = await context.call(operation, { ...input, probe });
  if (ok) return;
  const { method, path } = operationOf(operation);
  throw new ScenarioBlocked(exchange.id, { kind: 'base', method, path, status, said: null });
}

/** Accepts what has to be refused, with nothing or with the answer to what is valid. */
export function acceptInvalidProbes(
  keyword: string,
  how: 'with nothing' | 'as valid' = 'with nothing',
): Mutation {
  return (trace) => {
    const control = trace.find((one) => isTrial(one, keyword, 'valid'));
    if (control === undefined) return null;
    return changed(trace, (one) => {
      if (!isTrial(one, keyword, 'violation')) return one;
      return how === 'as valid'
        ? { ...one, response: control.response, end: control.end }
        : withJsonResponse(one, 200, {});
    });
  };
}

/** Refuses what has to be accepted, with such a status. */
export function rejectValidProbes(keyword: string, status = 400): Mutation {
  return (trace) =>
    changed(trace, (one) =>
      isTrial(one, keyword, 'valid') ? withJsonResponse(one, status, { error: { message: 'no' } }) : one,
    );
}

/** Edits every exchange; null where no exchange has changed, so that the mutation does not apply. */
function changed(trace: readonly Exchange[], edit: (one: Exchange) => Exchange): readonly Exchange[] | null {
  const made = trace.map(edit);
  return made.some((exchange, i) => exchange !== trace[i]) ? made : null;
}

/** Whether an exchange was sent as a probe of this rule and side. */
function isTrial({ probe }: Exchange, keyword: string, side: 'valid' | 'violation'): boolean {
  return probe?.keyword === keyword && probe.side === side;
}
