import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'node:querystring';
import { importModules } from '../schemas/import-modules.ts';
import { type Selection, selectedAlternative, unusualAlternatives } from './choices/selection.ts';
import { interceptions, wrapAnswer, wrapRoutes } from './deviations/apply.ts';
import type { Fault } from './deviations/deviation.ts';
import { needFaults } from './faults/known.ts';
import { ApiError } from './http/api-error.ts';
import { discardUploads } from './http/form.ts';
import { readJsonBody } from './http/json.ts';
import { createRequestReader, takesForm } from './http/request-reader.ts';
import { JsonResponse, sendError, sendResponse, toApiError } from './http/response.ts';
import type { HandlerRequest, Routes, ServiceRequest, ServiceRoute } from './http/route.ts';
import { Router } from './http/router.ts';
import { makeIdGenerator } from './state/ids.ts';
import { perService, type Service } from './state/service.ts';

/** Longer than most clients keep an idle connection, so that they rarely use one that is closing. */
const KEEP_ALIVE_MS = 72_000;
/** Generated images need no key: their URL is the only secret. */
const PUBLIC_PATH = /^\/images\/[^/?]*(\?|$)/;

export interface ReferenceOptions {
  /** Port to listen on. Default: 0, a free port. */
  readonly port?: number | undefined;
  /** Address to listen on. Default: 127.0.0.1. */
  readonly host?: string | undefined;
  /** Determines the ids of all objects and the fingerprint of completions. Default: 1. */
  readonly seed?: number | undefined;
  /** Requests with neither this key nor `secondKey` get 401, except for images by URL. Default: no check. */
  readonly apiKey?: string | undefined;
  /** The key of a second organization, which has its own objects. Default: none. */
  readonly secondKey?: string | undefined;
  /** Name of the header field that selects a version. Default: `Vendor-Beta`. */
  readonly betaHeader?: string | undefined;
  /** Seconds that a resource stays in a state. Default: 0, which advances its state at each read. */
  readonly stateDelay?: number | undefined;
  /** The clock, in milliseconds since 1970. Default: the system clock. */
  readonly clock?: (() => number) | undefined;
  /** Seconds of the service's clock that pass per real second. Default: 1; ignored with `clock`. */
  readonly pace?: number | undefined;
  /** Parent of a new folder for uploads and images, removed on close. Default: the system's temporary directory. */
  readonly directory?: string | undefined;
  /** Gives runs a small model, with no tool calls, no JSON, long texts, and a context of 512 tokens. Default: false. */
  readonly smallModel?: boolean | undefined;
  /** How runs of existing models end unless they are cancelled. Default: as their work requires. */
  readonly runsEnd?: Service['runsEnd'] | undefined;
  /** Faults to inject, separated by commas, as `assay serve --fault` takes them. */
  readonly fault?: string | undefined;
  /** Behaviour where the specification leaves it open. Default: the usual alternative of every choice. */
  readonly choices?: Selection | undefined;
}

export interface Reference {
  /** Base URL, with `/v1`. */
  readonly url: string;
  /** Stops listening, closes open connections and deletes all files. */
  close(): Promise<void>;
}

/** Rejects if the port is taken or the directory is not writable; with UnknownFault if a fault does not exist. */
export async function serveReference(options: ReferenceOptions = {}): Promise<Reference> {
  const faults = options.fault === undefined ? [] : needFaults(options.fault);
  const parent = options.directory ?? tmpdir();
  await mkdir(parent, { recursive: true });
  const directory = await mkdtemp(join(parent, 'assay-reference-'));
  try {
    const server = new ReferenceServer(options, directory, faults, await discoverRoutes());
    server.http.listen(options.port ?? 0, options.host ?? '127.0.0.1');
    await once(server.http, 'listening');
    return {
      url: `${server.origin()}/v1`,
      close: async () => {
        await close(server.http);
        await rm(directory, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** Imports every `*.routes.ts`, so that adding a family touches no other file. */
async function discoverRoutes(): Promise<readonly Routes[]> {
  const modules = await importModules('reference', /\.routes\.[jt]s$/);
  // as: every file that matches exports `routes`
  return [...modules.values()].map((module) => (module as { routes: Routes }).routes);
}

function makePacedClock(pace: number): () => number {
  const start = Date.now();
  return () => start + Math.floor((Date.now() - start) * pace);
}

interface ServedRoute extends ServiceRoute {
  readonly takesForm: boolean;
  readonly answer: (request: ServiceRequest) => Promise<unknown>;
}

class ReferenceServer {
  readonly http: Server;
  /** One service per organization; the first also serves requests whose key is not checked. */
  readonly #services: readonly [Service, ...Service[]];
  readonly #faults: readonly Fault[];
  readonly #routerOf: (service: Service) => Router<ServedRoute>;
  /** Request ids are derived from this count, so that equal sequences of requests get equal ids. */
  #requestCount = 0;

  constructor(
    options: ReferenceOptions,
    directory: string,
    faults: readonly Fault[],
    families: readonly Routes[],
  ) {
    this.#services = this.#makeServices(options, directory);
    this.#faults = faults;
    const alternatives = unusualAlternatives(options.choices ?? new Map());
    const deviations = [...interceptions(alternatives), ...faults];
    this.#routerOf = perService((service) => {
      const routes = families.flatMap((routesOf) => routesOf(service));
      return new Router(
        wrapRoutes(routes, alternatives, faults).map((route) => ({
          ...route,
          takesForm: takesForm(route),
          answer: wrapAnswer(makeHandler(service, route), route, service, deviations),
        })),
      );
    });
    // The router of another organization is created for its first request.
    this.#routerOf(this.#services[0]);
    const settings = { keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0 };
    this.http = createServer(settings, (message, response) => void this.#serve(message, response));
  }

  #makeServices(options: ReferenceOptions, directory: string): readonly [Service, ...Service[]] {
    const clock = options.clock ?? makePacedClock(options.pace ?? 1);
    const { seed = 1, secondKey, choices = new Map() } = options;
    const accountOf = (organization: string, apiKey: string | null) => ({
      apiKey,
      organization,
      post: (url: string, body: unknown) =>
        this.#post(url, apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }, body),
    });
    const service: Service = {
      ...accountOf('org-reference', options.apiKey ?? null),
      first: null,
      seed,
      betaHeader: (options.betaHeader ?? 'Vendor-Beta').toLowerCase(),
      stateDelay: options.stateDelay ?? 0,
      hasSmallModel: options.smallModel ?? false,
      runsEnd: options.runsEnd ?? null,
      directory,
      clock,
      now: () => Math.floor(clock() / 1000),
      id: makeIdGenerator(seed),
      takes: (choice) => selectedAlternative(choices, choice),
      origin: () => this.origin(),
    };
    return secondKey === undefined
      ? [service]
      : [service, { ...service, ...accountOf('org-second', secondKey), first: service }];
  }

  origin(): string {
    const address = this.http.address() as AddressInfo; // as: a TCP server that listens has one
    const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
    return `http://${host}:${address.port}`;
  }

  /** Answers a POST of JSON that the service sends to itself, without a connection. Never rejects. */
  async #post(url: string, headers: ServiceRequest['headers'], body: unknown) {
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
      const apiError = does.beforeAuthentication?.(request, this.#services[0]) ?? null;
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
    this.#requestCount += 1;
    return `req_${this.#requestCount.toString(36).padStart(8, '0')}`;
  }
}

/** Round-trips a value through JSON, which drops undefined properties. */
function asJson(outcome: unknown): unknown {
  return JSON.parse(JSON.stringify(outcome instanceof JsonResponse ? outcome.value : outcome));
}

function makeHandler(service: Service, route: ServiceRoute): (request: ServiceRequest) => Promise<unknown> {
  const read = createRequestReader(service, route);
  return async (request) => {
    const call: HandlerRequest<never> = await read(request);
    try {
      return await route.handle(call);
    } finally {
      if (call.uploads.size > 0) await discardUploads(call.uploads.values());
    }
  };
}

/** Finds the service of a request by its key (1 Authentication). @throws ApiError 401 for a wrong or missing key. */
function serviceFor(
  { url, headers }: Pick<ServiceRequest, 'url' | 'headers'>,
  services: readonly [Service, ...Service[]],
): Service {
  const { authorization } = headers;
  const [first] = services;
  const keyOwner = services.find(({ apiKey }) => apiKey !== null && authorization === `Bearer ${apiKey}`);
  if (keyOwner !== undefined) return keyOwner;
  if (first.apiKey === null || PUBLIC_PATH.test(url)) return first;
  if (authorization === undefined) {
    throw new ApiError(401, "You didn't provide an API key; send it as 'Authorization: Bearer KEY'.");
  }
  const message = 'Incorrect API key provided; check the Authorization header.';
  throw new ApiError(401, message, { code: 'invalid_api_key' });
}
