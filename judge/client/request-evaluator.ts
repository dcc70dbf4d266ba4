import type { HttpRequest } from '../../exchange/exchange.ts';
import { contentCodings, decodedContent, isCutShort, mediaTypeOf } from '../../exchange/http/content.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import { allHeaders, firstHeader } from '../../exchange/http/headers.ts';
import { perSpecification } from '../../schemas/index.ts';
import {
  bodyConstraints,
  bodyInspector,
  bodyViolationsOf,
  queryViolation,
  sentParameters,
} from '../probe/request-violations.ts';
import type { RequirementSet } from '../requirements/catalogue.ts';
import type { Evaluator, RequestViolation, ResultSink } from '../requirements/evaluator.ts';
import type { Violation } from '../requirements/requirement.ts';
import type { Call } from '../trace/call.ts';
import { numberOf } from '../trace/timed.ts';
import { quoteBeginning } from '../verdict/findings.ts';
import { markAsClientSide } from './client-side.ts';
import {
  betaValuesOf,
  bodyMediaType,
  clientConstraints,
  clientRequirementId,
  clientRequirements,
  type MessagePart,
  messagePartsOf,
  messageRequirementId,
} from './request-requirements.ts';
import { batchedRequests } from './uploads.ts';

/** A body may also violate constraints that do not bind clients. */
const constraintIds = perSpecification(
  (): ReadonlySet<string> => new Set(clientConstraints().map(clientRequirementId)),
);

const MESSAGE_CHECKS: Readonly<Record<MessagePart, (call: Call) => MessageResult>> = {
  'header.beta#value': checkBetaHeader,
  'body#contentType': checkMediaType,
  'body#required': ({ exchange: { request } }) =>
    request.body.size > 0 ? 'satisfied' : { at: 'request body', expected: 'a body', actual: undefined },
  'body#readable': checkReadability,
};

class RequestEvaluator implements Evaluator {
  readonly #sink: ResultSink;
  readonly #visits = bodyInspector().createVisitCounts();

  constructor(sink: ResultSink) {
    this.#sink = sink;
  }

  /** Ignores incomplete requests. */
  call(call: Call): void {
    if (!isComplete(call)) return;
    for (const part of messagePartsOf(call.operation)) this.#judgeMessage(call, part);
    this.#judgeConstraints(call, 'request', call);
    for (const { call: line, at } of batchedRequests(call)) this.#judgeConstraints(line, at, call);
  }

  /** Findings cite `source`: the call itself or, for a line of a batch, the upload that contains it. */
  #judgeConstraints(call: Call, at: string, source: Call): void {
    this.#visits.exchange = numberOf(source.exchange.id);
    const violations = [...bodyViolationsOf(call, this.#visits), ...this.#observeQuery(call, source)];
    for (const one of this.#sink.recordVocabulary?.(call, violations, 'client') ?? violations) {
      const id = clientRequirementId(one.origin);
      const violation = {
        at: `${at} ${one.at === '' ? 'body' : one.at}`,
        expected: one.expected,
        actual: one.actual,
      };
      if (constraintIds().has(id)) this.#sink.report(id, violation, [source.exchange]);
    }
  }

  finish(): void {
    const inspector = bodyInspector();
    for (const { origin, constraint } of bodyConstraints()) {
      const id = clientRequirementId(origin);
      const number = inspector.numberOf(constraint.node);
      const times = this.#visits.count(number, constraint.kinds);
      const first = this.#visits.first(number, constraint.kinds);
      if (times > 0 && constraintIds().has(id)) this.#sink.observe(id, times, [{ id: `e${first}` }]);
    }
  }

  #judgeMessage(call: Call, part: MessagePart): void {
    const result = MESSAGE_CHECKS[part](call);
    if (result === 'no evidence') return;
    const id = messageRequirementId(call.operation.id, part);
    this.#sink.observe(id, 1, [call.exchange]);
    if (result !== 'satisfied') this.#sink.report(id, result, [call.exchange]);
  }

  /** Counts the parameters of the query as evidence, and returns their violations. */
  #observeQuery(call: Call, source: Call): readonly RequestViolation[] {
    if (call.variant?.counted !== true) return [];
    return sentParameters(call).flatMap(([constraint, value]) => {
      const id = clientRequirementId(constraint);
      if (!constraintIds().has(id)) return [];
      this.#sink.observe(id, 1, [source.exchange]);
      return queryViolation(constraint, value) ?? [];
    });
  }
}

type MessageResult = 'satisfied' | 'no evidence' | Violation;

function checkBetaHeader({ operation, exchange: { request } }: Call): MessageResult {
  const expected = betaValuesOf(operation);
  const fields = request.headers.filter(([name]) => /-beta$/i.test(name)).map(([, value]) => value);
  const values = fields.flatMap((value) => value.split(',')).map((value) => value.trim());
  if (values.some((value) => expected.includes(value))) return 'satisfied';
  const actual = fields.join(', ') || undefined;
  return { at: 'request header beta', expected: expected.join(' or '), actual };
}

function checkMediaType({ operation, exchange: { request } }: Call): MessageResult {
  if (request.body.size === 0) return 'no evidence';
  const expected = bodyMediaType(operation);
  const essence = mediaTypeOf(request.headers)?.essence ?? null;
  // RFC 6839: the suffix +json marks media types whose content is JSON.
  const isJson = expected === 'application/json' && essence?.endsWith('+json') === true;
  if (essence === expected || isJson) return 'satisfied';
  const actual = firstHeader(request.headers, 'content-type') ?? undefined;
  return { at: 'request header content-type', expected, actual };
}

function checkReadability({ operation, holdsRequest, exchange: { request } }: Call): MessageResult {
  if (request.body.size === 0 || !holdsRequest) return 'no evidence';
  if (bodyMediaType(operation) === 'multipart/form-data') {
    // Without the media type the boundary is unknown; the media type has its own requirement.
    if (mediaTypeOf(request.headers)?.essence !== 'multipart/form-data') return 'no evidence';
    return formDataParts(request) !== null ? 'satisfied' : unreadableBody(request, 'a form');
  }
  const content = decodedContent(request);
  if (content === null) return 'no evidence';
  return content.json !== null ? 'satisfied' : unreadableBody(request, 'JSON');
}

function unreadableBody({ body }: HttpRequest, expected: string): Violation {
  const actual = body.text === null ? `${body.size} bytes` : quoteBeginning(body.text);
  return { at: 'request body', expected, actual };
}

function isComplete({ exchange: { request, response, end } }: Call): boolean {
  if (isCutShort(request)) return false;
  if (contentCodings(request.headers).length > 0 && decodedContent(request) === null) return false;
  const isChunked = allHeaders(request.headers, 'transfer-encoding').length > 0;
  return !(isChunked && response === null && end.how === 'client-abort');
}

export function requestRequirements(): RequirementSet {
  return markAsClientSide({
    origin: 'request',
    requirements: clientRequirements(),
    open: (sink) => new RequestEvaluator(sink),
    prepare: () => bodyInspector().prepare(),
  });
}
