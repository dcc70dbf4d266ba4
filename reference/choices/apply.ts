import type { Fault } from '../faults/fault.ts';
import { withFault, withFaultyResponse } from '../faults/inject.ts';
import { cloneJson } from '../faults/responses.ts';
import type { ServiceRequest } from '../http/service-request.ts';
import type { HandlerRequest, ServiceRoute } from '../server/handler-request.ts';
import { isJsonObject, type Json, type JsonObject } from '../server/json.ts';
import { BinaryResponse, EventStreamResponse, JsonResponse, type ServerEvent } from '../server/response.ts';
import type { Service } from '../state/service.ts';
import type { Alternative, Interception, ObjectChange } from './alternative.ts';

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
