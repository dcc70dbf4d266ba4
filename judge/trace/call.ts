import type { Exchange, HttpRequest } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { decodedContent, jsonContent } from '../../exchange/http/content.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import { firstHeader } from '../../exchange/http/headers.ts';
import {
  matchAlternativePath,
  matchOperation,
  type Operation,
  type PathMatch,
  type Variant,
} from '../../schemas/index.ts';
import { isJsonObject } from '../../schemas/json.ts';
import { getOrMake } from '../../schemas/maps.ts';
import { type ResponseClass, responseClassOf } from './response-class.ts';

const operationByRequest = new WeakMap<HttpRequest, PathMatch | null>();
const LEGACY = 'assistants=v1';
const BETA = 'assistants=v2';

/** Thrown if a request body was not recorded or asks for an unknown mode: checks that need the body are skipped. */
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
  readonly erratum: Erratum;
  /** `answer`: the response is not judged; `echoes`: values that it repeats from the request are not judged. */
  readonly unknown: 'answer' | 'echoes';
  /** Patterns for required places that such a request may omit. */
  readonly omits: readonly RegExp[];
}

export interface CallDialect {
  /** The operation at a path that only the dialect has; null for other paths. `path` has no query. */
  match(method: string, path: string): PathMatch | null;
  /** The unknown mode that a request asks for; null for any other request. */
  modeOf(operation: string, fields: Json): UnknownMode | null;
  /** The erratum that permits the refusal of this valid request, or null. */
  refusalOf(call: Call): Erratum | null;
}

interface Reading {
  readonly betaHeader: string;
  readonly spelling: 'listed' | 'other';
  readonly dialect: CallDialect | null;
}

/** An exchange, interpreted by the specification: its operation, variant, parsed request and class of response. */
export class Call {
  static #last: Call | null = null;
  /** The exchange that contains the call. */
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
  readonly #dialect: CallDialect | null;
  #mode: UnknownMode | null | undefined;
  #refusal: Erratum | null | undefined;
  #query: URLSearchParams | undefined;
  #requestJson: { readonly value: Json | undefined } | undefined;
  #responseJson: { readonly value: Json | undefined } | undefined;

  private constructor(
    exchange: Exchange,
    { operation, path }: PathMatch,
    { betaHeader, spelling, dialect }: Reading,
  ) {
    this.exchange = exchange;
    this.operation = operation;
    this.variant = variantOf(operation, firstHeader(exchange.request.headers, betaHeader));
    this.path = path;
    this.hasOtherPath = spelling === 'other';
    this.#betaHeader = betaHeader;
    this.#dialect = dialect;
    this.responseClass = responseClassOf(exchange);
  }

  /** Interprets an exchange; null if no operation of the specification or `dialect` has its method and path. */
  static from(exchange: Exchange, betaHeader: string, dialect: CallDialect | null = null): Call | null {
    const last = Call.#last;
    if (last?.exchange === exchange && last.#betaHeader === betaHeader && last.#dialect === dialect)
      return last;
    const { method, target } = exchange.request;
    const path = targetPath(target);
    const match = dialect?.match(method, path) ?? matchOperation(method, path);
    if (match === null) return null;
    const call = new Call(exchange, match, { betaHeader, spelling: 'listed', dialect });
    Call.#last = call;
    return call;
  }

  /** Like `from`, for the alternative spelling of the path. */
  static atOtherPath(exchange: Exchange, betaHeader: string): Call | null {
    const { method, target } = exchange.request;
    const match = matchAlternativePath(method, targetPath(target));
    return match && new Call(exchange, match, { betaHeader, spelling: 'other', dialect: null });
  }

  /** Whether the header names the legacy form of an operation that the specification has only in the beta form. */
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
    this.#query ??= queryOf(this.exchange.request);
    return this.#query;
  }

  /** Whether the recording has the body of the request; for a form, at least its fields. */
  get holdsRequest(): boolean {
    const { body } = this.exchange.request;
    return body.isKept || body.parts !== null;
  }

  /** Whether the recording has the request body, with all parts of a form, and the request asks for no unknown mode. */
  get knowsRequest(): boolean {
    const { parts } = this.exchange.request.body;
    return this.holdsRequest && parts?.some(({ body }) => body.isUnknown) !== true && this.mode === null;
  }

  /** The mode of the dialect that the request asks for, which limits how its response is judged; null for none. */
  get mode(): UnknownMode | null {
    if (this.#dialect === null || !this.holdsRequest) return null;
    if (this.#mode === undefined) this.#mode = this.#dialect.modeOf(this.operation.id, this.sentFields);
    return this.#mode;
  }

  /** The erratum that permits the refusal of this call; null if it was not refused, or if no erratum permits it. */
  get permittedRefusal(): Erratum | null {
    if (this.#refusal === undefined) this.#refusal = this.#dialect?.refusalOf(this) ?? null;
    return this.#refusal;
  }

  /** The request fields, with each file replaced by its name; an empty object without a readable body. */
  get sentFields(): Json {
    const { sentJson: sent } = this;
    const files = (formDataParts(this.exchange.request) ?? []).filter(({ filename }) => filename !== null);
    if (files.length === 0 || !isJsonObject(sent)) return sent ?? {};
    return { ...sent, ...Object.fromEntries(files.map(({ name, filename }) => [name ?? '', filename])) };
  }

  /** Like `requestJson`, but never throws: the readable part of the request, even if its meaning is unknown. */
  get sentJson(): Json | undefined {
    this.#requestJson ??= { value: readRequestJson(this.exchange.request) };
    return this.#requestJson.value;
  }

  /** The JSON body or form fields of the request; undefined if it has neither. Throws UnknownRequestError if unknown. */
  get requestJson(): Json | undefined {
    if (!this.holdsRequest || this.mode !== null)
      throw new UnknownRequestError(
        `the request of ${this.exchange.id} is not recorded or has an unknown mode`,
      );
    return this.sentJson;
  }

  /** JSON of a complete 2xx response; undefined for streams and other responses. */
  get responseJson(): Json | undefined {
    const isWholeSuccess = this.complete && this.responseClass === 'accepted';
    this.#responseJson ??= { value: isWholeSuccess ? jsonContent(this.exchange.response) : undefined };
    return this.#responseJson.value;
  }
}

export function operationOf(request: HttpRequest): PathMatch | null {
  return getOrMake(operationByRequest, request, () =>
    matchOperation(request.method, targetPath(request.target)),
  );
}

export function targetPath(target: string): string {
  return target.split('?', 1)[0] ?? '';
}

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

export function queryOf({ target }: HttpRequest): URLSearchParams {
  return new URLSearchParams(target.includes('?') ? target.slice(target.indexOf('?') + 1) : '');
}

/** The decoded JSON body, or the text fields of a form by name, a list if a name is repeated; undefined for others. */
export function readRequestJson(request: HttpRequest): Json | undefined {
  const json = request.body.size === 0 ? null : decodedContent(request)?.json;
  if (json !== null && json !== undefined) return json.value;
  const parts = formDataParts(request);
  if (parts === null) return undefined;
  const fields = new Map<string, Json>();
  for (const { name, filename, body } of parts) {
    if (name === null || filename !== null || body.text === null) continue;
    const before = fields.get(name);
    fields.set(
      name,
      before === undefined ? body.text : [...(Array.isArray(before) ? before : [before]), body.text],
    );
  }
  return Object.fromEntries(fields);
}
