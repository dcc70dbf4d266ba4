import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { isOfClient } from '../../judge/client/client-side.ts';
import {
  clientConstraints,
  clientRequirementId,
  type MessagePart,
  messagePartsOf,
  messageRequirementId,
} from '../../judge/client/request-constraints.ts';
import { type RequestConstraint, subjectOf } from '../../judge/probe/constraints.ts';
import { holdsFor } from '../../judge/probe/unlabelled-violations.ts';
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
import type { BaselineTrace, Mutant } from './mutant.ts';

const PROBES = 3;

const VIOLATED = 'violated';

type MessageMutation = (exchange: Exchange, betaHeader: string) => Exchange;

/** Kinds of mutants of the form of a request. */
const MESSAGE_MUTATIONS: Readonly<Record<MessagePart, Readonly<Record<string, MessageMutation>>>> = {
  // The header is missing, or names a version that does not exist.
  'header.beta#value': {
    'no label': (exchange, header) => withRequestHeader(exchange, header, null),
    'wrong label': (exchange, header) => withRequestHeader(exchange, header, 'assistants=v0'),
  },
  // The content stays valid; only its media type is wrong.
  'body#contentType': {
    'no label': (exchange) => withRequestHeader(exchange, 'content-type', null),
    'wrong label': (exchange) => withRequestHeader(exchange, 'content-type', 'text/plain'),
  },
  'body#required': { missing: (exchange) => withRequestBody(exchange, '') },
  'body#readable': { unreadable: (exchange) => withRequestBody(exchange, '{"half": ') },
};

export function mutationKindsOfRequest(id: string): readonly string[] {
  const found = Object.entries(MESSAGE_MUTATIONS).find(([part]) => id.endsWith(`:${part}`));
  return found === undefined ? [VIOLATED] : Object.keys(found[1]);
}

/**
 * At most three requests that violate each constraint, and one for each part of the message. A probe of the suite
 * violates one constraint; without its label it is the mistake of a client.
 */
export function* requestMutants(baseline: BaselineTrace): Generator<Mutant> {
  const calls = baseline.calls(operations().map(({ id }) => id));
  const violations = violationsIn(calls);
  for (const constraint of clientConstraints()) {
    const requirement = clientRequirementId(constraint);
    if (!baseline.proved.has(requirement)) continue;
    const found = violations.get(requirement)?.slice(0, PROBES) ?? [];
    const broken =
      found.length > 0 ? found : [...beyondLimit(constraint, calls), ...againstRule(constraint, calls)];
    for (const [n, exchange] of broken.entries())
      yield { requirement, kind: VIOLATED, name: `violated ${n + 1}`, exchanges: [exchange] };
  }
  for (const { id } of operations()) yield* messageMutants(baseline.calls([id]), baseline);
}

function violationsIn(calls: readonly Call[]): ReadonlyMap<string, readonly Exchange[]> {
  const found = new Map<string, Exchange[]>();
  for (const { exchange, operation, variant } of calls) {
    const { probe } = exchange;
    if (probe?.side !== 'violation' || variant === null) continue;
    const id = clientRequirementId({ ...probe, subject: subjectOf(operation, variant) });
    found.set(id, [...(found.get(id) ?? []), withoutLabel(exchange)]);
  }
  return found;
}

function beyondLimit(constraint: RequestConstraint, calls: readonly Call[]): readonly Exchange[] {
  const { carrier, keyword, pointer, value } = constraint;
  if (carrier !== 'query' || typeof value !== 'number') return [];
  const name = pointer.slice('query.'.length);
  const wrong = keyword === 'minimum' ? value - 1 : value + 1;
  const call = calls.find(
    (one) =>
      one.variant !== null &&
      subjectOf(one.operation, one.variant) === constraint.subject &&
      one.query.has(name) &&
      isOfClient(one.exchange),
  );
  return call === undefined ? [] : [withRequestQuery(call.exchange, name, String(wrong))];
}

/** Values that may violate a rule across fields. */
const TRIED: readonly Json[] = [true, false, 'odd', 1];

function againstRule(
  { subject, carrier, value }: RequestConstraint,
  calls: readonly Call[],
): readonly Exchange[] {
  const rule = conditionalRuleIn(value);
  const fields = Object.keys(rule?.demand['properties'] ?? {});
  if (rule === null || carrier !== 'json') return [];
  for (const { exchange, operation, variant, requestJson } of calls) {
    const isOwn = variant !== null && subjectOf(operation, variant) === subject;
    if (!isOwn || !isOfClient(exchange) || requestJson === undefined) continue;
    const bodies = fields.flatMap((name) => TRIED.map((odd) => setValue(`/${name}`, odd)(requestJson)));
    const broken = bodies.filter((body) => holdsFor(rule.condition, body) && !holdsFor(rule.demand, body));
    if (broken.length > 0) return broken.map((body) => withRequestJson(exchange, () => body));
  }
  return [];
}

function* messageMutants(calls: readonly Call[], { header, proved }: BaselineTrace): Generator<Mutant> {
  const own = calls.filter(({ exchange }) => isOfClient(exchange));
  for (const part of own[0] === undefined ? [] : messagePartsOf(own[0].operation)) {
    const call = own.find(({ exchange }) => part === 'header.beta#value' || exchange.request.body.size > 0);
    const requirement = messageRequirementId(own[0]?.operation.id ?? '', part);
    if (call === undefined || !proved.has(requirement)) continue;
    for (const [kind, change] of Object.entries(MESSAGE_MUTATIONS[part])) {
      const exchanges = [change(call.exchange, header.betaHeader)];
      yield { requirement, kind, name: `${part} ${kind}`, exchanges };
    }
  }
}
