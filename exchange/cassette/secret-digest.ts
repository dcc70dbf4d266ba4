import { hash, randomBytes } from 'node:crypto';
import { groupBy } from '../../schemas/maps.ts';
import type { JournalSecret } from './lines.ts';

/**
 * Identifies a secret without storing it: by its length, fifteen bits of a rolling checksum to select candidates, and a
 * salted SHA-256 to confirm them. Guesses can be tested against a digest, so it is written only if the recording may
 * already contain the secret itself, and disappears with the journal.
 */
export function secretDigest(secret: string): JournalSecret {
  const bytes = Buffer.from(secret);
  const salt = randomBytes(16).toString('hex');
  return { e: 'secret', length: bytes.length, checksum: checksum(bytes), salt, digest: digest(salt, bytes) };
}

/** Digests of the secret as it is and, if that differs, in lower case, because text may have been lowercased. */
export function secretDigests(secret: string): readonly JournalSecret[] {
  const lower = lowercaseAscii(Buffer.from(secret)).toString();
  return lower === secret ? [secretDigest(secret)] : [secretDigest(secret), secretDigest(lower)];
}

export function lowercaseAscii(bytes: Uint8Array): Buffer {
  const copy = Buffer.from(bytes);
  for (const [at, byte] of copy.entries()) if (byte >= 0x41 && byte <= 0x5a) copy[at] = byte + 0x20;
  return copy;
}

/** Modulus and base of the checksum: two primes, the first small enough to keep all products below 2^31. */
const MODULUS = 32_749;
const BASE = 257;

function checksum(bytes: Uint8Array): number {
  let sum = 0;
  for (const byte of bytes) sum = (sum * BASE + byte) % MODULUS;
  return sum;
}

function digest(salt: string, bytes: Uint8Array): string {
  return hash('sha256', Buffer.concat([Buffer.from(salt, 'hex'), bytes]));
}

interface LengthGroup {
  readonly length: number;
  readonly isWanted: Uint8Array;
  readonly secrets: readonly JournalSecret[];
}

export class DigestSearch {
  readonly #groups: readonly LengthGroup[];

  constructor(secrets: readonly JournalSecret[]) {
    const nonEmpty = secrets.filter(({ length }) => length > 0);
    const byLength = groupBy(nonEmpty, ({ length }) => length);
    this.#groups = [...byLength].map(([length, group]) => groupOf(length, group));
  }

  findIn(bytes: Uint8Array): ReadonlyMap<JournalSecret, string> {
    const found = new Map<JournalSecret, string>();
    for (const group of this.#groups) if (bytes.length >= group.length) searchGroup(group, bytes, found);
    return found;
  }
}

function groupOf(length: number, secrets: readonly JournalSecret[]): LengthGroup {
  const isWanted = new Uint8Array(MODULUS);
  for (const secret of secrets) isWanted[secret.checksum] = 1;
  return { length, isWanted, secrets };
}

function searchGroup(group: LengthGroup, bytes: Uint8Array, found: Map<JournalSecret, string>): void {
  const { length, isWanted, secrets } = group;
  // Computed here, where the content bounds the length: a forged journal may state any.
  let leavingFactor = 1;
  for (let k = 1; k < length; k += 1) leavingFactor = (leavingFactor * BASE) % MODULUS;
  let sum = checksum(bytes.subarray(0, length));
  for (let end = length; ; end += 1) {
    if (isWanted[sum] === 1) {
      const window = bytes.subarray(end - length, end);
      for (const secret of secrets) {
        if (secret.checksum !== sum || found.has(secret)) continue;
        if (digest(secret.salt, window) === secret.digest) found.set(secret, Buffer.from(window).toString());
      }
    }
    if (end >= bytes.length) return;
    const without = sum - (((bytes[end - length] ?? 0) * leavingFactor) % MODULUS) + MODULUS;
    sum = ((without % MODULUS) * BASE + (bytes[end] ?? 0)) % MODULUS;
  }
}
