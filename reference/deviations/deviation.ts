import type { ApiError } from '../http/api-error.ts';
import type { Json, JsonObject } from '../http/json.ts';
import type { HandlerRequest, ServiceRequest } from '../http/route.ts';
import type { Service } from '../state/service.ts';

export interface Interception {
  /** Ids of the affected operations: `createChatCompletion`. `beforeAuthentication` affects all requests. */
  readonly on: readonly string[];
  readonly does: DeviationHooks;
}

export interface Fault extends Interception {
  /** The name that `serve --fault` takes: `rate-limit`. */
  readonly id: string;
  /** The wrong behaviour, in one line; printed by `serve --fault list`. */
  readonly says: string;
  /** Id of a requirement that the fault breaks; null if none is known, as for `rate-limit`. */
  readonly requirement: string | null;
  /** Id of a requirement that the fault leaves without evidence. */
  readonly hides?: string;
  /** Public report of a service that behaves like this: `owner/repository#number`. */
  readonly filed?: string;
}

/** An alternative of a choice. Without `shows` and `intercepts`, code that calls `service.takes` implements it. */
export interface Alternative {
  /** How objects are shown instead, keyed by their `object`, in responses, lists and events. */
  readonly shows?: Readonly<Record<string, ObjectChange>>;
  /** Interceptions in the order in which they are applied; the first is closest to the handler. */
  readonly intercepts?: readonly Interception[];
  /** Name in reports, if the listed alternative covers several: `also content_filter` for `others too`. */
  readonly reported?: string;
  /** Choices that cannot be seen if this alternative is taken. */
  readonly hides?: readonly string[];
  /** Why a run with default options may find no evidence of this alternative. */
  readonly unseen?: string;
}

/** Computes the object to show in place of one that the service would show; undefined properties are left out. */
export type ObjectChange = (
  shown: JsonObject,
  request: HandlerRequest,
) => Readonly<Record<string, Json | undefined>>;

export interface DeviationHooks {
  /** Called before authentication: a returned error is sent at once, null continues. */
  readonly beforeAuthentication?: (request: ServiceRequest, service: Service) => ApiError | null;
  /** Replaces the query before validation. */
  readonly query?: (query: RawQuery) => RawQuery;
  /** Replaces the parsed JSON body before validation; not called without a body, or for a form. */
  readonly body?: (body: Json) => Json;
  /** Runs after validation, in place of the handler. */
  readonly handle?: HandlerOverride;
  /** Replaces an error with a response; null keeps the error. */
  readonly replaceError?: (apiError: ApiError, request: ServiceRequest, service: Service) => unknown;
}

export type HandlerDeviation = Required<Pick<DeviationHooks, 'handle'>>;

type RawQuery = Readonly<Record<string, unknown>>;

/** Answers a request instead of its handler. `proceed` calls the handler, `callOperation` that of another operation. */
export type HandlerOverride = (
  request: HandlerRequest,
  proceed: (request: HandlerRequest) => Promise<unknown>,
  callOperation: (operation: string, request: HandlerRequest) => Promise<unknown>,
) => unknown;
