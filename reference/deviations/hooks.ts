import type { ApiError } from '../http/api-error.ts';
import type { Json } from '../http/json.ts';
import type { HandlerRequest, ServiceRequest } from '../http/route.ts';
import type { Service } from '../state/service.ts';

/** A fault to inject: one way in which the service breaks the specification. */
export interface Fault {
  /** The name that `serve --fault` takes: `rate-limit`. */
  readonly id: string;
  /** The wrong behaviour, in one line; printed by `serve --fault list`. */
  readonly says: string;
  /** Id of the requirement that it breaks; null if it breaks none, such as rate limiting. */
  readonly requirement: string | null;
  /** Id of a requirement that the fault leaves without evidence. */
  readonly hides?: string;
  /** Public report of a service that behaves like this: `owner/repository#number`. */
  readonly filed?: string;
  /** Ids of the affected operations; `door` affects all requests and ignores them. */
  readonly on: readonly string[];
  /** Set if only one variant of the operations is affected. */
  readonly form?: 'v1' | 'v2';
  /** All hooks but `door` act on the operations in `on`; `form` restricts only `handle`. */
  readonly does: FaultHooks;
}

/** Points at which a fault intercepts a request or its response. */
export interface FaultHooks {
  /** Before authentication; an error is answered at once, null continues. */
  readonly door?: (request: ServiceRequest, service: Service) => ApiError | null;
  /** Replaces the query before validation. */
  readonly query?: (query: RawQuery) => RawQuery;
  /** Replaces the parsed JSON body before validation; the argument is undefined without a body, and for a form. */
  readonly body?: (body: Json) => Json;
  /** Around the handler, after validation. */
  readonly handle?: HandlerOverride;
  /** Replaces an error by a response; null keeps the error. */
  readonly forgive?: (apiError: ApiError, request: ServiceRequest, service: Service) => unknown;
}

type RawQuery = Readonly<Record<string, unknown>>;

/** Answers a request instead of its handler. `proceed` calls the handler, `ask` that of another operation. */
export type HandlerOverride = (
  request: HandlerRequest,
  proceed: (request: HandlerRequest) => Promise<unknown>,
  ask: (operation: string, request: HandlerRequest) => Promise<unknown>,
) => unknown;
