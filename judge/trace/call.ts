// Interprets an exchange: its operation, its variant, the parsed request and the class of its response.
import type { Exchange, HttpRequest } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { decodedContent } from '../../exchange/http/content.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import { firstHeader, type HeaderPairs } from '../../exchange/http/headers.ts';
import {
  matchAlternativePath,
  matchOperation,
  type Operation,
  type PathMatch,
  type Variant,
} from '../../schemas/index.ts';
import { isJsonObject } from '../../schemas/json.ts';
import { isObject } from './json.ts';
import { type ResponseClass, responseClassOf } from './response-class.ts';

/**
 * The recording lacks the body of the request, or the request asks for an unknown mode: nothing that depends
 * on it is judged.
 */
export class UnknownRequestError extends Error {
  override readonly name = 'UnknownRequestError';
}

/** A known deviation of the services of a dialect, and the reason why it is not reported as a failure. */
export interface Erratum {
  readonly id: string;
  readonly reason: string;
}

/** A request for something that the specification does not know. */
export interface UnknownMode {
  readonly erratum: Erratum;
  /** `answer`: neither the form nor the content of the response is judged; `echoes`: nothing that it repeats of the request is. */
  readonly unknown: 'answer' | 'echoes';
  /** Required places that the request may leave out. */
  readonly omits: readonly RegExp[];
}

/** Finds operations under paths that the specification does not have. */
export interface PathMatcher {
  match(method: string, path: string): PathMatch | null;
  /** The mode that a request asks for and the specification does not know; null for any other request. */
  modeOf(operation: string, fields: Json): UnknownMode | null;
  /** The erratum for which this call may have been refused though its request is valid; null if there is none. */
  refusalOf(call: Call): Erratum | null;
}

interface Reading {
  readonly betaHeader: string;
  readonly spelling: 'listed' | 'other';
  readonly aliases: PathMatcher | null;
}

/** An exchange, interpreted: operation, variant, request and outcome. */
export class Call {
  static #last: Call | null = null;
  readonly exchange: Exchange;
  readonly operation: Operation;
  /** Null if the beta header does not determine the variant, or contradicts it. */
  readonly variant: Variant | null;
  /** Identifiers in the path, decoded. */
  readonly path: Readonly<Record<string, string>>;
  /**
   * True for the other spelling of the path that the specification mentions; only choices judge such a call.
   */
  readonly hasOtherPath: boolean;
  readonly responseClass: ResponseClass;
  readonly #betaHeader: string;
  readonly #aliases: PathMatcher | null;
  #mode: UnknownMode | null | undefined;
  #refusal: Erratum | null | undefined;
  #query: URLSearchParams | undefined;
  #asked: { readonly value: Json | undefined } | undefined;
  #answer: { readonly value: Json | undefined } | undefined;

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

  /**
   * Null if the exchange calls no operation of the specification, and none that `aliases` finds at its path.
   */
  static of(exchange: Exchange, betaHeader: string, aliases: PathMatcher | null = null): Call | null {
    const last = Call.#last;
    if (last?.exchange === exchange && last.#betaHeader === betaHeader && last.#aliases === aliases)
      return last;
    const { method, target } = exchange.request;
    const path = pathOf(target);
    const found = aliases?.match(method, path) ?? matchOperation(method, path);
    if (found === null) return null;
    const call = new Call(exchange, found, { betaHeader, spelling: 'listed', aliases });
    Call.#last = call;
    return call;
  }

  /** As `of`, for the alternative spelling of the path that the specification mentions. */
  static atOtherPath(exchange: Exchange, betaHeader: string): Call | null {
    const { method, target } = exchange.request;
    const found = matchAlternativePath(method, pathOf(target));
    return found === null
      ? null
      : new Call(exchange, found, { betaHeader, spelling: 'other', aliases: null });
  }

  /** HTTP status; null if no response arrived. */
  get status(): number | null {
    return this.exchange.response?.status ?? null;
  }

  /** True if the whole response arrived. */
  get complete(): boolean {
    return this.exchange.end.how === 'complete';
  }

  /** Query parameters, parsed when first needed. */
  get query(): URLSearchParams {
    const { target } = this.exchange.request;
    this.#query ??= new URLSearchParams(target.includes('?') ? target.slice(target.indexOf('?') + 1) : '');
    return this.#query;
  }

  /** False if the recording lacks the body of the request; of a form it has at least the fields. */
  get holdsRequest(): boolean {
    const { body } = this.exchange.request;
    return body.isKept || body.parts !== null;
  }

  /** True if the recording has the whole request, and it asks for nothing beyond the specification. */
  get knowsRequest(): boolean {
    const { parts } = this.exchange.request.body;
    return this.holdsRequest && parts?.some(({ body }) => body.isUnknown) !== true && this.mode === null;
  }

  /**
   * What the request asks for beyond the specification, so that its response cannot be judged as usual; null
   * without a dialect.
   */
  get mode(): UnknownMode | null {
    if (this.#aliases === null || !this.holdsRequest) return null;
    if (this.#mode === undefined) this.#mode = this.#aliases.modeOf(this.operation.id, this.sentFields);
    return this.#mode;
  }

  /** The erratum for which the request was refused though it is valid; null if it was not, and without a dialect. */
  get permittedRefusal(): Erratum | null {
    if (this.#refusal === undefined) this.#refusal = this.#aliases?.refusalOf(this) ?? null;
    return this.#refusal;
  }

  /** The fields of the request, with files as their names. An empty object for a request without a body. */
  get sentFields(): Json {
    const { sentJson: sent } = this;
    const files = (formDataParts(this.exchange.request) ?? []).filter(({ filename }) => filename !== null);
    if (files.length === 0 || !isJsonObject(sent)) return sent ?? {};
    return { ...sent, ...Object.fromEntries(files.map(({ name, filename }) => [name ?? '', filename])) };
  }

  /** As `requestJson`, but undefined if the recording lacks the body. */
  get sentJson(): Json | undefined {
    this.#asked ??= { value: askedOf(this.exchange) };
    return this.#asked.value;
  }

  /**
   * The JSON body of the request, or the text parts of its form as an object (repeated names as arrays);
   * otherwise undefined. Throws UnknownRequestError if the recording lacks the body, or the request asks for
   * an unknown mode.
   */
  get requestJson(): Json | undefined {
    if (!this.holdsRequest || this.mode !== null)
      throw new UnknownRequestError(`what ${this.exchange.id} asks for is not known`);
    return this.sentJson;
  }

  /** JSON of a whole 2xx response; undefined for streams and all others. Parsed when first needed. */
  get responseJson(): Json | undefined {
    this.#answer ??= { value: answerOf(this) };
    return this.#answer.value;
  }
}

function answerOf({ exchange: { response }, responseClass: outcome, complete }: Call): Json | undefined {
  if (response === null || outcome !== 'accepted' || !complete) return undefined;
  return decodedContent(response)?.json?.value;
}

const known = new WeakMap<HttpRequest, PathMatch | null>();

/** The operation that a request calls, with the ids in its path; null if it calls none of the specification. */
export function operationOf(request: HttpRequest): PathMatch | null {
  let match = known.get(request);
  if (match === undefined) {
    match = matchOperation(request.method, pathOf(request.target));
    known.set(request, match);
  }
  return match;
}

function pathOf(target: string): string {
  return target.split('?', 1)[0] ?? '';
}

function variantOf(operation: Operation, header: string | null): Variant | null {
  const { variants } = operation;
  const values = (header ?? '').split(',').map((value) => value.trim());
  const named = variants.find(({ beta }) => beta !== null && values.includes(beta));
  if (named !== undefined) return named;
  const [only, second] = variants;
  if (only !== undefined && second === undefined && (header === null || only.beta === null)) return only;
  return variants.find(({ beta }) => beta === null) ?? null;
}

function askedOf({ request }: Exchange): Json | undefined {
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

/** Who sent a request: its key, organization and project. */
export function callerOf({ headers }: Pick<HttpRequest, 'headers'>): string {
  let caller = callers.get(headers);
  if (caller === undefined) {
    caller = readCaller(headers);
    callers.set(headers, caller);
  }
  return caller;
}

const callers = new WeakMap<HeaderPairs, string>();

/** Fields that name the organization or the project of a key: `OpenAI-Project`. */
const ACCOUNT = /-(organization|project)$/i;
const SHORTEST = '-project'.length;

function readCaller(headers: HeaderPairs): string {
  const key = firstHeader(headers, 'authorization') ?? 'none';
  const account = headers.filter(([name]) => name.length >= SHORTEST && ACCOUNT.test(name));
  if (account.length === 0) return key;
  return [key, ...account.map(([name, value]) => `${name.toLowerCase()} ${value}`).toSorted()].join(' ');
}

/** Distinguishes callers: objects of one caller need not exist for another (1 Authentication). */
export class Callers {
  readonly #of = new WeakMap<Exchange, string>();
  #first: string | null = null;
  #areSeveral = false;

  note({ exchange, responseClass }: Call): void {
    const caller = callerOf(exchange.request);
    this.#of.set(exchange, caller);
    if (responseClass === 'refused') return;
    this.#first ??= caller;
    this.#areSeveral ||= caller !== this.#first;
  }

  /**
   * Whether these exchanges are calls of more than one caller. Callers that were always refused do not count.
   */
  differIn(exchanges: readonly Exchange[]): boolean {
    if (!this.#areSeveral || exchanges.length < 2) return false;
    let known: string | null = null;
    for (const exchange of exchanges) {
      const caller = this.#of.get(exchange);
      if (caller === undefined) continue;
      if (known !== null && caller !== known) return true;
      known = caller;
    }
    return false;
  }
}

// Refusals that do not speak of the request: of a body that is larger than what the account or the service can take now, of a
// text that a filter takes for harmful or that exceeds the context of the model, and of what the model wrote.

/** Why an error does not decide whether a valid request is accepted; null if it does. */
export function undecidedReason(call: Call): 'capacity' | 'model' | null {
  const { status, exchange } = call;
  if (status === 413) return 'capacity';
  if (status === null || status < 400) return null;
  const answer = exchange.response?.body.json?.value;
  const error = isObject(answer) && isObject(answer['error']) ? answer['error'] : answer;
  if (!isObject(error)) return null;
  const { code, type, message } = error;
  const says = (pattern: RegExp, ...words: readonly unknown[]) =>
    words.some((word) => typeof word === 'string' && pattern.test(word));
  if (status >= 500) return says(MISWRITTEN, message) ? 'model' : null;
  if (says(FILTERED, code, type)) return 'model';
  return says(CONTEXT, code, type, message) && mayExceedContext(call) ? 'model' : null;
}

/** Codes and messages of a request that is longer than the context of the model. */
const CONTEXT = /exceed_?context|context[_ ](?:length|size|window)/i;

/** Messages of services that parse what a sampling model wrote, such as llama.cpp: the next answer may have the form. */
const MISWRITTEN =
  /\boutput (?:that )?does not match\b.*\bformat\b|failed to parse (?:the )?(?:model )?output/i;

/** Bytes of text that the smallest contexts, of 512 tokens, may not take, and tokens to write that leave no room in them. */
const [LONG_BODY, MANY_TOKENS] = [1000, 256];

/** Whether a request is long enough for its length to be a reason; a short one that is refused for it is refused all the same. */
function mayExceedContext({ exchange: { request }, requestJson }: Call): boolean {
  if (request.body.size >= LONG_BODY) return true;
  const most = isObject(requestJson) ? [requestJson['max_tokens'], requestJson['max_completion_tokens']] : [];
  return most.some((count) => typeof count === 'number' && count >= MANY_TOKENS);
}

/** Codes by which services say that a filter refused a text. */
const FILTERED = /content_?(filter|policy)|responsible_?ai|moderation_blocked/i;
