import { readdir } from 'node:fs/promises';
import multipart from '@fastify/multipart';
import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { send } from './answer.ts';
import type { Route, Routes } from './call.ts';
import { atTheDoor, befallen, misanswered } from './faults/befall.ts';
import { gate } from './gate.ts';
import { parseJson } from './json.ts';
import { Refusal, shorten } from './refusal.ts';
import { callReader, takesForm } from './request.ts';
import type { Service } from './service.ts';
import { discard } from './upload.ts';

/** Largest JSON body, in bytes. */
const bodyLimit = 64 * 1024 * 1024;

/** The server with the routes of every file in `families/`; it does not listen yet. */
export async function createServer(service: Service): Promise<FastifyInstance> {
  const app = fastify({
    bodyLimit,
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 4096 },
    frameworkErrors: answerError,
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_: FastifyRequest, body: Buffer) => parseJson(body),
  );
  if (service.fault !== null) atTheDoor(app, service, service.fault);
  app.addHook('onRequest', gate(service));
  const found = await discoverRoutes(service);
  const routes = service.fault === null ? found : befallen(found, service.fault);
  app.setErrorHandler(answerError);
  app.setNotFoundHandler((request, reply) => answerError(unknownUrl(request, routes), request, reply));
  for (const route of routes) if (!takesForm(route)) addRoute(app, service, route);
  // Only these read forms; elsewhere a form is an unsupported content type, and nothing is spent on looking for one.
  await app.register(async (scope) => {
    await scope.register(multipart);
    for (const route of routes) if (takesForm(route)) addRoute(scope, service, route);
  });
  return app;
}

/** Every file in `families/` that exports `routes`: adding a family touches no other file. */
async function discoverRoutes(service: Service): Promise<readonly Route[]> {
  const folder = new URL('./families/', import.meta.url);
  const files = (await readdir(folder)).filter((file) => /^[a-z0-9-]+\.(ts|js)$/.test(file)).sort();
  const modules = await Promise.all(
    files.map(async (file): Promise<{ routes: Routes }> => import(new URL(file, folder).href)),
  );
  return modules.flatMap((module) => module.routes(service));
}

function addRoute(app: FastifyInstance, service: Service, route: Route): void {
  const answer = misanswered(answerer(service, route), route, service);
  app.route({
    method: route.method,
    url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    handler: async (request, reply) => send(reply, await answer(request)),
  });
}

/** Reads a request to a route and has it handled. */
function answerer(service: Service, route: Route): (request: FastifyRequest) => Promise<unknown> {
  const read = callReader(service, route);
  return async (request) => {
    const call = await read(request);
    try {
      return await route.handle(call);
    } finally {
      if (call.uploads.size > 0) await discard(call.uploads.values());
    }
  };
}

function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const refusal = error instanceof Refusal ? error : translate(error, request);
  reply.status(refusal.status).headers(refusal.headers).header('content-type', 'application/json');
  return reply.send(JSON.stringify(refusal.envelope()));
}

/** An error of the framework as one of ours. What is left is a defect of this service: 500. */
function translate(error: unknown, request: FastifyRequest): Refusal {
  const {
    statusCode = 500,
    code = '',
    message = '',
  }: Partial<FastifyError> = error instanceof Error ? error : {};
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    const type = shorten(request.headers['content-type'] ?? '');
    const wanted = 'send application/json, or a form where an endpoint takes files';
    return new Refusal(415, `The content type '${type}' is not supported here; ${wanted}.`);
  }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new Refusal(413, `The body is larger than ${bodyLimit} bytes; send less.`);
  }
  if (statusCode >= 400 && statusCode < 500) return new Refusal(400, message);
  return new Refusal(500, `The service failed on this request, which is a defect of its own: ${message}`, {
    type: 'server_error',
  });
}

/** 405 where the path is known under another method, otherwise 404. */
function unknownUrl(request: FastifyRequest, routes: readonly Route[]): Refusal {
  const path = request.url.split('?')[0] ?? '';
  const methods = routes.filter((route) => pattern(route).test(path)).map(({ method }) => method);
  const asked = `${request.method} ${shorten(path)}`;
  if (methods.length === 0) {
    return new Refusal(404, `Unknown request URL: ${asked}; check the method and the path.`, {
      code: 'unknown_url',
    });
  }
  return new Refusal(405, `Not allowed: ${asked}; this path takes ${methods.join(', ')}.`, {
    code: 'method_not_allowed',
    headers: { allow: methods.join(', ') },
  });
}

function pattern(route: Route): RegExp {
  return new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}
