import { alias, isHunted } from './alias.ts';
import { Base64Spelled } from './base64.ts';
import { Literal, type Pattern, Spelled } from './spelled.ts';

/**
 * Every spelling in which a secret is hunted, to be replaced by the n-th alias; none for what is not hunted. `reach`: how
 * far base64 is followed; `shared` takes in the digits at either end that hold bits of other bytes, too.
 */
export function spellings(ordinal: number, secret: string, reach: 'shared' | 'whole'): readonly Pattern[] {
  if (!isHunted(secret)) return [];
  const bytes = new TextEncoder().encode(secret);
  const stand = alias(ordinal, bytes);
  return [
    new Spelled(bytes, stand),
    ...(/[%\\]/.test(secret) ? [new Literal(bytes, stand)] : []),
    ...([0, 1, 2] as const).map((shift) => new Base64Spelled(bytes, stand, shift, reach)),
  ];
}
