import { createHash } from 'node:crypto';

export function seedOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0);
}
