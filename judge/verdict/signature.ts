import { createHash } from 'node:crypto';
import type { Json } from '../../exchange/http/body.ts';
import { jsonKindOf } from '../schema/json-kinds.ts';
import type { Call } from '../trace/call.ts';

/**
 * Short digest of a defect: requirement, operation variant, place with its numbers blanked, class of the actual
 * value. The same defect has the same signature in every run.
 */
export function findingSignature(
  id: string,
  call: Call | null,
  at: string,
  actual: Json | undefined,
): string {
  const variant = call === null ? '' : `${call.operation.id} ${call.variant?.name ?? '?'}`;
  const place = at.replaceAll(/\d+/g, '[]');
  return createHash('sha256')
    .update(JSON.stringify([id, variant, place, classOf(id, actual)]))
    .digest('hex')
    .slice(0, 12);
}

function classOf(id: string, actual: Json | undefined): string {
  if (actual === undefined) return 'absent';
  const kind = jsonKindOf(actual);
  const listed = id.endsWith('#enum') || id.endsWith('#const');
  return listed && kind !== 'object' && kind !== 'array' ? JSON.stringify(actual) : kind;
}
