import { createHash } from 'node:crypto';

/** Derives from a text the number that selects a sample. */
export function seedOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0);
}
