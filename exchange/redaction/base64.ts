import { neighbours } from './neighbours.ts';
import { NOTHING, type Pair, type Pattern, PERHAPS, type Replaced } from './spelled.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const URL_TAIL = '-_';
/** Value of a base64 digit by its byte, in both alphabets; 255 for all others. */
const VALUES = new Uint8Array(256).fill(255);
for (const [value, digit] of [...ALPHABET].entries()) VALUES[digit.charCodeAt(0)] = value;
for (const [i, digit] of [...URL_TAIL].entries()) VALUES[digit.charCodeAt(0)] = 62 + i;

/** The digits of both alphabets. */
const DIGITS = Array.from(ALPHABET + URL_TAIL, (digit) => digit.charCodeAt(0));

/** A secret inside base64 (plain or URL alphabet), beginning `shift` bytes into a group of three. */
export class Base64Spelled implements Pattern {
  readonly length: number;
  readonly begins: readonly Pair[];
  readonly within: readonly Pair[];
  readonly shortest: number;
  readonly lead: number;
  /** Per digit: which of its six bits belong to the secret, and their value. */
  readonly #masks: Uint8Array;
  readonly #bits: Uint8Array;
  /** The same digits of the alias. */
  readonly #stand: () => Uint8Array;

  /** `whole`: only digits that belong to the secret alone, not those that it shares with the bytes around it. */
  constructor(replaced: Replaced, shift: 0 | 1 | 2, reach: 'shared' | 'whole') {
    const secret = replaced.bytes;
    const every = new Uint8Array(secret.length).fill(255);
    const masks = digits(every, shift);
    const wanted = (mask: number) => (reach === 'whole' ? mask === 63 : mask > 0);
    const from = masks.findIndex(wanted);
    const to = masks.findLastIndex(wanted) + 1;
    this.length = secret.length;
    this.#masks = masks.subarray(from, to);
    this.#bits = digits(secret, shift).subarray(from, to);
    this.#stand = () => digits(replaced.alias, shift).subarray(from, to);
    this.lead = this.#masks[0] === 63 ? 0 : 1;
    const possible = Array.from(this.#masks.subarray(this.lead), (_, i) =>
      DIGITS.filter((byte) => this.#agrees(byte, this.lead + i)),
    );
    this.begins = neighbours(possible.slice(0, 2));
    this.within = neighbours(possible);
    this.shortest = possible.length;
  }

  leads(byte: number): boolean {
    return this.lead === 1 && this.#agrees(byte, 0);
  }

  match(bytes: Uint8Array, at: number, last: boolean): number {
    const from = at - this.lead;
    for (let i = 0; i < this.#masks.length; i += 1) {
      const byte = bytes[from + i];
      if (byte === undefined) return from + i < 0 || last ? NOTHING : PERHAPS;
      if (!this.#agrees(byte, i)) return NOTHING;
    }
    return from + this.#masks.length;
  }

  replace(bytes: Uint8Array, anchor: number): void {
    const at = anchor - this.lead;
    const end = at + this.#masks.length;
    const stand = this.#stand();
    const url = bytes.subarray(at, end).some((byte) => byte === 0x2d || byte === 0x5f);
    for (let i = 0; i < this.#masks.length; i += 1) {
      const kept = (VALUES[bytes[at + i] ?? 0] ?? 0) & ~(this.#masks[i] ?? 0);
      const value = kept | (stand[i] ?? 0);
      const digit = url && value >= 62 ? URL_TAIL[value - 62] : ALPHABET[value];
      bytes[at + i] = digit?.charCodeAt(0) ?? 0;
    }
  }

  #agrees(byte: number, i: number): boolean {
    const value = VALUES[byte] ?? 255;
    return value !== 255 && (value & (this.#masks[i] ?? 0)) === this.#bits[i];
  }
}

/** The six-bit digits that bytes fill when `shift` zero bytes stand before them. */
function digits(bytes: Uint8Array, shift: number): Uint8Array {
  const padded = new Uint8Array(shift + bytes.length + 2);
  padded.set(bytes, shift);
  const count = Math.ceil(((shift + bytes.length) * 8) / 6);
  return Uint8Array.from({ length: count }, (_, i) => {
    const from = Math.floor((i * 6) / 8);
    const pair = ((padded[from] ?? 0) << 8) | (padded[from + 1] ?? 0);
    return (pair >> (10 - ((i * 6) % 8))) & 63;
  });
}
