import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from './refusal.ts';
import type { Service } from './service.ts';

/** What every request passes before anything is read of it: request id, fault, authentication (1 Authentication). */
export function gate(service: Service): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  const limited = new Set<string>();
  let count = 0;
  return async (request, reply) => {
    count += 1;
    reply.header('x-request-id', `req_${count.toString(36).padStart(8, '0')}`);
    const path = request.url.split('?')[0] ?? '';
    if (!path.startsWith('/v1/')) return;
    if (service.apiKey !== null) authenticate(request.headers.authorization, service.apiKey);
    const key = `${request.method} ${path}`;
    if (service.fault === 'rate-limit' && !limited.has(key)) {
      limited.add(key);
      throw rateLimited();
    }
  };
}

function authenticate(header: string | undefined, apiKey: string): void {
  if (header === `Bearer ${apiKey}`) return;
  const message =
    header === undefined
      ? "You didn't provide an API key; send it as 'Authorization: Bearer KEY'."
      : 'Incorrect API key provided; check the Authorization header.';
  const code = header === undefined ? null : 'invalid_api_key';
  throw new Refusal(401, message, { code });
}

function rateLimited(): Refusal {
  return new Refusal(429, 'Rate limit reached for this request; try again shortly.', {
    type: 'requests',
    code: 'rate_limit_exceeded',
    headers: { 'retry-after': '0', 'retry-after-ms': '10' },
  });
}
