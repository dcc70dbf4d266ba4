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

/** Knows operations under other paths than those of the specification. */
export interface PathMatcher {
  match(method: string, path: string): PathMatch | null;
}

/** An exchange, understood: which operation it calls, in which variant, what it asks and what became of it. */
export class Call {
  readonly exchange: Exchange;
  readonly operation: Operation;
  /** Null where the beta header leaves open, or contradicts, which variant it is. */
  readonly variant: Variant | null;
  /** Identifiers in the path, decoded. */
  readonly path: Readonly<Record<string, string>>;
  /** True where the path is spelled in the other way: only choices look at such a call. */
  readonly hasOtherPath: boolean;
  readonly responseClass: ResponseClass;
  #query: URLSearchParams | undefined;
  #asked: { readonly value: Json | undefined } | undefined;
  #answer: { readonly value: Json | undefined } | undefined;

  private constructor(
    exchange: Exchange,
    operation: Operation,
    variant: Variant | null,
    path: Readonly<Record<string, string>>,
    isElsewhere: boolean,
  ) {
    this.exchange = exchange;
    this.operation = operation;
    this.variant = variant;
    this.path = path;
    this.hasOtherPath = isElsewhere;
    this.responseClass = responseClassOf(exchange);
  }

  /** Null when the exchange calls no operation of the specification, nor one that `aliases` has under its path. */
  static of(exchange: Exchange, betaHeader: string, aliases: PathMatcher | null = null): Call | null {
    const { method, target } = exchange.request;
    const path = pathOf(target);
    const found = aliases?.match(method, path) ?? matchOperation(method, path);
    return found === null ? null : Call.#made(exchange, found, betaHeader, false);
  }

  /** As `of`, for a path in the other spelling that the specification knows. */
  static atOtherPath(exchange: Exchange, betaHeader: string): Call | null {
    const { method, target } = exchange.request;
    const found = matchAlternativePath(method, pathOf(target));
    return found === null ? null : Call.#made(exchange, found, betaHeader, true);
  }

  static #made(exchange: Exchange, found: PathMatch, betaHeader: string, isElsewhere: boolean): Call {
    const variant = variantOf(found.operation, firstHeader(exchange.request.headers, betaHeader));
    return new Call(exchange, found.operation, variant, found.path, isElsewhere);
  }

  get status(): number | null {
    return this.exchange.response?.status ?? null;
  }

  /** True when the whole answer arrived. */
  get complete(): boolean {
    return this.exchange.end.how === 'complete';
  }

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

  /** The JSON of a whole 2xx answer that is no stream; undefined for any other. */
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

/** The operation that a request calls, and the ids in its path; null where it is none of the specification. */
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
