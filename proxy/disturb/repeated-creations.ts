// Which requests are equal, and which objects they made.
import { createHash } from 'node:crypto';
import { mediaTypeOf } from '../../exchange/http/content.ts';
import { headerPairs } from '../../exchange/http/headers.ts';
import type { SeenRequest } from './reactions.ts';
import type { ServiceAnswer } from './send-disturbed.ts';

/** Equal for a request and its repetitions: a form has another boundary each time. */
export function keyOf({ method, target, headers, body }: SeenRequest): string {
  const boundary = mediaTypeOf(headerPairs(headers))?.boundary ?? null;
  const content =
    boundary === null || boundary === ''
      ? body
      : Buffer.from(body.toString('latin1').replaceAll(`--${boundary}`, '--boundary'), 'latin1');
  return `${method} ${target} ${createHash('sha256').update(content).digest('hex')}`;
}

/** The id of the object that a POST made and that stays there; texts of models are no objects. */
export function createdIds({ method, target }: SeenRequest, { status, body }: ServiceAnswer): string[] {
  if (method !== 'POST' || status >= 300 || /\/(completions|moderations)(\?|$)/.test(target)) return [];
  const id = /"id"\s*:\s*"([^"]+)"/.exec(body.toString('utf8'))?.[1];
  return id === undefined ? [] : [id];
}
