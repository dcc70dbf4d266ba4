import type { ServiceRequest } from '../http/service-request.ts';
import type { Service } from '../state/service.ts';
import { ApiError } from './api-error.ts';

/** Generated images need no key: their URL is the only secret. */
const publicPath = /^\/images\/[^/?]*(\?|$)/;

/**
 * Checks the key of a request before its path and body are read (1 Authentication).
 * @throws ApiError 401 when the service has a key and the request carries another one, or none.
 */
export function authenticate(
  { apiKey }: Service,
  { url, headers }: Pick<ServiceRequest, 'url' | 'headers'>,
): void {
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
