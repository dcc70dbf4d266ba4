import type { HttpRequest } from '../../exchange/exchange.ts';
import { contentCodings, decodedContent, isCutShort, mediaTypeOf } from '../../exchange/http/content.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import { allHeaders, firstHeader } from '../../exchange/http/headers.ts';
import { type Operation, operation, operations, perSpecification } from '../../schemas/index.ts';
import { isUnmarked, type RequestConstraint, requestConstraints } from '../probe/constraints.ts';
import {
  bodyConstraints,
  bodyInspector,
  bodyViolationsOf,
  queryViolation,
  sentParameters,
} from '../probe/request-violations.ts';
import type {
  Evaluator,
  RequestViolation,
  Requirement,
  RequirementSet,
  ResultSink,
} from '../requirements/catalogue.ts';
import { familiesOf } from '../requirements/claimed.ts';
import type { Violation } from '../requirements/requirement.ts';
import { conditionalRuleIn, constraintPhrase } from '../schema/sentence.ts';
import type { Call } from '../trace/call.ts';
import { numberOf } from '../trace/timed.ts';
import { onClientSide } from './client-side.ts';
import { batchedRequests } from './uploads.ts';

/** Ids of derived requirements. A body may also violate constraints of other variants, which are not judged. */
const constraintIds = perSpecification(
  (): ReadonlySet<string> => new Set(clientConstraints().map(clientRequirementId)),
);

class RequestEvaluator implements Evaluator {
  readonly #sink: ResultSink;
  readonly #visits = bodyInspector().visits();

  constructor(sink: ResultSink) {
    this.#sink = sink;
  }

  /** Calls under the alternative spelling of their path only concern choices. */
  call(call: Call): void {
    if (call.hasOtherPath || !isComplete(call)) return;
    for (const part of messagePartsOf(call.operation)) this.#judgeMessage(call, part);
    this.#judgeConstraints(call, 'request', call);
    for (const { call: line, at } of batchedRequests(call)) this.#judgeConstraints(line, at, call);
  }

  /** `call` may be a line of a batch; findings then cite `shown`, the upload that contains it. */
  #judgeConstraints(call: Call, at: string, shown: Call): void {
    this.#visits.exchange = numberOf(shown.exchange.id);
    const found = [...bodyViolationsOf(call, this.#visits), ...this.#queryViolations(call, shown)];
    for (const one of this.#sink.remaining?.(call, found, 'client') ?? found) {
      const id = clientRequirementId(one.of);
      const violation = {
        at: `${at} ${one.at === '' ? 'body' : one.at}`,
        expected: one.expected,
        actual: one.actual,
      };
      if (constraintIds().has(id)) this.#sink.report(id, violation, [shown.exchange]);
    }
  }

  /** Counts each value that a constraint applies to as an observation. */
  finish(): void {
    // Constraints of other variants and on model names have no requirement.
    const inspector = bodyInspector();
    for (const { of, constraint } of bodyConstraints()) {
      const id = clientRequirementId(of);
      const number = inspector.numberOf(constraint.node);
      const times = this.#visits.count(number, constraint.kinds);
      const first = this.#visits.first(number, constraint.kinds);
      if (times > 0 && constraintIds().has(id)) this.#sink.observe(id, times, [{ id: `e${first}` }]);
    }
  }

  #judgeMessage(call: Call, part: MessagePart): void {
    const found = MESSAGE_CHECKS[part](call);
    if (found === 'no evidence') return;
    const id = messageRequirementId(call.operation.id, part);
    this.#sink.observe(id, 1, [call.exchange]);
    if (found !== 'satisfied') this.#sink.report(id, found, [call.exchange]);
  }

  #queryViolations(call: Call, shown: Call): readonly RequestViolation[] {
    if (call.variant?.counted !== true) return [];
    return sentParameters(call).flatMap(([constraint, given]) => {
      const id = clientRequirementId(constraint);
      if (!constraintIds().has(id)) return [];
      this.#sink.observe(id, 1, [shown.exchange]);
      return queryViolation(constraint, given) ?? [];
    });
  }
}

type MessageCheck = 'satisfied' | 'no evidence' | Violation;

const MESSAGE_CHECKS: Readonly<Record<MessagePart, (call: Call) => MessageCheck>> = {
  'header.beta#value': checkBetaHeader,
  'body#contentType': checkMediaType,
  'body#required': ({ exchange: { request } }) =>
    request.body.size > 0 ? 'satisfied' : { at: 'request body', expected: 'a body', actual: undefined },
  'body#readable': checkReadability,
};

function checkBetaHeader({ operation, exchange: { request } }: Call): MessageCheck {
  const expected = betaValuesOf(operation);
  const sent = request.headers.filter(([name]) => /-beta$/i.test(name)).map(([, value]) => value);
  const values = sent.flatMap((value) => value.split(',')).map((value) => value.trim());
  if (values.some((value) => expected.includes(value))) return 'satisfied';
  return { at: 'request header beta', expected: expected.join(' or '), actual: sent.join(', ') || undefined };
}

function checkMediaType({ operation, exchange: { request } }: Call): MessageCheck {
  if (request.body.size === 0) return 'no evidence';
  const expected = mediaTypeFor(operation);
  const essence = mediaTypeOf(request.headers)?.essence ?? null;
  // RFC 6839: the suffix +json marks media types whose content is JSON.
  const isJson = expected === 'application/json' && essence?.endsWith('+json') === true;
  if (essence === expected || isJson) return 'satisfied';
  const actual = firstHeader(request.headers, 'content-type') ?? undefined;
  return { at: 'request header content-type', expected, actual };
}

function checkReadability({ operation, exchange: { request } }: Call): MessageCheck {
  if (request.body.size === 0) return 'no evidence';
  if (mediaTypeFor(operation) === 'multipart/form-data') {
    // Without the media type the boundary is unknown; the media type has its own requirement.
    if (mediaTypeOf(request.headers)?.essence !== 'multipart/form-data') return 'no evidence';
    return formDataParts(request) !== null ? 'satisfied' : unreadableBody(request, 'a form');
  }
  const content = decodedContent(request);
  if (content === null || !content.isKept) return 'no evidence';
  return content.json !== null ? 'satisfied' : unreadableBody(request, 'JSON');
}

function unreadableBody({ body }: HttpRequest, expected: string): Violation {
  return { at: 'request body', expected, actual: body.text?.slice(0, 200) ?? `${body.size} bytes` };
}

function isComplete({ exchange: { request, response, end } }: Call): boolean {
  if (isCutShort(request)) return false;
  if (contentCodings(request.headers).length > 0 && decodedContent(request) === null) return false;
  const isChunked = allHeaders(request.headers, 'transfer-encoding').length > 0;
  return !(isChunked && response === null && end.how === 'client-abort');
}

/** Requirements on requests that follow from the schemas. `suites/client/` has the hand-written ones. */
export function requestRequirements(): RequirementSet {
  return onClientSide({
    origin: 'request',
    requirements: [...clientConstraints().map(clientRequirementOf), ...messageRequirements()],
    open: (sink) => new RequestEvaluator(sink),
    prepare: () => bodyInspector().prepare(),
  });
}

/**
 * Pointers to the whole body or query. `required` there obliges a service to accept a request with only the required fields, and
 * binds no client.
 */
const WHOLE_POINTERS = new Set(['body', 'query']);

/** Constraints that clients must respect, in the order of `openapi.json`; none on ids in paths or on contents of files. */
export const clientConstraints = perSpecification((): readonly RequestConstraint[] =>
  requestConstraints().filter(bindsClients),
);

export function clientRequirementId({
  subject,
  pointer,
  keyword,
}: Pick<RequestConstraint, 'subject' | 'pointer' | 'keyword'>): string {
  return `client:${subject}:${pointer}#${keyword}`;
}

function clientRequirementOf(constraint: RequestConstraint): Requirement {
  const variant = operation(constraint.operation).variants.find(({ name }) => name === constraint.variant);
  return {
    id: clientRequirementId(constraint),
    kind: 'request',
    families: variant === undefined ? [] : [variant.family],
    operations: [constraint.operation],
    level: isUnmarked(constraint) ? 'SHOULD' : 'MUST',
    basis: constraint.basis,
    spec: constraint.spec,
    says: constraintSentence(constraint),
  };
}

function bindsClients({ carrier, keyword, pointer, sides, node, value }: RequestConstraint): boolean {
  // Ids come from responses, so a request alone does not show whether one is right.
  if (carrier === 'path') return false;
  // Formats and sizes of files depend on their bytes; `suites/client/` judges them.
  if (carrier === 'file') return keyword === 'required';
  if (keyword === 'required' && WHOLE_POINTERS.has(pointer)) return false;
  // Names of models depend on the configuration of a service.
  if (keyword === 'enum' && node.notes['x-model-role'] !== undefined) return false;
  // A rule across fields binds callers even if services need not enforce it.
  if (conditionalRuleIn(value) !== null) return true;
  return sides.includes('rejected');
}

function constraintSentence(constraint: RequestConstraint): string {
  const { subject, pointer, keyword, value } = constraint;
  const rule = conditionalRuleIn(value);
  if (rule !== null) return `A request of ${subject} keeps this: ${rule.says}`;
  if (keyword === 'required') return `A request of ${subject} has ${pointer}.`;
  const verb = /(Length|Items|Properties)$/.test(keyword) ? 'has' : 'is';
  return `In a request of ${subject}, ${pointer} ${verb} ${constraintPhrase(constraint)}.`;
}

/** The parts of a request whose form is judged. They occur in public ids, so a part is never renamed. */
export type MessagePart = 'header.beta#value' | 'body#contentType' | 'body#required' | 'body#readable';

export function messageRequirementId(operation: string, part: MessagePart): string {
  return `client:${operation}:${part}`;
}

export function messagePartsOf(operation: Operation): readonly MessagePart[] {
  const { variants } = operation;
  const parts: MessagePart[] = [];
  // Operations outside the assistants family have no beta header.
  if (variants.every(({ beta }) => beta !== null)) parts.push('header.beta#value');
  const bodies = variants.flatMap(({ body }) => body ?? []);
  if (bodies.length > 0) parts.push('body#contentType', 'body#readable');
  // An optional body may also be empty.
  if (bodies.length > 0 && bodies.every(({ required }) => required)) parts.push('body#required');
  return parts;
}

function messageRequirements(): readonly Requirement[] {
  return operations().flatMap((operation) =>
    messagePartsOf(operation).map((part) => ({
      id: messageRequirementId(operation.id, part),
      kind: 'request',
      families: familiesOf(operation),
      operations: [operation.id],
      level: 'MUST',
      ...MESSAGE_BASES[part],
      says: `A request of ${operation.id} ${messagePredicate(operation, part)}.`,
    })),
  );
}

const MESSAGE_BASES: Readonly<Record<MessagePart, Pick<Requirement, 'spec' | 'basis'>>> = {
  'header.beta#value': { spec: '1 Endpoints', basis: 'stated' },
  'body#contentType': { spec: '1 What the service does', basis: 'stated' },
  'body#readable': { spec: '1 What the service does', basis: 'stated' },
  'body#required': { spec: '1 What the service does', basis: 'implied' },
};

function messagePredicate(operation: Operation, part: MessagePart): string {
  const isForm = operation.variants.some(({ body }) => body?.carrier === 'multipart');
  switch (part) {
    case 'header.beta#value':
      return `has the beta header with ${betaValuesOf(operation).join(' or ')}`;
    case 'body#contentType':
      return `labels its body ${mediaTypeFor(operation)}`;
    case 'body#readable':
      return `has a body that can be read as ${isForm ? 'a form' : 'JSON'}`;
    case 'body#required':
      return 'has a body';
  }
}

export function betaValuesOf({ variants }: Operation): readonly string[] {
  return variants.flatMap(({ beta }) => beta ?? []);
}

function mediaTypeFor({ variants }: Operation): 'application/json' | 'multipart/form-data' {
  return variants.some(({ body }) => body?.carrier === 'multipart')
    ? 'multipart/form-data'
    : 'application/json';
}
