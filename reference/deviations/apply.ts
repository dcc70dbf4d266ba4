import { ApiError } from '../http/api-error.ts';
import { isJsonObject, type Json, type JsonObject } from '../http/json.ts';
import { BinaryResponse, EventStreamResponse, JsonResponse, type ServerEvent } from '../http/response.ts';
import type { HandlerRequest, ServiceRequest, ServiceRoute } from '../http/route.ts';
import type { Service } from '../state/service.ts';
import type { Alternative, Interception, ObjectChange } from './alternatives.ts';
import { cloneJson } from './changes.ts';
import type { Fault } from './hooks.ts';

/** The routes with the alternatives applied; the first is closest to the handlers. */
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

/** Applies the alternatives that act before validation and on refusals. */
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

function reshaped(outcome: unknown, request: HandlerRequest, changes: Changes): unknown {
  if (outcome instanceof BinaryResponse) return outcome;
  if (outcome instanceof EventStreamResponse)
    return new EventStreamResponse(reshapedEvents(outcome.events, request, changes));
  if (outcome instanceof JsonResponse)
    return new JsonResponse(reshapedValue(cloneJson(outcome.value), request, changes), outcome.headers);
  return reshapedValue(cloneJson(outcome), request, changes);
}

/** Events are changed one at a time, so that a stream keeps its pace. */
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

function present(object: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(object).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

type Answerer = (request: ServiceRequest) => Promise<unknown>;

/** The routes with the handlers of the affected operations wrapped. Handlers do not know of faults. */
export function withFault(routes: readonly ServiceRoute[], fault: Fault): readonly ServiceRoute[] {
  const ask = async (operation: string, request: HandlerRequest): Promise<unknown> => {
    const route = routes.find((one) => one.operation === operation);
    if (route === undefined) throw new Error(`fault ${fault.id} asks ${operation}, which has no route`);
    return handled(route, request);
  };
  return routes.map((route) => {
    const { handle } = fault.does;
    if (handle === undefined || route.operation === null || !fault.on.includes(route.operation)) return route;
    const proceed = (request: HandlerRequest): Promise<unknown> => handled(route, request);
    const faulty = async (request: HandlerRequest): Promise<unknown> =>
      fault.form === undefined || request.variant === fault.form
        ? handle(request, proceed, ask)
        : proceed(request);
    return { ...route, handle: faulty };
  });
}

interface Injection {
  readonly route: ServiceRoute;
  readonly service: Service;
  readonly fault: Fault;
}

/** Applies a fault before validation (query, body) and to refusals. */
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

/** Calls a handler, which may throw synchronously or reject. */
async function handled(route: ServiceRoute, request: HandlerRequest): Promise<unknown> {
  return route.handle(request as HandlerRequest<never>); // as: the body has been validated for this route
}
