import type { Version } from '../assistants/tools.ts';
import type { HandlerRequest } from './handler-request.ts';

/** The form of the response. Operations without variants read the beta header; without the header it is v2. */
export function versionOf(request: HandlerRequest<unknown>): Version {
  if (request.variant !== 'only') return request.variant;
  const sent = [request.request.headers[request.service.betaHeader] ?? []].flat();
  return sent.some((value) => value.includes('assistants=v1')) ? 'v1' : 'v2';
}
