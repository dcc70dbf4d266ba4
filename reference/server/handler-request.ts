import type { ServiceRequest } from '../http/service-request.ts';
import type { Service } from '../state/service.ts';
import type { JsonObject } from './json.ts';
import type { Upload } from './upload.ts';

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
