import { mediaTypeOf } from '../../exchange/http/content.ts';
import type { SseEvent } from '../../exchange/http/sse-reader.ts';
import { fulfils, type ResponseShape } from '../../schemas/index.ts';
import type { Call } from '../trace/call.ts';

/** The shape of a successful response; null if unknown. In its request, an absent field counts as its default. */
export function expectedShape(call: Call): ResponseShape | null {
  // A legacy call of an operation that the specification describes only in the beta form is judged by that form.
  const [first = null, ...others] = call.operation.variants;
  const variant = call.variant ?? (call.isLegacy && others.length === 0 ? first : null);
  if (variant === null || call.mode?.unknown === 'answer') return null;
  const { answers } = variant;
  if (!call.holdsRequest || call.mode !== null) return shapeOfMediaType(call, answers);
  // A response whose condition holds takes precedence over one without a condition.
  const conditional = answers.filter(({ when }) => when !== null && fulfils(when, call.requestJson, variant));
  const unconditional = answers.filter(({ when }) => when === null);
  const candidates = conditional.length > 0 ? conditional : unconditional;
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

/** The schema of an event's data; null for an unnamed `[DONE]`, and for an event that the specification lacks. */
export function eventSchemaOf(event: SseEvent, known: NonNullable<ResponseShape['events']>): string | null {
  // Clients treat an event without a name as `message`.
  const name = event.event === 'message' ? '' : event.event;
  if (!Object.hasOwn(known, name) || (name === '' && event.data.trim() === '[DONE]')) return null;
  return known[name] ?? null;
}
