import type { ServiceRequest } from '../http/service-request.ts';
import { ApiError } from '../server/api-error.ts';
import type { HandlerRequest, ServiceRoute } from '../server/handler-request.ts';
import type { Json } from '../server/json.ts';
import type { Service } from '../state/service.ts';
import type { Fault } from './fault.ts';

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

/** A route that is served, by which service, and the fault to inject; null injects none. */
interface Injection {
  readonly route: ServiceRoute;
  readonly service: Service;
  readonly fault: Fault | null;
}

/** Answers a route, with the fault applied before validation (query, body) and to refusals. */
export function withFaultyResponse(answer: Answerer, { route, service, fault }: Injection): Answerer {
  const { operation } = route;
  if (fault === null || operation === null || !fault.on.includes(operation)) return answer;
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
