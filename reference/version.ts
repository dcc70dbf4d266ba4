import type { Version } from './assistants/tools.ts';
import type { Call } from './call.ts';

/** The form an answer takes. Operations without variants ask the beta header itself; without one it is v2. */
export function versionOf(call: Call<unknown>): Version {
  if (call.variant !== 'only') return call.variant;
  const sent = [call.request.headers[call.service.betaHeader] ?? []].flat();
  return sent.some((value) => value.includes('assistants=v1')) ? 'v1' : 'v2';
}
