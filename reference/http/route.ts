import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { operation } from '../../schemas/index.ts';
import type { Service } from '../state/service.ts';
import type { Upload } from './form.ts';
import type { JsonObject } from './json.ts';

/**
 * The route of an operation; method, path, validation and variants come from `openapi.json`. `Body` is the part of the
 * validated body that the handler reads.
 */
export function serves<Body = JsonObject>(operationId: string, handle: Handler<Body>): ServiceRoute {
  const { method, path } = operation(operationId);
  return { operation: operationId, method, path, handle: asHandler(handle) };
}

/** An endpoint outside the specification. Its body is not validated; a body that is not an object becomes {}. */
export function servesCustomary(
  method: ServiceRoute['method'],
  path: string,
  handle: (request: HandlerRequest<JsonObject>) => unknown,
): ServiceRoute {
  return { operation: null, method, path, handle: asHandler(handle) };
}

function asHandler<Body>(handle: Handler<Body>): ServiceRoute['handle'] {
  // as: Body restates the request schema, against which the body has been validated; a customary one is any object
  return (request) => handle(request as HandlerRequest<Body>);
}

/** The version of a request, which the beta header selects (1 Versioning). */
export type Version = 'v1' | 'v2';

/** A request as a handler sees it: validated and coerced, with its uploads received. */
export interface HandlerRequest<Body = JsonObject> {
  /** The service of the organization to which the request's key belongs. */
  readonly service: Service;
  /** Decoded path parameters by name: `file_id`. */
  readonly path: Readonly<Record<string, string>>;
  /** Coerced by their schemas; unknown parameters are kept as they were sent. */
  readonly query: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
  /** The JSON body or the coerced fields of a form; `{}` if an optional body is missing. */
  readonly body: Body;
  /** Files of a form by field name. They are deleted after the call unless the file store takes them. */
  readonly uploads: ReadonlyMap<string, Upload>;
  /** The variant that the beta header selects; `only` for an operation without variants. */
  readonly variant: 'v1' | 'v2' | 'only';
  /** The request before validation and coercion, with its headers. */
  readonly request: ServiceRequest;
}

/** Returns JSON, `JsonResponse`, `EventStreamResponse` or `BinaryResponse`. @throws ApiError for an error response. */
export type Handler<Body> = (request: HandlerRequest<Body>) => unknown;

export interface ServiceRoute {
  /** Id of the operation; null for a customary endpoint. */
  readonly operation: string | null;
  /** `GET` also serves HEAD requests. */
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Template with parameters in braces: `/v1/files/{file_id}`. */
  readonly path: string;
  /** Converts a JSON body from a form that clients commonly send to the specified form, before validation. */
  readonly prepare?: (body: JsonObject) => JsonObject;
  /** Receives the validated request; returns and throws as a `Handler` does. */
  readonly handle: (request: HandlerRequest<never>) => unknown;
}

/** The type of the export `routes` of each `*.routes.ts`. */
export type Routes = (service: Service) => readonly ServiceRoute[];

/** A request as routes and deviations see it, before its validation; a form is still unread. */
export interface ServiceRequest {
  /** In upper case: `POST`. */
  readonly method: string;
  /** Path and query as they were sent. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** Decoded path parameters by name; `{}` until the path is matched. */
  params: Readonly<Record<string, string>>;
  /** Query parameters; a repeated one is a list. A deviation may replace them. */
  query: Readonly<Record<string, unknown>>;
  /** Parsed JSON; undefined until the path is matched, without a body, and for a form. A deviation may replace it. */
  body: unknown;
  /** Null for requests that the service makes to itself. */
  readonly raw: IncomingMessage | null;
}

/** The version of a request: its variant or, for an operation without variants, what the beta header names. */
export function versionOf(request: HandlerRequest<unknown>): Version {
  if (request.variant !== 'only') return request.variant;
  return headerVersion(request.request.headers[request.service.betaHeader]);
}

/** The version that the beta header names; v2 if it names none. */
export function headerVersion(header: string | string[] | undefined): Version {
  return headerValues(header).includes('assistants=v1') ? 'v1' : 'v2';
}

export function headerValues(header: string | string[] | undefined): readonly string[] {
  return [header ?? []].flat().flatMap((value) => value.split(',').map((part) => part.trim()));
}
