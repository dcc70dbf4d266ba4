import type { Exchange, HttpRequest } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { decodedContent, isCutShort, jsonContent } from '../../exchange/http/content.ts';
import { eventsOf, type SseEvent } from '../../exchange/http/event-stream.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import { firstHeader } from '../../exchange/http/headers.ts';
import { getOrMake } from '../../schemas/grouping.ts';
import {
  matchAlternativePath,
  matchOperation,
  type Operation,
  type PathMatch,
  type Variant,
} from '../../schemas/index.ts';
import { isJsonObject } from '../../schemas/json.ts';
import { isObject } from './json.ts';

/** Thrown if the request body is not recorded, or asks for an unknown mode: checks that need the body are skipped. */
export class UnknownRequestError extends Error {
  override readonly name = 'UnknownRequestError';
}

/** A known deviation of the services that a dialect describes, and the reason why it is not reported as a failure. */
export interface Erratum {
  /** `no-fingerprint`; distinct within a dialect. */
  readonly id: string;
  /** A sentence with a full stop; reports print it. */
  readonly reason: string;
}

export interface UnknownMode {
  /** The erratum of the dialect that describes the mode. */
  readonly erratum: Erratum;
  /** `answer`: the response is not judged at all; `echoes`: values that it repeats from the request are not judged. */
  readonly unknown: 'answer' | 'echoes';
  /** Patterns for required places that such a request may omit. */
  readonly omits: readonly RegExp[];
}

/** What a dialect says about a request: its operation under another path, its unknown mode, and its permitted refusal. */
export interface PathMatcher {
  /** Returns null if the dialect has no such path. `path` has no query. */
  match(method: string, path: string): PathMatch | null;
  /** The unknown mode that a request asks for; null for any other request. */
  modeOf(operation: string, fields: Json): UnknownMode | null;
  /** The erratum that permits the refusal of this valid request, or null. */
  refusalOf(call: Call): Erratum | null;
}

interface Reading {
  readonly betaHeader: string;
  readonly spelling: 'listed' | 'other';
  readonly aliases: PathMatcher | null;
}

/** An exchange, interpreted by the specification: its operation, variant, parsed request and class of response. */
export class Call {
  static #last: Call | null = null;
  /** The exchange as recorded. */
  readonly exchange: Exchange;
  /** The operation that method and path name. */
  readonly operation: Operation;
  /** Null if the beta header does not determine the variant, or contradicts it. */
  readonly variant: Variant | null;
  /** Ids in the path, decoded. */
  readonly path: Readonly<Record<string, string>>;
  /** True if the request uses the alternative spelling of the path; only choices judge such a call. */
  readonly hasOtherPath: boolean;
  /** The outcome of the request: `accepted`, `rejected`, `failed` and others. */
  readonly responseClass: ResponseClass;
  readonly #betaHeader: string;
  readonly #aliases: PathMatcher | null;
  #mode: UnknownMode | null | undefined;
  #refusal: Erratum | null | undefined;
  #query: URLSearchParams | undefined;
  #requestJson: { readonly value: Json | undefined } | undefined;
  #responseJson: { readonly value: Json | undefined } | undefined;

  private constructor(
    exchange: Exchange,
    { operation, path }: PathMatch,
    { betaHeader, spelling, aliases }: Reading,
  ) {
    this.exchange = exchange;
    this.operation = operation;
    this.variant = variantOf(operation, firstHeader(exchange.request.headers, betaHeader));
    this.path = path;
    this.hasOtherPath = spelling === 'other';
    this.#betaHeader = betaHeader;
    this.#aliases = aliases;
    this.responseClass = responseClassOf(exchange);
  }

  /** Interprets an exchange; null if it calls no operation of the specification, and `aliases` finds none at its path. */
  static from(exchange: Exchange, betaHeader: string, aliases: PathMatcher | null = null): Call | null {
    const last = Call.#last;
    if (last?.exchange === exchange && last.#betaHeader === betaHeader && last.#aliases === aliases)
      return last;
    const { method, target } = exchange.request;
    const path = targetPath(target);
    const found = aliases?.match(method, path) ?? matchOperation(method, path);
    if (found === null) return null;
    const call = new Call(exchange, found, { betaHeader, spelling: 'listed', aliases });
    Call.#last = call;
    return call;
  }

  /** Like `from`, for the alternative spelling of the path. */
  static atOtherPath(exchange: Exchange, betaHeader: string): Call | null {
    const { method, target } = exchange.request;
    const found = matchAlternativePath(method, targetPath(target));
    return found === null
      ? null
      : new Call(exchange, found, { betaHeader, spelling: 'other', aliases: null });
  }

  /** Whether the header names the legacy form and the specification describes the operation only in the beta form, as for threads. */
  get isLegacy(): boolean {
    if (this.variant !== null || !this.operation.variants.some(({ beta }) => beta === BETA)) return false;
    return betasIn(firstHeader(this.exchange.request.headers, this.#betaHeader)).includes(LEGACY);
  }

  /** Null if no status line arrived. */
  get status(): number | null {
    return this.exchange.response?.status ?? null;
  }

  /** Whether the response arrived whole. */
  get complete(): boolean {
    return this.exchange.end.how === 'complete';
  }

  /** The parsed query of the request target; empty without one. */
  get query(): URLSearchParams {
    const { target } = this.exchange.request;
    this.#query ??= new URLSearchParams(target.includes('?') ? target.slice(target.indexOf('?') + 1) : '');
    return this.#query;
  }

  /** Whether the recording has the body of the request; for a form, at least the fields. */
  get holdsRequest(): boolean {
    const { body } = this.exchange.request;
    return body.isKept || body.parts !== null;
  }

  /** Whether the recording has the request body, and the request asks for no unknown mode. */
  get knowsRequest(): boolean {
    const { parts } = this.exchange.request.body;
    return this.holdsRequest && parts?.some(({ body }) => body.isUnknown) !== true && this.mode === null;
  }

  /** The unknown mode that the request asks for, which limits how its response is judged; null without a dialect. */
  get mode(): UnknownMode | null {
    if (this.#aliases === null || !this.holdsRequest) return null;
    if (this.#mode === undefined) this.#mode = this.#aliases.modeOf(this.operation.id, this.sentFields);
    return this.#mode;
  }

  /** The erratum that permits the refusal of this call; null if it was not refused, and without a dialect. */
  get permittedRefusal(): Erratum | null {
    if (this.#refusal === undefined) this.#refusal = this.#aliases?.refusalOf(this) ?? null;
    return this.#refusal;
  }

  /** The fields of the request, with the name of each file in place of its content; an empty object without a body. */
  get sentFields(): Json {
    const { sentJson: sent } = this;
    const files = (formDataParts(this.exchange.request) ?? []).filter(({ filename }) => filename !== null);
    if (files.length === 0 || !isJsonObject(sent)) return sent ?? {};
    return { ...sent, ...Object.fromEntries(files.map(({ name, filename }) => [name ?? '', filename])) };
  }

  /** Like `requestJson`, but never throws: what can be read of the request, even if its meaning is not known. */
  get sentJson(): Json | undefined {
    this.#requestJson ??= { value: readRequestJson(this.exchange) };
    return this.#requestJson.value;
  }

  /** The JSON body or form fields of the request; undefined without any. Throws UnknownRequestError if they are not known. */
  get requestJson(): Json | undefined {
    if (!this.holdsRequest || this.mode !== null)
      throw new UnknownRequestError(`what ${this.exchange.id} asks for is not known`);
    return this.sentJson;
  }

  /** JSON of a complete 2xx response; undefined for streams and other responses. */
  get responseJson(): Json | undefined {
    this.#responseJson ??= { value: readResponseJson(this) };
    return this.#responseJson.value;
  }
}

function readResponseJson({
  exchange: { response },
  responseClass: outcome,
  complete,
}: Call): Json | undefined {
  if (response === null || outcome !== 'accepted' || !complete) return undefined;
  return jsonContent(response);
}

const operationByRequest = new WeakMap<HttpRequest, PathMatch | null>();

/** The operation that a request calls; null if it calls none. */
export function operationOf(request: HttpRequest): PathMatch | null {
  return getOrMake(operationByRequest, request, () =>
    matchOperation(request.method, targetPath(request.target)),
  );
}

/** The target of a request without its query. */
export function targetPath(target: string): string {
  return target.split('?', 1)[0] ?? '';
}

const [LEGACY, BETA] = ['assistants=v1', 'assistants=v2'] as const;

function betasIn(header: string | null): readonly string[] {
  return (header ?? '').split(',').map((value) => value.trim());
}

function variantOf(operation: Operation, header: string | null): Variant | null {
  const { variants } = operation;
  const values = betasIn(header);
  const named = variants.find(({ beta }) => beta !== null && values.includes(beta));
  if (named !== undefined) return named;
  const [only, second] = variants;
  if (only !== undefined && second === undefined && (header === null || only.beta === null)) return only;
  return variants.find(({ beta }) => beta === null) ?? null;
}

function readRequestJson({ request }: Exchange): Json | undefined {
  const json = request.body.size === 0 ? null : decodedContent(request)?.json;
  if (json !== null && json !== undefined) return json.value;
  const parts = formDataParts(request);
  if (parts === null) return undefined;
  const fields: Record<string, Json> = {};
  for (const { name, filename, body } of parts) {
    if (name === null || filename !== null || body.text === null) continue;
    const before = fields[name];
    fields[name] =
      before === undefined ? body.text : [...(Array.isArray(before) ? before : [before]), body.text];
  }
  return fields;
}

/** Why an error does not decide whether a valid request is accepted: a limit, or the model. Null if it decides. */
export function undecidedReason(call: Call): 'capacity' | 'model' | null {
  const { status } = call;
  if (status === 413) return 'capacity';
  if (status === null || status < 400) return null;
  const { code, type, message } = errorOf(call);
  const says = (pattern: RegExp, ...words: readonly unknown[]) =>
    words.some((word) => typeof word === 'string' && pattern.test(word));
  if (status >= 500) return says(INVALID_OUTPUT_ERROR, message) ? 'model' : null;
  if (says(FILTER_ERROR, code, type)) return 'model';
  return exceedsContext(call) ? 'model' : null;
}

/** Whether a long request was refused because it exceeds the context of the model. */
export function exceedsContext(call: Call): boolean {
  const { code, type, message } = errorOf(call);
  const says = [code, type, message].some((word) => typeof word === 'string' && CONTEXT_ERROR.test(word));
  return call.responseClass === 'rejected' && says && mayExceedContext(call);
}

function errorOf({ exchange }: Call): Readonly<Record<string, unknown>> {
  const answer = jsonContent(exchange.response);
  const error = isObject(answer) && isObject(answer['error']) ? answer['error'] : answer;
  return isObject(error) ? error : {};
}

const CONTEXT_ERROR = /exceed_?context|context[_ ](?:length|size|window)/i;

/** Messages of services that parse sampled output, such as llama.cpp: the next output may be valid. */
const INVALID_OUTPUT_ERROR =
  /\boutput (?:that )?does not match\b.*\bformat\b|failed to parse (?:the )?(?:model )?output/i;

/** A request body of this size, in bytes, may exceed the smallest contexts, which have 512 tokens. */
const LONG_BODY = 1000;
/** A requested output of this many tokens may exceed the smallest contexts as well. */
const MANY_TOKENS = 256;

/** Whether the context can be the real reason for a refusal: a short request fits every context. */
function mayExceedContext({ exchange: { request }, requestJson }: Call): boolean {
  if (request.body.size >= LONG_BODY) return true;
  const most = isObject(requestJson) ? [requestJson['max_tokens'], requestJson['max_completion_tokens']] : [];
  return most.some((count) => typeof count === 'number' && count >= MANY_TOKENS);
}

const FILTER_ERROR = /content_?(filter|policy)|responsible_?ai|moderation_blocked/i;

/**
 * The class of a response, on which verdicts depend: the specification leaves exact error codes and bodies open.
 * `accepted`: 2xx. `rejected`: the request is wrong (other 4xx, or a stream that begins with an error). `refused`:
 * 401, 403, 407. `absent`: 404, 405, 501. `capacity`: 402 (the account has spent its budget), 408, 429, 503, or no
 * response in time. `failed`: other 5xx. `unanswered`: inconclusive (reset, abort, 1xx, 3xx).
 */
export type ResponseClass =
  | 'accepted'
  | 'rejected'
  | 'refused'
  | 'absent'
  | 'capacity'
  | 'failed'
  | 'unanswered';

/** Statuses whose class differs from that of other statuses with the same first digit. */
const CLASS_BY_STATUS: Readonly<Record<number, ResponseClass>> = {
  401: 'refused',
  403: 'refused',
  407: 'refused',
  404: 'absent',
  405: 'absent',
  501: 'absent',
  402: 'capacity',
  408: 'capacity',
  429: 'capacity',
  503: 'capacity',
};

/** A 2xx stream counts as rejected if its first event is an error. */
export function responseClassOf({ response, end }: Exchange): ResponseClass {
  if (response === null) return end.how === 'upstream-timeout' ? 'capacity' : 'unanswered';
  const { status } = response;
  const operationByRequest = CLASS_BY_STATUS[status];
  if (operationByRequest !== undefined) return operationByRequest;
  if (status >= 500) return 'failed';
  if (status >= 400) return 'rejected';
  if (status < 200 || status >= 300) return 'unanswered';
  const first = eventsOf(response)?.events[0];
  return first !== undefined && isErrorEvent(first) ? 'rejected' : 'accepted';
}

/** Whether a status means overload; null means a timeout. */
export function isCapacityStatus(status: number | null): boolean {
  return status === null || CLASS_BY_STATUS[status] === 'capacity';
}

/** An event that reports an error; its shape is not specified. */
export function isErrorEvent(event: SseEvent): boolean {
  if (event.event === 'error') return true;
  const data = event.json?.value;
  if (typeof data !== 'object' || data === null || Array.isArray(data) || 'object' in data) return false;
  return 'error' in data && data['error'] !== null;
}

/** Whether the connection was closed before a byte of the response arrived. */
export function isClosed({ response, end }: Exchange): boolean {
  return response === null && end.how === 'upstream-reset';
}

/** Bytes of a body that a service reads before it can refuse a request for its length; the rest may stay unread. */
const READ_BEFORE_REFUSAL = 64 * 1024;

/** Bytes of a body that may wait unread in the buffers of a connection and of proxies, although all of them were sent. */
const MAX_BUFFERED = 64 * 1024 * 1024;

/**
 * Whether a service that refuses a request for its length may close the connection before it has read the body. Its response is
 * then often lost, even if all bytes were sent: they may wait in buffers. `limit`: the stated size in bytes, if any. Once more
 * bytes beyond it were sent than buffers hold, the service kept reading although it could refuse, so it owes a response.
 */
export function mayStayUnread(request: HttpRequest, limit = Number.POSITIVE_INFINITY): boolean {
  const { headers, body } = request;
  const length = firstHeader(headers, 'content-length');
  if (length !== null && body.size - limit > MAX_BUFFERED && !isCutShort(request)) return false;
  return Math.max(Number(length ?? 0), body.size) > READ_BEFORE_REFUSAL;
}

/** Whether the connection was closed while no other exchange ended: the request may be the cause. A refused connection does not count. */
export function isClosedAlone(exchange: Exchange): boolean {
  const { after, ended, end } = exchange;
  return isClosed(exchange) && ended === after + 1 && end.detail?.includes('ECONNREFUSED') !== true;
}
