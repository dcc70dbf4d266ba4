import { groupBy, withoutUndefined } from '../../schemas/maps.ts';
import { ApiError } from '../http/api-error.ts';
import { isJsonObject, type Json, type JsonObject } from '../http/json.ts';
import type { EventStreamResponse, ServerEvent } from '../http/response.ts';
import type { HandlerRequest, ServiceRequest, ServiceRoute } from '../http/route.ts';
import type { Service } from '../state/service.ts';
import { changeOutcome, dataOfEvent } from './changes.ts';
import type { Alternative, Fault, Interception, ObjectChange } from './deviation.ts';

/**
 * Wraps the handlers from the inside out: in the interceptions of the alternatives in order, then in their changes of
 * shown objects, then in the faults in order.
 */
export function wrapRoutes(
  routes: readonly ServiceRoute[],
  alternatives: readonly Alternative[],
  faults: readonly Fault[],
): readonly ServiceRoute[] {
  let wrapped = routes;
  for (const interception of interceptions(alternatives)) wrapped = intercept(wrapped, interception);
  wrapped = changeObjects(wrapped, alternatives);
  for (const fault of faults) wrapped = intercept(wrapped, fault);
  return wrapped;
}

export function interceptions(alternatives: readonly Alternative[]): readonly Interception[] {
  return alternatives.flatMap(({ intercepts = [] }) => intercepts);
}

function intercept(routes: readonly ServiceRoute[], { on, does }: Interception): readonly ServiceRoute[] {
  const { handle } = does;
  if (handle === undefined) return routes;
  const callOperation = async (operation: string, request: HandlerRequest): Promise<unknown> => {
    const route = routes.find((candidate) => candidate.operation === operation);
    if (route === undefined) throw new Error(`a deviation calls ${operation}, which has no route`);
    return callRoute(route, request);
  };
  return routes.map((route) =>
    route.operation === null || !on.includes(route.operation)
      ? route
      : {
          ...route,
          handle: async (request: HandlerRequest) =>
            handle(request, (changed) => callRoute(route, changed), callOperation),
        },
  );
}

async function callRoute(route: ServiceRoute, request: HandlerRequest): Promise<unknown> {
  return route.handle(request as HandlerRequest<never>); // as: deviations pass only bodies that the handler can read
}

type ChangesByKind = ReadonlyMap<string, readonly (readonly [kind: string, change: ObjectChange])[]>;

function changeObjects(
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
        json: (answer) => changeShown(answer, request, changes),
        events: (events) => changeShownInEvents(events, request, changes),
      }),
  }));
}

/** Events are changed one at a time, so that a stream keeps its pace. */
async function* changeShownInEvents(
  events: EventStreamResponse['events'],
  request: HandlerRequest,
  changes: ChangesByKind,
): AsyncGenerator<ServerEvent> {
  for await (const { data, ...event } of events)
    yield { ...event, data: changeShown(dataOfEvent(data), request, changes) };
}

function changeShown(value: Json, request: HandlerRequest, changes: ChangesByKind): Json {
  if (!isJsonObject(value)) return value;
  const { data, object: kind } = value;
  let shown: JsonObject =
    kind === 'list' && Array.isArray(data)
      ? { ...value, data: data.map((item) => changeShown(item, request, changes)) }
      : value;
  const changesOfKind = typeof kind === 'string' ? (changes.get(kind) ?? []) : [];
  for (const [, change] of changesOfKind) shown = withoutUndefined(change(shown, request));
  return shown;
}

type Answer = (request: ServiceRequest) => Promise<unknown>;

/** Applies deviations to the query and body before validation, in reverse order, and to errors, in the given order. */
export function wrapAnswer(
  answer: Answer,
  { operation }: ServiceRoute,
  service: Service,
  deviations: readonly Interception[],
): Answer {
  let wrapped = answer;
  for (const { on, does } of deviations) {
    if (operation === null || !on.includes(operation)) continue;
    const { query, body, replaceError } = does;
    const inner = wrapped;
    wrapped = async (request) => {
      if (query !== undefined) request.query = query(request.query);
      // as: the parser returns JSON
      if (body !== undefined && request.body !== undefined) request.body = body(request.body as Json);
      try {
        return await inner(request);
      } catch (error) {
        const replacement =
          error instanceof ApiError ? (replaceError?.(error, request, service) ?? null) : null;
        if (replacement === null) throw error;
        return replacement;
      }
    };
  }
  return wrapped;
}
