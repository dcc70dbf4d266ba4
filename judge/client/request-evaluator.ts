import type { HttpRequest } from '../../exchange/exchange.ts';
import { contentCodings, decodedContent, isCutShort, mediaTypeOf } from '../../exchange/http/content.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import { allHeaders, firstHeader } from '../../exchange/http/headers.ts';
import { perSpecification } from '../../schemas/index.ts';
import { subjectOf } from '../probe/constraints.ts';
import {
  bodyConstraints,
  bodyInspector,
  bodyViolationsOf,
  queryConstraints,
  queryViolation,
} from '../probe/unlabelled-violations.ts';
import type { Evaluator, RequestViolation, RequirementSet, ResultSink } from '../requirements/catalogue.ts';
import type { Violation } from '../requirements/requirement.ts';
import type { Call } from '../trace/call.ts';
import { numberOf } from '../trace/timed.ts';
import { onClientSide } from './client-side.ts';
import {
  betaValuesOf,
  clientConstraints,
  clientRequirementId,
  clientRequirementOf,
  type MessagePart,
  mediaTypeFor,
  messagePartsOf,
  messageRequirementId,
  messageRequirements,
} from './request-constraints.ts';
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
    if (call.hasOtherPath || !isWhole(call)) return;
    for (const part of messagePartsOf(call.operation)) this.#message(call, part);
    this.#constraints(call, 'request', call);
    for (const { call: line, at } of batchedRequests(call)) this.#constraints(line, at, call);
  }

  #constraints(call: Call, at: string, shown: Call): void {
    this.#visits.exchange = numberOf(shown.exchange.id);
    const found = [...bodyViolationsOf(call, this.#visits), ...this.#query(call, shown)];
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

  #message(call: Call, part: MessagePart): void {
    const found = CHECKS[part](call);
    if (found === 'no evidence') return;
    const id = messageRequirementId(call.operation.id, part);
    this.#sink.observe(id, 1, [call.exchange]);
    if (found !== 'kept') this.#sink.report(id, found, [call.exchange]);
  }

  #query({ operation, variant, query }: Call, shown: Call): readonly RequestViolation[] {
    if (variant === null || !variant.counted || query.size === 0) return [];
    return (queryConstraints().get(subjectOf(operation, variant)) ?? []).flatMap((constraint) => {
      const id = clientRequirementId(constraint);
      const given = query.get(constraint.pointer.slice('query.'.length));
      if (given === null || !constraintIds().has(id)) return [];
      this.#sink.observe(id, 1, [shown.exchange]);
      return queryViolation(constraint, given) ?? [];
    });
  }
}

type MessageCheck = 'kept' | 'no evidence' | Violation;

const CHECKS: Readonly<Record<MessagePart, (call: Call) => MessageCheck>> = {
  'header.beta#value': betaHeader,
  'body#contentType': mediaType,
  'body#required': ({ exchange: { request } }) =>
    request.body.size > 0 ? 'kept' : { at: 'request body', expected: 'a body', actual: undefined },
  'body#readable': readability,
};

function betaHeader({ operation, exchange: { request } }: Call): MessageCheck {
  const expected = betaValuesOf(operation);
  const sent = request.headers.filter(([name]) => /-beta$/i.test(name)).map(([, value]) => value);
  const values = sent.flatMap((value) => value.split(',')).map((value) => value.trim());
  if (values.some((value) => expected.includes(value))) return 'kept';
  return { at: 'request header beta', expected: expected.join(' or '), actual: sent.join(', ') || undefined };
}

function mediaType({ operation, exchange: { request } }: Call): MessageCheck {
  if (request.body.size === 0) return 'no evidence';
  const expected = mediaTypeFor(operation);
  const essence = mediaTypeOf(request.headers)?.essence ?? null;
  // RFC 6839: the suffix +json marks media types whose content is JSON.
  const isJson = expected === 'application/json' && essence?.endsWith('+json') === true;
  if (essence === expected || isJson) return 'kept';
  const actual = firstHeader(request.headers, 'content-type') ?? undefined;
  return { at: 'request header content-type', expected, actual };
}

function readability({ operation, exchange: { request } }: Call): MessageCheck {
  if (request.body.size === 0) return 'no evidence';
  if (mediaTypeFor(operation) === 'multipart/form-data') {
    // Without the media type the boundary is unknown; the media type has its own requirement.
    if (mediaTypeOf(request.headers)?.essence !== 'multipart/form-data') return 'no evidence';
    return formDataParts(request) !== null ? 'kept' : unreadable(request, 'a form');
  }
  const content = decodedContent(request);
  if (content === null || !content.isKept) return 'no evidence';
  return content.json !== null ? 'kept' : unreadable(request, 'JSON');
}

function unreadable({ body }: HttpRequest, expected: string): Violation {
  return { at: 'request body', expected, actual: body.text?.slice(0, 200) ?? `${body.size} bytes` };
}

function isWhole({ exchange: { request, response, end } }: Call): boolean {
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
