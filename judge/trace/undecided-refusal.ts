// Refusals that do not speak of the request: of a body that is larger than what the account or the service can take now, and of a
// text that a filter takes for harmful.
import { isObject } from '../evidence/json.ts';
import type { Call } from './call.ts';

/** Why a 4xx does not decide whether a valid request is accepted; null where it does. */
export function undecidedReason({ status, exchange }: Call): 'capacity' | 'model' | null {
  if (status === 413) return 'capacity';
  if (status === null || status < 400 || status >= 500) return null;
  const answer = exchange.response?.body.json?.value;
  const error = isObject(answer) && isObject(answer['error']) ? answer['error'] : answer;
  if (!isObject(error)) return null;
  const { code, type } = error;
  return [code, type].some((word) => typeof word === 'string' && FILTERED.test(word)) ? 'model' : null;
}

/** Codes by which services say that a filter refused a text. */
const FILTERED = /content_?(filter|policy)|responsible_?ai|moderation_blocked/i;
