// What is known of a target that refuses the key before it looks at the path.
import type { RefusedKey } from '../../exchange/claims.ts';
import { families } from '../../schemas/index.ts';

/** The answers, what they leave unknown, and what to do about the key. */
export function refusedKeyWords({ status, families: hidden, keyVariable, key }: RefusedKey): string {
  const asked = hidden.length === families().length ? 'every request' : `requests for ${hidden.join(', ')}`;
  return (
    `The target answers ${status} to ${asked}, as it does to a path that no service has: whether it offers them is not known. ` +
    keyAdvice(keyVariable, key)
  );
}

/** What to do where requests were refused for their key, or for want of one. */
function keyAdvice(keyVariable: string, key: 'sent' | 'none'): string {
  return key === 'sent'
    ? `The key in ${keyVariable} was sent and refused: does it belong to this target?`
    : `No key was sent: put it in ${keyVariable}, or name its variable with --api-key-env.`;
}
