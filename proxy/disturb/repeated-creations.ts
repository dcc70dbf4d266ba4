// Which requests are equal, and which objects they made.
import { createHash } from 'node:crypto';
import { mediaTypeOf } from '../../exchange/http/content.ts';
import { headerPairs } from '../../exchange/http/headers.ts';
import type { ServiceAnswer } from './send-disturbed.ts';

/** A request as it is compared with later ones. */
export interface SeenRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Name and value in turn, as on the wire. */
  readonly headers: readonly string[];
  readonly body: Buffer;
  /** When its head arrived. Milliseconds, by a clock that never goes back. */
  readonly at: number;
}

/** Equal for a request and its repetitions: a form has another boundary each time. */
export function keyOf({ method, target, headers, body }: SeenRequest): string {
  const boundary = mediaTypeOf(headerPairs(headers))?.boundary ?? null;
  const content =
    boundary === null || boundary === ''
      ? body
      : Buffer.from(body.toString('latin1').replaceAll(`--${boundary}`, '--boundary'), 'latin1');
  return `${method} ${target} ${createHash('sha256').update(content).digest('hex')}`;
}

/** The id of the object that a POST made and that stays there; texts of models do not stay. */
export function idsMade({ method, target }: SeenRequest, { status, body }: ServiceAnswer): string[] {
  if (method !== 'POST' || status >= 300 || /\/(completions|moderations)(\?|$)/.test(target)) return [];
  const id = /"id"\s*:\s*"([^"]+)"/.exec(body.toString('utf8'))?.[1];
  return id === undefined ? [] : [id];
}
