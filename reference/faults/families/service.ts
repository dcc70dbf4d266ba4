import type { Fault } from '../../deviations/hooks.ts';
import { ApiError } from '../../http/api-error.ts';
import { perService } from '../../state/service.ts';

const limited = perService(() => new Set<string>());

export const faults: readonly Fault[] = [
  {
    id: 'rate-limit',
    says: 'answers the first request to each method and path with 429; breaks no requirement, exercises retries',
    requirement: null,
    on: [],
    does: {
      door: ({ method, url }, service) => {
        const key = `${method} ${url}`;
        if (limited(service).has(key)) return null;
        limited(service).add(key);
        return new ApiError(429, 'Rate limit reached for this request; try again shortly.', {
          type: 'requests',
          code: 'rate_limit_exceeded',
          headers: { 'retry-after': '0', 'retry-after-ms': '10' },
        });
      },
    },
  },
  {
    id: 'key-not-asked',
    says: 'accepts requests without a key',
    requirement: 'auth.list-files.without-key',
    on: [],
    does: {
      door: ({ headers }, { apiKey }) => {
        if (apiKey !== null) headers.authorization ??= `Bearer ${apiKey}`;
        return null;
      },
    },
  },
  {
    id: 'key-not-checked',
    says: 'accepts requests with a wrong key',
    requirement: 'auth.list-assistants.wrong-key',
    on: [],
    does: {
      door: ({ headers }, { apiKey }) => {
        if (apiKey !== null && headers.authorization !== undefined)
          headers.authorization = `Bearer ${apiKey}`;
        return null;
      },
    },
  },
];
