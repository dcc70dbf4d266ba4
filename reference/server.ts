import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { parse } from 'node:querystring';
import { importModules } from '../schemas/import-modules.ts';
import {
  type Alternative,
  deviating,
  deviatingAnswer,
  type Fault,
  interceptions,
} from './deviations/deviation.ts';
import { ApiError } from './http/api-error.ts';
import { discard } from './http/form.ts';
import { readJsonBody } from './http/json.ts';
import { requestReader, takesForm } from './http/request-reader.ts';
import { JsonResponse, sendError, sendResponse, toApiError } from './http/response.ts';
import type { HandlerRequest, Routes, ServiceRequest, ServiceRoute } from './http/route.ts';
import { Router } from './http/router.ts';
import { perService, type Service } from './state/service.ts';

/**
 * Milliseconds that an idle connection is kept: longer than clients keep theirs, so that they never use one that is
 * closing.
 */
const keepAlive = 72_000;

interface JsonAnswer {
  readonly status: number;
  readonly body: unknown;
}

interface ServedRoute extends ServiceRoute {
  readonly takesForm: boolean;
  readonly answer: (request: ServiceRequest) => Promise<unknown>;
}

interface Deviations {
  readonly faults: readonly Fault[];
  readonly alternatives: readonly Alternative[];
}

export class ReferenceServer {
  /** Listens once `startReference` has given it a port. */
  readonly http: Server;
  /** One for each organization; the first is that of callers without a key of their own. */
  readonly #services: readonly [Service, ...Service[]];
  readonly #faults: readonly Fault[];
  readonly #routerOf: (service: Service) => Router<ServedRoute>;
  /** Request ids are derived from this count, so that they repeat in every run. */
  #requests = 0;

  constructor(
    services: readonly [Service, ...Service[]],
    families: readonly Routes[],
    { faults, alternatives }: Deviations,
  ) {
    this.#services = services;
    this.#faults = faults;
    const deviations = [...interceptions(alternatives), ...faults];
    this.#routerOf = perService((service) => {
      const routes = families.flatMap((routesOf) => routesOf(service));
      return new Router(
        deviating(routes, alternatives, faults).map((route) => ({
          ...route,
          takesForm: takesForm(route),
          answer: deviatingAnswer(answerer(service, route), route, service, deviations),
        })),
      );
    });
    // The router of another organization is created for its first request.
    this.#routerOf(services[0]);
    const options = { keepAliveTimeout: keepAlive, requestTimeout: 0 };
    this.http = createServer(options, (message, response) => void this.#serve(message, response));
  }

  /** Responds to a POST of JSON without a connection. Never rejects. */
  async post(url: string, headers: ServiceRequest['headers'], body: unknown): Promise<JsonAnswer> {
    this.#nextId();
    const request = { method: 'POST', url, headers, params: {}, query: {}, body, raw: null };
    try {
      return { status: 200, body: asJson(await this.#answer(request, async () => asJson(body))) };
    } catch (error) {
      const apiError = toApiError(error);
      return { status: apiError.status, body: apiError.envelope() };
    }
  }

  async #serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('x-request-id', this.#nextId());
    const { method = '', url = '', headers } = message;
    const request = { method, url, headers, params: {}, query: {}, body: undefined, raw: message };
    try {
      const readBody = async (route: ServedRoute): Promise<unknown> =>
        route.takesForm ? undefined : readJsonBody(message);
      await sendResponse(response, await this.#answer(request, readBody));
    } catch (error) {
      sendError(response, error, this.#services[0]);
    } finally {
      // A connection takes its next request only after the rest of a refused body has been read.
      message.resume();
    }
  }

  async #answer(
    request: ServiceRequest,
    readBody: (route: ServedRoute) => Promise<unknown>,
  ): Promise<unknown> {
    for (const { does } of this.#faults) {
      const apiError = does.door?.(request, this.#services[0]) ?? null;
      if (apiError !== null) throw apiError;
    }
    const service = serviceFor(request, this.#services);
    const [path = '', ...query] = request.url.split('?');
    const { route, params } = this.#routerOf(service).find(request.method, path);
    request.params = params;
    request.query = parse(query.join('?'), '&', '=', { maxKeys: 0 });
    request.body = await readBody(route);
    return route.answer(request);
  }

  #nextId(): string {
    this.#requests += 1;
    return `req_${this.#requests.toString(36).padStart(8, '0')}`;
  }
}

export async function createReferenceServer(
  services: readonly [Service, ...Service[]],
  deviations: Deviations,
): Promise<ReferenceServer> {
  return new ReferenceServer(services, await discoverRoutes(), deviations);
}

/** A value after a round trip through JSON, which drops undefined properties. */
function asJson(outcome: unknown): unknown {
  return JSON.parse(JSON.stringify(outcome instanceof JsonResponse ? outcome.value : outcome));
}

/** Every `*.routes.ts`: adding a family touches no other file. */
async function discoverRoutes(): Promise<readonly Routes[]> {
  const modules = await importModules('reference', /\.routes\.[jt]s$/);
  // as: every file of the folder exports its routes
  return [...modules.values()].map((module) => (module as { routes: Routes }).routes);
}

function answerer(service: Service, route: ServiceRoute): (request: ServiceRequest) => Promise<unknown> {
  const read = requestReader(service, route);
  return async (request) => {
    const call: HandlerRequest<never> = await read(request);
    try {
      return await route.handle(call);
    } finally {
      if (call.uploads.size > 0) await discard(call.uploads.values());
    }
  };
}

/** Generated images need no key: their URL is the only secret. */
const publicPath = /^\/images\/[^/?]*(\?|$)/;

/**
 * The organization of the key, which is checked before the path and body are read (1 Authentication). @throws ApiError 401 for
 * another key or none.
 */
function serviceFor(
  { url, headers }: Pick<ServiceRequest, 'url' | 'headers'>,
  services: readonly [Service, ...Service[]],
): Service {
  const { authorization } = headers;
  const [first] = services;
  const own = services.find(({ apiKey }) => apiKey !== null && authorization === `Bearer ${apiKey}`);
  if (own !== undefined) return own;
  if (first.apiKey === null || publicPath.test(url)) return first;
  if (authorization === undefined) {
    throw new ApiError(401, "You didn't provide an API key; send it as 'Authorization: Bearer KEY'.");
  }
  const message = 'Incorrect API key provided; check the Authorization header.';
  throw new ApiError(401, message, { code: 'invalid_api_key' });
}
