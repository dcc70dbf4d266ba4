// Behaviour other than the usual one: faults, which break the specification, and alternatives of choices, which it permits.
// Handlers do not know of either.
import { groupBy } from '../../schemas/grouping.ts';
import { ApiError } from '../http/api-error.ts';
import { isJsonObject, type Json, type JsonObject } from '../http/json.ts';
import type { EventStreamResponse, ServerEvent } from '../http/response.ts';
import type { HandlerRequest, ServiceRequest, ServiceRoute } from '../http/route.ts';
import type { Service } from '../state/service.ts';
import { changeOutcome, type DeviationHooks, dataOfEvent } from './changes.ts';

/** Hooks for the requests to some operations. */
export interface Interception {
  /** Ids of the affected operations: `createChatCompletion`. `door` affects all requests and ignores them. */
  readonly on: readonly string[];
  readonly does: DeviationHooks;
}

/** A fault to inject: one way in which the service breaks the specification. */
export interface Fault extends Interception {
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
}

/**
 * A behaviour that conforms as well as the usual one. Without `shows` and `intercepts`, it is implemented in the
 * handler, which calls `service.takes`.
 */
export interface Alternative {
  /** How objects are shown instead, by their `object`, in responses, lists and events. */
  readonly shows?: Readonly<Record<string, ObjectChange>>;
  /** Applied in this order; the first is closest to the handler. */
  readonly intercepts?: readonly Interception[];
  /** Its name in reports if the ledger's word covers many: `also content_filter` for `others too`. */
  readonly reported?: string;
  /** Choices that cannot be seen if this alternative is taken. */
  readonly hides?: readonly string[];
  /** Why a run with default options may have no evidence of it. */
  readonly unseen?: string;
}

/** Computes the object to show in place of one that the service would show; undefined properties are left out. */
export type ObjectChange = (
  shown: JsonObject,
  request: HandlerRequest,
) => Readonly<Record<string, Json | undefined>>;

/**
 * The routes with the handlers of the affected operations wrapped. The first deviation is closest to them, and objects are
 * shown otherwise after all deviations of the alternatives.
 */
export function deviating(
  routes: readonly ServiceRoute[],
  alternatives: readonly Alternative[],
  faults: readonly Fault[],
): readonly ServiceRoute[] {
  return faults.reduce(
    intercepted,
    reshaping(interceptions(alternatives).reduce(intercepted, routes), alternatives),
  );
}

export function interceptions(alternatives: readonly Alternative[]): readonly Interception[] {
  return alternatives.flatMap(({ intercepts = [] }) => intercepts);
}

function intercepted(routes: readonly ServiceRoute[], { on, does }: Interception): readonly ServiceRoute[] {
  const { handle } = does;
  if (handle === undefined) return routes;
  const ask = async (operation: string, request: HandlerRequest): Promise<unknown> => {
    const route = routes.find((one) => one.operation === operation);
    if (route === undefined) throw new Error(`a deviation asks ${operation}, which has no route`);
    return handled(route, request);
  };
  return routes.map((route) =>
    route.operation === null || !on.includes(route.operation)
      ? route
      : {
          ...route,
          handle: async (request: HandlerRequest) => handle(request, (own) => handled(route, own), ask),
        },
  );
}

/** Calls a handler, which may throw synchronously or reject. */
async function handled(route: ServiceRoute, request: HandlerRequest): Promise<unknown> {
  return route.handle(request as HandlerRequest<never>); // as: the body has been validated for this route
}

type ChangesByKind = ReadonlyMap<string, readonly (readonly [kind: string, change: ObjectChange])[]>;

function reshaping(
  routes: readonly ServiceRoute[],
  alternatives: readonly Alternative[],
): readonly ServiceRoute[] {
  const changes: ChangesByKind = groupBy(
    alternatives.flatMap(({ shows = {} }) => Object.entries(shows)),
    ([kind]) => kind,
  );
  if (changes.size === 0) return routes;
  return routes.map((route) => ({
    ...route,
    handle: async (request: HandlerRequest<never>) =>
      changeOutcome(await route.handle(request), {
        json: (answer) => reshaped(answer, request, changes),
        events: (events) => reshapedEvents(events, request, changes),
      }),
  }));
}

/** Events are changed one at a time, so that a stream keeps its pace. */
async function* reshapedEvents(
  events: EventStreamResponse['events'],
  request: HandlerRequest,
  changes: ChangesByKind,
): AsyncGenerator<ServerEvent> {
  for await (const { data, ...event } of events)
    yield { ...event, data: reshaped(dataOfEvent(data), request, changes) };
}

function reshaped(value: Json, request: HandlerRequest, changes: ChangesByKind): Json {
  if (!isJsonObject(value)) return value;
  const { data, object: kind } = value;
  const whole: JsonObject =
    kind === 'list' && Array.isArray(data)
      ? { ...value, data: data.map((item) => reshaped(item, request, changes)) }
      : value;
  const due = typeof kind === 'string' ? (changes.get(kind) ?? []) : [];
  return due.reduce<JsonObject>((shown, [, change]) => present(change(shown, request)), whole);
}

function present(object: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(object).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

type Answerer = (request: ServiceRequest) => Promise<unknown>;

/** Applies deviations before validation (query, body) and to refusals; the first is applied last. */
export function deviatingAnswer(
  answer: Answerer,
  { operation }: ServiceRoute,
  service: Service,
  deviations: readonly Interception[],
): Answerer {
  const own = deviations.filter(({ on }) => operation !== null && on.includes(operation));
  return own.reduce<Answerer>(
    (inner, { does: { query, body, forgive } }) =>
      async (request) => {
        if (query !== undefined) request.query = query(request.query);
        if (body !== undefined) request.body = body(request.body as Json); // as: the parser gives JSON
        try {
          return await inner(request);
        } catch (error) {
          const given = error instanceof ApiError ? (forgive?.(error, request, service) ?? null) : null;
          if (given === null) throw error;
          return given;
        }
      },
    answer,
  );
}
