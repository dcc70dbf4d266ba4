import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { isFromClient } from '../../judge/client/client-side.ts';
import {
  clientConstraints,
  clientRequirementId,
  type MessagePart,
  messagePartsOf,
  messageRequirementId,
} from '../../judge/client/request-requirements.ts';
import { type RequestConstraint, subjectOf } from '../../judge/probe/request-constraints.ts';
import { holdsFor } from '../../judge/probe/request-violations.ts';
import { conditionalRuleIn } from '../../judge/schema/sentence.ts';
import type { Call } from '../../judge/trace/call.ts';
import { operations } from '../../schemas/index.ts';
import {
  withoutLabel,
  withRequestBody,
  withRequestHeader,
  withRequestJson,
  withRequestQuery,
} from '../mutations/requests.ts';
import { setValue } from '../mutations/values.ts';
import { type BaselineTrace, MAX_MUTATED_REQUESTS, type Mutant } from './mutant.ts';

const VIOLATED = 'violated';
const TRIED_VALUES: readonly Json[] = [true, false, 'odd', 1];

type MessageMutation = (exchange: Exchange, betaHeader: string) => Exchange;

const MESSAGE_MUTATIONS: Readonly<Record<MessagePart, Readonly<Record<string, MessageMutation>>>> = {
  'header.beta#value': {
    'no label': (exchange, header) => withRequestHeader(exchange, header, null),
    'wrong label': (exchange, header) => withRequestHeader(exchange, header, 'assistants=v0'),
  },
  'body#contentType': {
    'no label': (exchange) => withRequestHeader(exchange, 'content-type', null),
    'wrong label': (exchange) => withRequestHeader(exchange, 'content-type', 'text/plain'),
  },
  'body#required': { missing: (exchange) => withRequestBody(exchange, '') },
  'body#readable': { unreadable: (exchange) => withRequestBody(exchange, '{"half": ') },
};

export function mutationKindsOfRequest(id: string): readonly string[] {
  const entry = Object.entries(MESSAGE_MUTATIONS).find(([part]) => id.endsWith(`:${part}`));
  return entry === undefined ? [VIOLATED] : Object.keys(entry[1]);
}

/** A violating probe of the suite violates one constraint; without its label, it is a client's mistake. */
export function* requestMutants(baseline: BaselineTrace): Generator<Mutant> {
  const calls = baseline.calls(operations().map(({ id }) => id));
  const violations = violationsIn(calls);
  for (const constraint of clientConstraints()) {
    const requirement = clientRequirementId(constraint);
    if (!baseline.selected.has(requirement)) continue;
    let mutated = violations.get(requirement)?.slice(0, MAX_MUTATED_REQUESTS) ?? [];
    if (mutated.length === 0)
      mutated = [...requestsBeyondLimit(constraint, calls), ...requestsAgainstRule(constraint, calls)];
    for (const [n, exchange] of mutated.entries())
      yield { requirement, kind: VIOLATED, name: `violated ${n + 1}`, exchanges: [exchange] };
  }
  for (const { id } of operations()) yield* messageMutants(baseline.calls([id]), baseline);
}

function violationsIn(calls: readonly Call[]): ReadonlyMap<string, readonly Exchange[]> {
  const violations = new Map<string, Exchange[]>();
  for (const { exchange, operation, variant } of calls) {
    const { probe } = exchange;
    if (probe?.side !== 'violation' || variant === null) continue;
    const id = clientRequirementId({ ...probe, subject: subjectOf(operation, variant) });
    violations.set(id, [...(violations.get(id) ?? []), withoutLabel(exchange)]);
  }
  return violations;
}

function requestsBeyondLimit(constraint: RequestConstraint, calls: readonly Call[]): readonly Exchange[] {
  const { carrier, keyword, pointer, value } = constraint;
  if (carrier !== 'query' || typeof value !== 'number') return [];
  const name = pointer.slice('query.'.length);
  const invalid = keyword === 'minimum' ? value - 1 : value + 1;
  const call = calls.find(
    ({ exchange, operation, variant, query }) =>
      variant !== null &&
      subjectOf(operation, variant) === constraint.subject &&
      query.has(name) &&
      isFromClient(exchange),
  );
  return call === undefined ? [] : [withRequestQuery(call.exchange, name, String(invalid))];
}

function requestsAgainstRule(
  { subject, carrier, value }: RequestConstraint,
  calls: readonly Call[],
): readonly Exchange[] {
  const rule = conditionalRuleIn(value);
  const fields = Object.keys(rule?.demand['properties'] ?? {});
  if (rule === null || carrier !== 'json') return [];
  for (const { exchange, operation, variant, requestJson } of calls) {
    const isOwn = variant !== null && subjectOf(operation, variant) === subject;
    if (!isOwn || !isFromClient(exchange) || requestJson === undefined) continue;
    const bodies = fields.flatMap((name) =>
      TRIED_VALUES.map((candidate) => setValue(`/${name}`, candidate)(requestJson)),
    );
    const broken = bodies.filter((body) => holdsFor(rule.condition, body) && !holdsFor(rule.demand, body));
    if (broken.length > 0) return broken.map((body) => withRequestJson(exchange, () => body));
  }
  return [];
}

function* messageMutants(calls: readonly Call[], { header, selected }: BaselineTrace): Generator<Mutant> {
  const clientCalls = calls.filter(({ exchange }) => isFromClient(exchange));
  const [first] = clientCalls;
  if (first === undefined) return;
  for (const part of messagePartsOf(first.operation)) {
    const call = clientCalls.find(
      ({ exchange }) => part === 'header.beta#value' || exchange.request.body.size > 0,
    );
    const requirement = messageRequirementId(first.operation.id, part);
    if (call === undefined || !selected.has(requirement)) continue;
    for (const [kind, change] of Object.entries(MESSAGE_MUTATIONS[part])) {
      const exchanges = [change(call.exchange, header.betaHeader)];
      yield { requirement, kind, name: `${part} ${kind}`, exchanges };
    }
  }
}
