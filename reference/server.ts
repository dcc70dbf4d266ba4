import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { parse } from 'node:querystring';
import { importModules } from '../schemas/import-modules.ts';
import type { Alternative } from './deviations/alternatives.ts';
import {
  withAlternativeAnswers,
  withAlternatives,
  withFault,
  withFaultyResponse,
} from './deviations/apply.ts';
import type { Fault } from './deviations/hooks.ts';
import { ApiError } from './http/api-error.ts';
import { discard } from './http/form.ts';
import { readJsonBody } from './http/json.ts';
import { requestReader, takesForm } from './http/request-reader.ts';
import { JsonResponse, sendError, sendResponse, toApiError } from './http/response.ts';
import type { HandlerRequest, Routes, ServiceRequest, ServiceRoute } from './http/route.ts';
import { Router } from './http/router.ts';
import type { Service } from './state/service.ts';

/** Milliseconds that an idle connection is kept: longer than clients keep theirs, so that they never use a closing one. */
const keepAlive = 72_000;

/** Status and JSON body of a response. */
interface JsonAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** A route with its reader, its handler and the injected fault composed into `answer`. */
interface ServedRoute extends ServiceRoute {
  readonly takesForm: boolean;
  readonly answer: (request: ServiceRequest) => Promise<unknown>;
}

/** The differences from the usual behaviour: faults, and alternatives, which conform. */
interface Deviations {
  readonly faults: readonly Fault[];
  readonly alternatives: readonly Alternative[];
}

/** The HTTP server of a service, which also answers the requests that the service makes to itself. */
export class ReferenceServer {
  /** Listens once `startReference` has given it a port. */
  readonly http: Server;
  readonly #service: Service;
  readonly #faults: readonly Fault[];
  readonly #router: Router<ServedRoute>;
  /** Requests so far, from which request ids are made: they are the same in every run. */
  #requests = 0;

  constructor(service: Service, routes: readonly ServiceRoute[], { faults, alternatives }: Deviations) {
    this.#service = service;
    this.#faults = faults;
    this.#router = new Router(
      routes.map((route) => ({
        ...route,
        takesForm: takesForm(route),
        answer: faults.reduce(
          (answer, fault) => withFaultyResponse(answer, { route, service, fault }),
          withAlternativeAnswers(answerer(service, route), { route, service }, alternatives),
        ),
      })),
    );
    const options = { keepAliveTimeout: keepAlive, requestTimeout: 0 };
    this.http = createServer(options, (message, response) => void this.#serve(message, response));
  }

  /** Answers a POST of JSON like one from the network, but without a connection. Never rejects. */
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

  /** Answers one request of the network; every error becomes a response. */
  async #serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('x-request-id', this.#nextId());
    const { method = '', url = '', headers } = message;
    const request = { method, url, headers, params: {}, query: {}, body: undefined, raw: message };
    try {
      const readBody = async (route: ServedRoute): Promise<unknown> =>
        route.takesForm ? undefined : readJsonBody(message);
      await sendResponse(response, await this.#answer(request, readBody));
    } catch (error) {
      sendError(response, error, this.#service);
    } finally {
      // A connection takes its next request only once the rest of a refused body has been read.
      message.resume();
    }
  }

  /** The response to a request. @throws ApiError for an error response. */
  async #answer(
    request: ServiceRequest,
    readBody: (route: ServedRoute) => Promise<unknown>,
  ): Promise<unknown> {
    for (const { does } of this.#faults) {
      const apiError = does.door?.(request, this.#service) ?? null;
      if (apiError !== null) throw apiError;
    }
    authenticate(this.#service, request);
    const [path = '', ...query] = request.url.split('?');
    const { route, params } = this.#router.find(request.method, path);
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

/** The server with the routes of every file in `families/`; it does not listen yet. */
export async function createReferenceServer(
  service: Service,
  deviations: Deviations,
): Promise<ReferenceServer> {
  const { faults, alternatives } = deviations;
  const routes = withAlternatives(await discoverRoutes(service), alternatives);
  return new ReferenceServer(service, faults.reduce(withFault, routes), deviations);
}

/** A value after a round trip through JSON, which drops undefined properties. */
function asJson(outcome: unknown): unknown {
  return JSON.parse(JSON.stringify(outcome instanceof JsonResponse ? outcome.value : outcome));
}

/** Every file in `families/` that exports `routes`: adding a family touches no other file. */
async function discoverRoutes(service: Service): Promise<readonly ServiceRoute[]> {
  const modules = await importModules('reference', /\.routes\.[jt]s$/);
  // as: every file of the folder exports its routes
  return [...modules.values()].flatMap((module) => (module as { routes: Routes }).routes(service));
}

/** Reads and validates a request to a route, has it handled, and deletes the uploads that the handler did not take. */
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
 * Checks the key of a request before its path and body are read (1 Authentication).
 * @throws ApiError 401 when the service has a key and the request carries another one, or none.
 */
function authenticate({ apiKey }: Service, { url, headers }: Pick<ServiceRequest, 'url' | 'headers'>): void {
  const { authorization } = headers;
  if (apiKey === null || authorization === `Bearer ${apiKey}` || publicPath.test(url)) return;
  // Two messages with one status: the specification states that a request without a valid key is refused, not
  // how.
  if (authorization === undefined) {
    throw new ApiError(401, "You didn't provide an API key; send it as 'Authorization: Bearer KEY'.");
  }
  const message = 'Incorrect API key provided; check the Authorization header.';
  throw new ApiError(401, message, { code: 'invalid_api_key' });
}
