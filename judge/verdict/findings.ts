import { createHash } from 'node:crypto';
import type { Json } from '../../exchange/http/body.ts';
import { plural } from '../../schemas/message-text.ts';
import type { Call } from '../trace/call.ts';
import { jsonKindOf } from '../trace/json.ts';

/** The beginning of the actual value that `ProbeEvaluator` reports for a stream. */
const STATUS_AND_EVENT = /^\d{3}, then event /;
/** Limits for a value in a finding, because a target determines its size: levels, values, UTF-16 code units. */
const MAX_DEPTH = 32;
const MAX_VALUES = 1_000;
const MAX_CHARACTERS = 10_000;
const MAX_QUOTED = 200;

/** Digest of the requirement, variant, place, and class of the actual value: equal for equal defects in all runs. */
export function findingSignature(
  id: string,
  call: Call | null,
  at: string,
  actual: Json | undefined,
): string {
  const variant = call === null ? '' : `${call.operation.id} ${call.variant?.name ?? '?'}`;
  // The place omits indexes, event numbers, and names that a model may have written.
  const hasWildcard = id.split('#', 1)[0]?.includes('*') === true;
  const place = hasWildcard ? '' : at.replace(/^event \d+ (?=\/)/, '').replaceAll(/\d+/g, '[]');
  return createHash('sha256')
    .update(JSON.stringify([id, variant, place, classOfActual(id, actual)]))
    .digest('hex')
    .slice(0, 12);
}

function classOfActual(id: string, actual: Json | undefined): string {
  if (actual === undefined) return 'absent';
  // A status alone and a status with the first event of its stream count as the same response.
  if (typeof actual === 'string' && STATUS_AND_EVENT.test(actual)) return 'number';
  const kind = jsonKindOf(actual);
  const listsValues = id.endsWith('#enum') || id.endsWith('#const');
  return listsValues && kind !== 'object' && kind !== 'array' ? JSON.stringify(actual) : kind;
}

/** Cuts no surrogate pair in half, because strict JSON parsers reject the halves. `max`: in UTF-16 code units. */
export function quoteBeginning(text: string, max = MAX_QUOTED): string {
  return text.slice(0, max).replace(/[\ud800-\udbff]$/, '');
}

export function truncateValue(value: Json): Json {
  if (typeof value === 'string' && value.length > MAX_CHARACTERS)
    return `${quoteBeginning(value, MAX_CHARACTERS)}…`;
  if (
    typeof value !== 'object' ||
    value === null ||
    fitsInFinding(value, MAX_DEPTH, { values: MAX_VALUES, characters: MAX_CHARACTERS })
  )
    return value;
  return Array.isArray(value)
    ? `an array of ${plural(value.length, 'element')}, too large to show`
    : `an object with ${plural(Object.keys(value).length, 'member')}, too large to show`;
}

function fitsInFinding(value: Json, depth: number, budget: { values: number; characters: number }): boolean {
  budget.values -= 1;
  if (typeof value === 'string') budget.characters -= value.length;
  if (depth === 0 || budget.values < 0 || budget.characters < 0) return false;
  if (typeof value !== 'object' || value === null) return true;
  if (!Array.isArray(value)) for (const key of Object.keys(value)) budget.characters -= key.length;
  return Object.values(value).every((inner) => fitsInFinding(inner, depth - 1, budget));
}
