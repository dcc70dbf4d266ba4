import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { operation } from '../../schemas/index.ts';
import type { Service } from '../state/service.ts';
import type { Upload } from './form.ts';
import type { JsonObject } from './json.ts';

/**
 * The route of an operation: method, path, validation and variants come from its row in `openapi.json`.
 * `Body` is what the handler reads of the body that the request schema has accepted.
 */
export function serves<Body = JsonObject>(operationId: string, handle: Handler<Body>): ServiceRoute {
  const { method, path } = operation(operationId);
  return { operation: operationId, method, path, handle: accepting(handle) };
}

/** A customary endpoint that the specification leaves open; its body, if any, is a JSON object that is not validated. */
export function customary(
  method: ServiceRoute['method'],
  path: string,
  handle: (request: HandlerRequest<JsonObject>) => unknown,
): ServiceRoute {
  return { operation: null, method, path, handle: accepting(handle) };
}

/** Gives a handler the type that all routes share. */
function accepting<Body>(handle: Handler<Body>): ServiceRoute['handle'] {
  // as: the server has validated the body against the operation's request schema, which Body restates
  return (request) => handle(request as HandlerRequest<Body>);
}

/** The form that the beta header selects (1 Versioning). */
export type Version = 'v1' | 'v2';

/** A request as a handler sees it: validated, coerced, uploads on disk. */
export interface HandlerRequest<Body = JsonObject> {
  readonly service: Service;
  /** Path parameters, percent-decoded. */
  readonly path: Readonly<Record<string, string>>;
  /** Query parameters, coerced by their schemas; unknown ones are kept as text. */
  readonly query: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
  /** The JSON body, or the fields of a form coerced by the schema; `{}` where an optional body is left out. */
  readonly body: Body;
  /** File parts of a form by field name. They are deleted after the call unless the file store takes them. */
  readonly uploads: ReadonlyMap<string, Upload>;
  /** The variant that the beta header selects: `v1`, `v2`, or `only` for operations without variants. */
  readonly variant: 'v1' | 'v2' | 'only';
  /** The request before validation, for header fields. */
  readonly request: ServiceRequest;
}

/** Returns a bare JSON value, `JsonResponse`, `EventStreamResponse` or `BinaryResponse`. @throws ApiError for an error response. */
export type Handler<Body> = (request: HandlerRequest<Body>) => unknown;

/** A method and path of the service with its handler. */
export interface ServiceRoute {
  /** Operation id, or null for a customary endpoint that the specification leaves open. */
  readonly operation: string | null;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** `/v1/files/{file_id}`. */
  readonly path: string;
  /** Rewrites a customary form of a JSON body into the specified one, before it is validated. */
  readonly prepare?: (body: JsonObject) => JsonObject;
  /** Called with the validated request only. */
  readonly handle: (request: HandlerRequest<never>) => unknown;
}

/** The type of the export `routes` of each file in `families/`. */
export type Routes = (service: Service) => readonly ServiceRoute[];

/** A request as routes and faults see it. Its path is matched and its JSON body is parsed; a form is still unread. */
export interface ServiceRequest {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** Path parameters by name, percent-decoded. */
  params: Readonly<Record<string, string>>;
  /** Query parameters; a repeated one is a list. A fault may replace them. */
  query: Readonly<Record<string, unknown>>;
  /** The parsed JSON body; undefined without a body, and for a form. A fault may replace it. */
  body: unknown;
  /** The connection's message, to read a form from; null for a request that the service makes to itself. */
  readonly raw: IncomingMessage | null;
}

/** The form of the response. Operations without variants read the beta header; without the header it is v2. */
export function versionOf(request: HandlerRequest<unknown>): Version {
  if (request.variant !== 'only') return request.variant;
  const sent = [request.request.headers[request.service.betaHeader] ?? []].flat();
  return sent.some((value) => value.includes('assistants=v1')) ? 'v1' : 'v2';
}
