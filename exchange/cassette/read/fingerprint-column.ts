import {
  digestHalves,
  type Fingerprint,
  Fingerprints,
  fingerprintWithBody,
} from '../../matching/fingerprint.ts';

/** Beginning of the part of a request line that is hashed. */
const METHOD = ',"method":';
/** Text before the digits of the size. */
const SIZE = '{"e":"body","of":"request","size":'.length;
const SHA256 = ',"sha256":"'.length;
const COMMA = ','.charCodeAt(0);
/** Offset, from the digest on, of the letter that distinguishes `"digest":true` from the other forms of a body. */
const FORM = 64 + '","'.length;
const LETTER_D = 'd'.charCodeAt(0);

/** The fingerprints of the requests of a cassette, found while it is read through: two numbers each, both 0 where it has none. */
export class FingerprintColumn {
  readonly #numbers: Uint32Array;
  readonly #fingerprints: Fingerprints;

  constructor(count: number, betaHeader: string) {
    this.#numbers = new Uint32Array(count * 2);
    this.#fingerprints = new Fingerprints(betaHeader);
  }

  /** The first line of the k-th exchange. */
  request(k: number, line: Buffer): void {
    const text = line.toString();
    this.#set(k, this.#fingerprints.ofLine(text.slice(text.indexOf(METHOD) + 1)) ?? NONE);
  }

  /** The line of its request body. */
  body(k: number, line: Buffer): void {
    const start = this.at(k);
    if (start === null) return;
    const at = line.indexOf(COMMA, SIZE) + SHA256;
    const isDigest = line[at + FORM] === LETTER_D;
    this.#set(
      k,
      isDigest ? NONE : fingerprintWithBody(start, digestHalves(line.toString('latin1', at, at + 16))),
    );
  }

  /** Null where the k-th request has none. */
  at(k: number): Fingerprint | null {
    const [high, low] = [this.#numbers[2 * k] ?? 0, this.#numbers[2 * k + 1] ?? 0];
    return high === 0 && low === 0 ? null : [high, low];
  }

  /** Stores the fingerprint of the k-th exchange. */
  #set(k: number, [high, low]: Fingerprint): void {
    this.#numbers[2 * k] = high;
    this.#numbers[2 * k + 1] = low;
  }
}

/** Stands for an exchange without a fingerprint. */
const NONE: Fingerprint = [0, 0];
