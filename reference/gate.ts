import type { onRequestHookHandler } from 'fastify';
import { Refusal } from './refusal.ts';
import type { Service } from './service.ts';

/** What every request passes before anything is read of it: request id, authentication (1 Authentication). */
export function gate(service: Service): onRequestHookHandler {
  let count = 0;
  return (request, reply, done) => {
    count += 1;
    reply.header('x-request-id', `req_${count.toString(36).padStart(8, '0')}`);
    if (request.routeOptions.url === publicRoute) return done();
    return done(authenticate(service.apiKey, request.headers.authorization) ?? undefined);
  };
}

/** Generated images are shown to whoever has their URL. */
const publicRoute = '/images/:name';

function authenticate(apiKey: string | null, header: string | undefined): Refusal | null {
  if (apiKey === null || header === `Bearer ${apiKey}`) return null;
  if (header === undefined) {
    return new Refusal(401, "You didn't provide an API key; send it as 'Authorization: Bearer KEY'.");
  }
  const message = 'Incorrect API key provided; check the Authorization header.';
  return new Refusal(401, message, { code: 'invalid_api_key' });
}
