import type { Call, Route } from '../call.ts';
import type { ServiceRequest } from '../http/service-request.ts';
import type { Json } from '../json.ts';
import { Refusal } from '../refusal.ts';
import type { Service } from '../service.ts';
import type { Fault } from './fault.ts';

type Answerer = (request: ServiceRequest) => Promise<unknown>;

/** The routes, those of the fault's operations changed by it. */
export function befallen(routes: readonly Route[], fault: Fault): readonly Route[] {
  const ask = async (operation: string, call: Call): Promise<unknown> => {
    const route = routes.find((one) => one.operation === operation);
    if (route === undefined) throw new Error(`fault ${fault.id} asks ${operation}, which has no route`);
    return handled(route, call);
  };
  return routes.map((route) => {
    const { handle } = fault.does;
    if (handle === undefined || route.operation === null || !fault.on.includes(route.operation)) return route;
    const proceed = (call: Call): Promise<unknown> => handled(route, call);
    const twisted = async (call: Call): Promise<unknown> =>
      fault.form === undefined || call.variant === fault.form ? handle(call, proceed, ask) : proceed(call);
    return { ...route, handle: twisted };
  });
}

/** What answers a route, with what the fault of the service makes of requests and refusals. */
export function misanswered(answer: Answerer, { operation }: Route, service: Service): Answerer {
  const { fault } = service;
  if (fault === null || operation === null || !fault.on.includes(operation)) return answer;
  const { query, body, forgive } = fault.does;
  return async (request) => {
    if (query !== undefined) request.query = query(request.query);
    if (body !== undefined) request.body = body(request.body as Json); // as: the parser gives JSON
    try {
      return await answer(request);
    } catch (error) {
      const given = error instanceof Refusal ? (forgive?.(error, request, service) ?? null) : null;
      if (given === null) throw error;
      return given;
    }
  };
}

/** A handler may throw where it is called, or later. */
async function handled(route: Route, call: Call): Promise<unknown> {
  return route.handle(call as Call<never>); // as: the body has been validated for this route
}
