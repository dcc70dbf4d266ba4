import { aliasOf, isSearchedInBodies } from './alias.ts';
import { Base64Pattern, type Reach, wholeDigits } from './patterns/base64-pattern.ts';
import { EscapedPattern } from './patterns/escaped-pattern.ts';
import { LiteralPattern } from './patterns/literal.ts';
import type { Pattern, Replacement } from './patterns/pattern.ts';

/** Alignments of a secret in base64: bytes before it, modulo 3. */
const SHIFTS = [0, 1, 2] as const;

/** A secret value, and the alias that stands for it. It gets its number when it is first met, so that another run numbers alike. */
export class Secret {
  /** UTF-8 of the secret. */
  readonly bytes: Uint8Array;
  /** Whether it is searched for in bodies; otherwise it is masked only in its place. */
  readonly isHunted: boolean;
  readonly #text: string;
  readonly #number: () => number;
  #alias: Uint8Array | null = null;

  constructor(text: string, number: () => number) {
    this.#text = text;
    this.#number = number;
    this.bytes = new TextEncoder().encode(text);
    this.isHunted = isSearchedInBodies(text);
  }

  /** The bytes that replace it. The first call assigns its number. */
  get alias(): Uint8Array {
    this.#alias ??= aliasOf(this.#number(), this.bytes);
    return this.#alias;
  }

  /** Every spelling in which it is searched for; none where it is not. `whole` is for text, `shared` for any bytes. */
  spellings(reach: Reach): readonly Pattern[] {
    if (!this.isHunted) return [];
    const inText = [
      new EscapedPattern(this),
      new EscapedPattern(this, 'either'),
      ...(/[%\\&]/.test(this.#text) ? [new LiteralPattern(this)] : []),
      new LiteralPattern(this.#mapped(hex), 'either'),
      ...SHIFTS.map((shift) => new Base64Pattern(this, shift, reach)),
      ...this.#codedOnce().flatMap((once) => SHIFTS.map((shift) => new Base64Pattern(once, shift, reach))),
    ];
    const wide = [
      (bytes: Uint8Array) => utf16(bytes, this),
      (bytes: Uint8Array) => utf16(bytes, this).swap16(),
    ];
    return reach === 'whole'
      ? inText
      : [...inText, ...wide.map((code) => new LiteralPattern(this.#mapped(code)))];
  }

  /** Its base64, which may be encoded once more: in every alignment, and in both alphabets where they differ. */
  #codedOnce(): Replacement[] {
    return SHIFTS.flatMap((shift) => {
      const [plain, url] = (['plain', 'url'] as const).map((alphabet) =>
        this.#mapped((bytes) => wholeDigits(bytes, shift, alphabet)),
      );
      if (plain === undefined || url === undefined) return [];
      return Buffer.compare(plain.bytes, url.bytes) === 0 ? [plain] : [plain, url];
    });
  }

  /** The secret and its alias in another code. The alias is made when it is asked for: by then its number is certain. */
  #mapped(code: (bytes: Uint8Array) => Uint8Array): Replacement {
    const secret = this;
    return {
      bytes: code(this.bytes),
      get alias() {
        return code(secret.alias);
      },
    };
  }
}

/** Bytes as lower-case hexadecimal digits. */
function hex(bytes: Uint8Array): Uint8Array {
  return Buffer.from(Buffer.from(bytes).toString('hex'));
}

/** In UTF-16, low byte first; the alias has as many units as the secret. */
function utf16(bytes: Uint8Array, { bytes: secret }: Secret): Buffer {
  const units = Buffer.from(secret).toString().length;
  return Buffer.from(Buffer.from(bytes).toString().slice(0, units), 'utf16le');
}
