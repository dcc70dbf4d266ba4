import { mediaTypeOf } from '../../exchange/http/content.ts';
import { fulfils, type ResponseShape } from '../../schemas/index.ts';
import type { Call } from '../trace/call.ts';

/**
 * The form of a successful response to this request; null if it cannot be determined. `stream: true` yields events,
 * a text format yields no JSON; an absent field counts as its default.
 */
export function expectedShape(call: Call): ResponseShape | null {
  // The specification has some operations only in the beta form; a call in the legacy form has that form, too.
  const [only = null, ...others] = call.operation.variants;
  const variant = call.variant ?? (call.isLegacy && others.length === 0 ? only : null);
  if (variant === null || call.mode?.unknown === 'answer') return null;
  const { answers } = variant;
  if (!call.holdsRequest || call.mode !== null) return shapeOfMediaType(call, answers);
  // A row whose condition holds takes precedence over the row without one.
  const fitting = answers.filter(({ when }) => when !== null && fulfils(when, call.requestJson, variant));
  const plain = answers.filter(({ when }) => when === null);
  const candidates = fitting.length > 0 ? fitting : plain;
  return candidates.length === 1 ? (candidates[0] ?? null) : null;
}

function shapeOfMediaType(
  { exchange: { response } }: Call,
  answers: readonly ResponseShape[],
): ResponseShape | null {
  const isStream = response !== null && mediaTypeOf(response.headers)?.essence === 'text/event-stream';
  const fitting = answers.filter(({ events }) => (events !== null) === isStream);
  return fitting.length === 1 ? (fitting[0] ?? null) : null;
}
