import type { ServiceRequest } from '../http/service-request.ts';
import type { ApiError } from '../server/api-error.ts';
import type { HandlerRequest } from '../server/handler-request.ts';
import type { Json } from '../server/json.ts';
import type { Service } from '../state/service.ts';

/** One way in which the service misbehaves on purpose. */
export interface Fault {
  /** What is given to `--fault`. */
  readonly id: string;
  /** What it does wrong, in one line. */
  readonly says: string;
  /** The requirement that it breaks; null where it is hard to bear, but breaks none. */
  readonly requirement: string | null;
  /** Ids of the operations it befalls; all of them where it befalls the door. */
  readonly on: readonly string[];
  /** Set where it befalls one form of them only. */
  readonly form?: 'v1' | 'v2';
  readonly does: FaultHooks;
}

/** A fault and the family that its file is named after. */
export interface KnownFault extends Fault {
  readonly family: string;
}

/** Where a fault takes hold. The service itself knows nothing of it. */
export interface FaultHooks {
  /** At the door, before the key is looked at; a refusal is answered at once. */
  readonly door?: (request: ServiceRequest, service: Service) => ApiError | null;
  /** Before what is asked is validated: the query, or a JSON body, as another one. */
  readonly query?: (query: RawQuery) => RawQuery;
  readonly body?: (body: Json) => Json;
  /** Around the handler. */
  readonly handle?: HandlerOverride;
  /** What is answered in place of a refusal; null lets it stand. */
  readonly forgive?: (apiError: ApiError, request: ServiceRequest, service: Service) => unknown;
}

export type RawQuery = Readonly<Record<string, unknown>>;

/** Answers a call in another way than its handler, which `proceed` asks; `ask` asks that of another operation. */
export type HandlerOverride = (
  request: HandlerRequest,
  proceed: (request: HandlerRequest) => Promise<unknown>,
  ask: (operation: string, request: HandlerRequest) => Promise<unknown>,
) => unknown;
