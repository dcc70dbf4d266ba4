// Interprets an exchange: the operation it calls, the variant, the parsed request and the class of its outcome.
import type { Exchange, HttpRequest } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { decodedContent } from '../../exchange/http/content.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import { firstHeader } from '../../exchange/http/headers.ts';
import {
  matchAlternativePath,
  matchOperation,
  type Operation,
  type PathMatch,
  type Variant,
} from '../../schemas/index.ts';
import { type ResponseClass, responseClassOf } from './response-class.ts';

/** Finds operations under paths that the specification does not have. */
export interface PathMatcher {
  match(method: string, path: string): PathMatch | null;
}

/** How an exchange is read: the header that names the variant, and in which of its spellings the path was found. */
interface Reading {
  readonly betaHeader: string;
  readonly spelling: 'listed' | 'other';
}

/** An exchange, understood: which operation it calls, in which variant, what it asks and what became of it. */
export class Call {
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
  #query: URLSearchParams | undefined;
  #asked: { readonly value: Json | undefined } | undefined;
  #answer: { readonly value: Json | undefined } | undefined;

  private constructor(exchange: Exchange, { operation, path }: PathMatch, { betaHeader, spelling }: Reading) {
    this.exchange = exchange;
    this.operation = operation;
    this.variant = variantOf(operation, firstHeader(exchange.request.headers, betaHeader));
    this.path = path;
    this.hasOtherPath = spelling === 'other';
    this.responseClass = responseClassOf(exchange);
  }

  /**
   * Null if the exchange calls no operation of the specification, and none that `aliases` finds at its path.
   */
  static of(exchange: Exchange, betaHeader: string, aliases: PathMatcher | null = null): Call | null {
    const { method, target } = exchange.request;
    const path = pathOf(target);
    const found = aliases?.match(method, path) ?? matchOperation(method, path);
    return found === null ? null : new Call(exchange, found, { betaHeader, spelling: 'listed' });
  }

  /** As `of`, for the other spelling of the path that the specification mentions. */
  static atOtherPath(exchange: Exchange, betaHeader: string): Call | null {
    const { method, target } = exchange.request;
    const found = matchAlternativePath(method, pathOf(target));
    return found === null ? null : new Call(exchange, found, { betaHeader, spelling: 'other' });
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

  /** The JSON body of the request, or the text parts of its form as an object (repeated names as arrays); undefined for neither. */
  get requestJson(): Json | undefined {
    this.#asked ??= { value: askedOf(this.exchange) };
    return this.#asked.value;
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

/** Matches by request: mutation testing reads the same requests many times. */
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

/** The variant that the beta header names; without one the only variant, or the one that needs no header. */
function variantOf(operation: Operation, header: string | null): Variant | null {
  const { variants } = operation;
  const values = (header ?? '').split(',').map((value) => value.trim());
  const named = variants.find(({ beta }) => beta !== null && values.includes(beta));
  if (named !== undefined) return named;
  const [only, second] = variants;
  if (only !== undefined && second === undefined && (header === null || only.beta === null)) return only;
  return variants.find(({ beta }) => beta === null) ?? null;
}

/** The request body as JSON; form fields as an object, with repeated names as arrays. */
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
