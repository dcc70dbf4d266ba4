import type { Json } from '../../exchange/http/body.ts';
import { type JsonSchema, type ResponseShape, schema, type Variant } from '../../schemas/index.ts';
import { valueAtPath } from '../evidence/json.ts';
import type { Call } from '../trace/call.ts';
import { deepEqual } from './json-kinds.ts';

/**
 * The shape that a successful answer has to have after what was asked, or null where that cannot be told.
 * A field that was left out counts as its default.
 */
export function expectedShape(call: Call): ResponseShape | null {
  const { variant } = call;
  if (variant === null) return null;
  const { answers } = variant;
  const fitting = answers.filter(({ when }) => when !== null && fits(when, call.requestJson, variant));
  const plain = answers.filter(({ when }) => when === null);
  const candidates = fitting.length > 0 ? fitting : plain;
  return candidates.length === 1 ? (candidates[0] ?? null) : null;
}

function fits(when: NonNullable<ResponseShape['when']>, asked: Json | undefined, variant: Variant): boolean {
  return Object.entries(when).every(([field, values]) => {
    const value = valueAtPath(asked, field) ?? defaultOf(variant, field);
    return values.some((one) => deepEqual(one as Json, value)); // as: rows are JSON
  });
}

/** The stated default of a body field; null where none is stated. */
function defaultOf({ body }: Variant, field: string): Json {
  const properties = body === null ? {} : (schema(body.schema)['properties'] as Record<string, JsonSchema>); // as: a request is an object
  return (properties[field]?.['default'] ?? null) as Json; // as: schemas are JSON
}
