import { hash, randomBytes } from 'node:crypto';
import type { JournalSecret } from '../format/lines.ts';

/**
 * How a secret is recognised without being stored: by its length, fifteen bits of a rolling checksum that say quickly where it
 * is not, and a salted SHA-256 that decides. A reader of these digests can test guesses, so they are written only where a recording
 * may already hold the secret itself, and go with the journal when the cassette is finished.
 */
export function secretDigest(secret: string): JournalSecret {
  const bytes = Buffer.from(secret);
  const salt = randomBytes(16).toString('hex');
  return { e: 'secret', length: bytes.length, checksum: checksum(bytes), salt, digest: digest(salt, bytes) };
}

/** A prime for which all products stay within 31 bits, and the base of the polynomial. */
const MODULUS = 32_749;
/** Base of the rolling checksum. */
const BASE = 257;

/** Rolling checksum of bytes, modulo `MODULUS`: cheap to move along a text by one byte. */
function checksum(bytes: Uint8Array): number {
  let sum = 0;
  for (const byte of bytes) sum = (sum * BASE + byte) % MODULUS;
  return sum;
}

/** Salted SHA-256 of bytes, in hex. */
function digest(salt: string, bytes: Uint8Array): string {
  return hash('sha256', Buffer.concat([Buffer.from(salt, 'hex'), bytes]));
}

/** The secret itself, where bytes hold it; null elsewhere. */
export function recognised(secret: JournalSecret, bytes: Uint8Array): string | null {
  return new DigestSearch([secret]).in(bytes).get(secret) ?? null;
}

/** Secrets of one length. */
interface LengthGroup {
  readonly length: number;
  /** BASE to the power of `length - 1`, modulo `MODULUS`: the factor of the byte that leaves the window. */
  readonly highest: number;
  /** 1 at the checksum of each secret. */
  readonly isWanted: Uint8Array;
  readonly secrets: readonly JournalSecret[];
}

/** Searches bytes for secrets of which only the digests are known, in one pass for each length that they have. */
export class DigestSearch {
  readonly #groups: readonly LengthGroup[];

  constructor(secrets: readonly JournalSecret[]) {
    const lengths = new Set(secrets.map(({ length }) => length).filter((length) => length > 0));
    this.#groups = [...lengths].map((length) =>
      groupOf(
        length,
        secrets.filter((secret) => secret.length === length),
      ),
    );
  }

  /** The secrets that the bytes hold, with their texts. */
  in(bytes: Uint8Array): ReadonlyMap<JournalSecret, string> {
    const found = new Map<JournalSecret, string>();
    for (const group of this.#groups) if (bytes.length >= group.length) searchGroup(group, bytes, found);
    return found;
  }
}

function groupOf(length: number, secrets: readonly JournalSecret[]): LengthGroup {
  let highest = 1;
  for (let k = 1; k < length; k += 1) highest = (highest * BASE) % MODULUS;
  const isWanted = new Uint8Array(MODULUS);
  for (const secret of secrets) isWanted[secret.checksum] = 1;
  return { length, highest, isWanted, secrets };
}

/** Moves a window of the length of the secrets along the bytes, and adds those that it meets to `found`. */
function searchGroup(group: LengthGroup, bytes: Uint8Array, found: Map<JournalSecret, string>): void {
  const { length, highest, isWanted, secrets } = group;
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
    const without = sum - (((bytes[end - length] ?? 0) * highest) % MODULUS) + MODULUS;
    sum = ((without % MODULUS) * BASE + (bytes[end] ?? 0)) % MODULUS;
  }
}
