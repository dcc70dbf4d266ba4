import { ApiError } from '../http/api-error.ts';
import { isJsonObject, type Json, type JsonObject } from '../http/json.ts';
import { BinaryResponse, EventStreamResponse, JsonResponse, type ServerEvent } from '../http/response.ts';
import type { HandlerRequest, ServiceRequest, ServiceRoute } from '../http/route.ts';
import type { Service } from '../state/service.ts';
import type { Alternative, Interception, ObjectChange } from './alternatives.ts';
import { cloneJson } from './changes.ts';
import type { Fault } from './hooks.ts';

/** The routes of a service that takes the alternatives, the first of them closest to the handlers. */
export function withAlternatives(
  routes: readonly ServiceRoute[],
  alternatives: readonly Alternative[],
): readonly ServiceRoute[] {
  if (alternatives.length === 0) return routes;
  const intercepted = interceptions(alternatives).reduce(withFault, routes);
  const changes = changesByKind(alternatives);
  if (changes.size === 0) return intercepted;
  return intercepted.map((route) => ({
    ...route,
    handle: async (request: HandlerRequest<never>) => reshaped(await route.handle(request), request, changes),
  }));
}

/** Answers a route with what the alternatives do before validation and to refusals. */
export function withAlternativeAnswers(
  answer: (request: ServiceRequest) => Promise<unknown>,
  about: { readonly route: ServiceRoute; readonly service: Service },
  alternatives: readonly Alternative[],
): (request: ServiceRequest) => Promise<unknown> {
  return interceptions(alternatives).reduce(
    (inner, fault) => withFaultyResponse(inner, { ...about, fault }),
    answer,
  );
}

/** The interceptions of all alternatives, in the form of faults, which break nothing. */
function interceptions(alternatives: readonly Alternative[]): readonly Fault[] {
  return alternatives
    .flatMap(({ intercepts = [] }) => intercepts)
    .map(({ on, does }: Interception) => ({ id: 'alternative', says: '', requirement: null, on, does }));
}

type Changes = ReadonlyMap<string, readonly ObjectChange[]>;

function changesByKind(alternatives: readonly Alternative[]): Changes {
  const found = new Map<string, ObjectChange[]>();
  for (const { shows = {} } of alternatives) {
    for (const [kind, change] of Object.entries(shows)) found.set(kind, [...(found.get(kind) ?? []), change]);
  }
  return found;
}

/** The outcome of a handler with its objects shown in another way; bytes stay as they are. */
function reshaped(outcome: unknown, request: HandlerRequest, changes: Changes): unknown {
  if (outcome instanceof BinaryResponse) return outcome;
  if (outcome instanceof EventStreamResponse)
    return new EventStreamResponse(reshapedEvents(outcome.events, request, changes));
  if (outcome instanceof JsonResponse)
    return new JsonResponse(reshapedValue(cloneJson(outcome.value), request, changes), outcome.headers);
  return reshapedValue(cloneJson(outcome), request, changes);
}

/** Each event is changed as it is asked for, so that a stream keeps its pace. */
async function* reshapedEvents(
  events: EventStreamResponse['events'],
  request: HandlerRequest,
  changes: Changes,
): AsyncGenerator<ServerEvent> {
  for await (const { data, ...event } of events) {
    const isText = typeof data === 'string' && !data.startsWith('{');
    const value = typeof data === 'string' && !isText ? JSON.parse(data) : data;
    yield { ...event, data: isText ? data : reshapedValue(cloneJson(value), request, changes) };
  }
}

/** An object, or a list with its elements, after all changes of its kind. */
function reshapedValue(value: Json, request: HandlerRequest, changes: Changes): Json {
  if (!isJsonObject(value)) return value;
  const { data } = value;
  const whole: JsonObject =
    value['object'] === 'list' && Array.isArray(data)
      ? { ...value, data: data.map((item) => reshapedValue(item, request, changes)) }
      : value;
  const kind = whole['object'];
  const due = typeof kind === 'string' ? (changes.get(kind) ?? []) : [];
  return due.reduce<JsonObject>((shown, change) => present(change(shown, request)), whole);
}

/** The object without its undefined properties. */
function present(object: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(object).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** Answers a request that has been routed. */
type Answerer = (request: ServiceRequest) => Promise<unknown>;

/** The routes of a service, with the handlers of the fault's operations replaced. */
export function withFault(routes: readonly ServiceRoute[], fault: Fault): readonly ServiceRoute[] {
  const ask = async (operation: string, request: HandlerRequest): Promise<unknown> => {
    const route = routes.find((one) => one.operation === operation);
    if (route === undefined) throw new Error(`fault ${fault.id} asks ${operation}, which has no route`);
    return handled(route, request);
  };
  return routes.map((route) => {
    const { handle } = fault.does;
    if (handle === undefined || route.operation === null || !fault.on.includes(route.operation)) return route;
    // Handlers stay unchanged: a fault wraps them, so that the service without a fault is the same code.
    const proceed = (request: HandlerRequest): Promise<unknown> => handled(route, request);
    const faulty = async (request: HandlerRequest): Promise<unknown> =>
      fault.form === undefined || request.variant === fault.form
        ? handle(request, proceed, ask)
        : proceed(request);
    return { ...route, handle: faulty };
  });
}

/** A route that is served, by which service, and the fault to inject. */
interface Injection {
  readonly route: ServiceRoute;
  readonly service: Service;
  readonly fault: Fault;
}

/** Answers a route, with the fault applied before validation (query, body) and to refusals. */
export function withFaultyResponse(answer: Answerer, { route, service, fault }: Injection): Answerer {
  const { operation } = route;
  if (operation === null || !fault.on.includes(operation)) return answer;
  const { query, body, forgive } = fault.does;
  return async (request) => {
    if (query !== undefined) request.query = query(request.query);
    if (body !== undefined) request.body = body(request.body as Json); // as: the parser gives JSON
    try {
      return await answer(request);
    } catch (error) {
      const given = error instanceof ApiError ? (forgive?.(error, request, service) ?? null) : null;
      if (given === null) throw error;
      return given;
    }
  };
}

/** Calls a handler, which may throw at once or reject later, as a promise. */
async function handled(route: ServiceRoute, request: HandlerRequest): Promise<unknown> {
  return route.handle(request as HandlerRequest<never>); // as: the body has been validated for this route
}
