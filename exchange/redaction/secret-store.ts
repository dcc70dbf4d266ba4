import { isSearchedInBodies, makeAlias, makeMask } from './alias.ts';
import { Base64Pattern, type Reach, wholeDigits } from './base64-pattern.ts';
import { fieldSearch } from './named-field.ts';
import type { Pattern, Replacement } from './pattern.ts';
import { Replacer } from './replacer.ts';
import { TextPattern } from './text-pattern.ts';
import { parameterSearch } from './url-parameter.ts';

/** The sender of a secret. Each has its own limit, so that a service cannot displace the keys of clients. */
export type Sender = 'client' | 'service';
/** Maximum numbers of learned secrets that are searched for everywhere; further ones are masked only in their place. */
const MAX_SECRETS = { client: 256, service: 128, fields: 256 } as const;
const SUBJECTS = {
  client: 'credentials of clients',
  service: 'credentials of the service',
  fields: 'values of redaction rules and of body fields that are named like secrets',
} as const;
/** Maximum number of likely secrets, from URLs and `Set-Cookie`, to search for: some are harmless, or new each time. */
const MAX_LIKELY = 64;

export class SecretStore {
  /** Known secrets in any bytes, in every spelling. */
  readonly bytes = new Replacer();
  /** Known secrets in deltas, without partial base64 digits: waiting for these would hold back nearly everything. */
  readonly deltas = new Replacer();
  /** Known secrets in bodies, and fields and URL parameters that are named like secrets, unless these are kept. */
  readonly bodies: Replacer;
  /** Like `bodies`, for deltas. */
  readonly bodyDeltas: Replacer;
  /** Fields of URL-encoded forms that are named like secrets; null if they are kept. */
  readonly forms: Replacer | null;
  /** Messages about secrets and content that are not searched; `Redactor.takeRemarks` clears them. */
  readonly remarks: string[] = [];
  readonly #secrets = new Map<string, Secret>();
  readonly #onNew: () => void;
  #learnedCount = 0;
  readonly #counts = { client: 0, service: 0, fields: 0 };
  readonly #full = new Set<keyof typeof MAX_SECRETS>();
  #likelyCount = 0;
  #lastNumber = 0;

  /** `onNew` is called when a secret becomes known, because content that was redacted earlier may contain it. */
  constructor(fields: 'mask' | 'keep', onNew: () => void) {
    this.#onNew = onNew;
    const replace = (value: string) => this.replacementOf(value);
    const places = [fieldSearch('quoted', replace), parameterSearch];
    this.bodies = fields === 'mask' ? new Replacer(places) : this.bytes;
    this.bodyDeltas = fields === 'mask' ? new Replacer(places) : this.deltas;
    this.forms = fields === 'mask' ? new Replacer([fieldSearch('form', replace)]) : null;
  }

  get all(): readonly string[] {
    return [...this.#secrets.keys()];
  }

  get learnedCount(): number {
    return this.#learnedCount;
  }

  /** The alias of a known secret, or a mask for any other value. */
  alias(text: string): string {
    const secret = this.#secrets.get(text);
    return secret === undefined ? makeMask(Buffer.byteLength(text)) : Buffer.from(secret.alias).toString();
  }

  /**
   * The replacement of a value that was found by its place or a rule. The value becomes a known secret if
   * `isSearchedInBodies` permits it and there are not too many.
   */
  replacementOf(value: string): Uint8Array {
    if (isSearchedInBodies(value) && !this.#secrets.has(value) && this.#takeRoom('fields'))
      this.#remember(value);
    return this.#secrets.get(value)?.alias ?? Buffer.from(makeMask(Buffer.byteLength(value)));
  }

  /** Adds a credential from traffic, unless it is empty, known or beyond the limit. Returns whether it was added. */
  learn(secret: string, sender: Sender): boolean {
    if (secret === '' || this.#secrets.has(secret) || !this.#takeRoom(sender)) return false;
    this.#remember(secret);
    return true;
  }

  /** Adds a value from traffic that may be a secret, unless there are already `MAX_LIKELY` such values. */
  learnLikely(value: string): void {
    if (this.#secrets.has(value)) return;
    if (this.#likelyCount === MAX_LIKELY) {
      this.remarks.push(
        `More than ${MAX_LIKELY} keys came in URLs or were set as cookies: further ones are masked only there.`,
      );
    }
    this.#likelyCount += 1;
    if (this.#likelyCount <= MAX_LIKELY) this.#remember(value);
  }

  /** Adds a new secret from traffic. */
  #remember(secret: string): void {
    this.add(secret);
    this.#learnedCount += 1;
  }

  /** Adds a secret; bytes that passed earlier are not searched for it. */
  add(text: string): void {
    if (text === '' || this.#secrets.has(text)) return;
    const secret = new Secret(text, () => {
      this.#lastNumber += 1;
      return this.#lastNumber;
    });
    this.#secrets.set(text, secret);
    this.#onNew();
    for (const pattern of secret.spellings('shared'))
      for (const replacer of new Set([this.bytes, this.bodies])) replacer.add(pattern);
    for (const pattern of secret.spellings('whole'))
      for (const replacer of new Set([this.deltas, this.bodyDeltas])) replacer.add(pattern);
  }

  #takeRoom(limit: keyof typeof MAX_SECRETS): boolean {
    if (this.#counts[limit] < MAX_SECRETS[limit]) {
      this.#counts[limit] += 1;
      return true;
    }
    if (!this.#full.has(limit))
      this.remarks.push(
        `More than ${MAX_SECRETS[limit]} ${SUBJECTS[limit]} were found: further ones are masked only in their place.`,
      );
    this.#full.add(limit);
    return false;
  }
}

/** Alignments of a secret in base64: number of bytes before it, modulo 3. */
const SHIFTS = [0, 1, 2] as const;

/** A secret value and its alias. It is numbered when first replaced, so that numbers are the same in another run. */
export class Secret {
  readonly bytes: Uint8Array;
  readonly #text: string;
  readonly #number: () => number;
  #alias: Uint8Array | null = null;

  constructor(text: string, number: () => number) {
    this.#text = text;
    this.#number = number;
    this.bytes = new TextEncoder().encode(text);
  }

  /** The alias; the first access assigns the number. */
  get alias(): Uint8Array {
    this.#alias ??= makeAlias(this.#number(), this.bytes);
    return this.#alias;
  }

  /** Every spelling in which a secret is searched for; add new ones here. `whole` is for text, `shared` for bytes. */
  spellings(reach: Reach): readonly Pattern[] {
    // A short or common value would also be masked in harmless text, so it is masked only in its place.
    if (!isSearchedInBodies(this.#text)) return [];
    const inText = [
      new TextPattern(this, 'exact', 'any'),
      new TextPattern(this, 'either', 'any'),
      ...(/[%\\&]/.test(this.#text) ? [new TextPattern(this)] : []),
      new TextPattern(this.#encoded(hex), 'either'),
      ...SHIFTS.map((shift) => new Base64Pattern(this, shift, reach)),
      ...this.#base64Forms().flatMap((form) => SHIFTS.map((shift) => new Base64Pattern(form, shift, reach))),
    ];
    const utf16Encodings = [
      (bytes: Uint8Array) => utf16(bytes, this),
      (bytes: Uint8Array) => utf16(bytes, this).swap16(),
    ];
    return reach === 'whole'
      ? inText
      : [...inText, ...utf16Encodings.map((encode) => new TextPattern(this.#encoded(encode)))];
  }

  /** The base64 of the secret in every alignment and both alphabets, for base64 that is encoded again. */
  #base64Forms(): Replacement[] {
    return SHIFTS.flatMap((shift) => {
      const [plain, url] = (['plain', 'url'] as const).map((alphabet) =>
        this.#encoded((bytes) => wholeDigits(bytes, shift, alphabet)),
      );
      if (plain === undefined || url === undefined) return [];
      return Buffer.compare(plain.bytes, url.bytes) === 0 ? [plain] : [plain, url];
    });
  }

  #encoded(encode: (bytes: Uint8Array) => Uint8Array): Replacement {
    const secret = this;
    return {
      bytes: encode(this.bytes),
      get alias() {
        return encode(secret.alias);
      },
    };
  }
}

function hex(bytes: Uint8Array): Uint8Array {
  return Buffer.from(Buffer.from(bytes).toString('hex'));
}

/** UTF-16, little-endian; an alias is cut to the number of code units of the secret. */
function utf16(bytes: Uint8Array, { bytes: secret }: Secret): Buffer {
  const units = Buffer.from(secret).toString().length;
  return Buffer.from(Buffer.from(bytes).toString().slice(0, units), 'utf16le');
}
