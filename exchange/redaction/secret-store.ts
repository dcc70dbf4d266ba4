import { isSearchedInBodies, maskOf } from './alias.ts';
import { FieldSearch } from './filters/field-search.ts';
import type { OpenSearch } from './filters/found.ts';
import { NamedField } from './filters/named-field.ts';
import { ParameterSearch } from './filters/parameter-search.ts';
import { Replacer } from './filters/replacer.ts';
import { Secret } from './secrets.ts';

/** So many credentials are searched for at most; further ones are masked only where they stand. */
const MOST_SECRETS = 256;
/** The same of values that need not be secret, or are new each time: in URLs and in cookies that a service sets. */
const MOST_LIKELY = 64;

/** The known secrets, and what replaces them. They are numbered as they are met. */
export class SecretStore {
  /** For the known secrets in any bytes. */
  readonly bytes = new Replacer();
  /** For text in deltas, where waiting for half a base64 digit would hold back nearly everything. */
  readonly deltas = new Replacer();
  /** For bodies: also the fields that are named as secrets, and such parameters of URLs. Those above where they are kept. */
  readonly bodies: Replacer;
  /** The same for text in deltas. */
  readonly bodyDeltas: Replacer;
  /** For the fields of forms in the way of URLs alone; null where they are kept. */
  readonly forms: Replacer | null;
  /** Remarks for people that were not fetched yet. */
  readonly remarks: string[] = [];
  readonly #secrets = new Map<string, Secret>();
  readonly #onNew: () => void;
  #learned = 0;
  #full = false;
  /** How many of them need not be secret, those that were too many included. */
  #met = 0;
  /** Number of the last alias. */
  #numbered = 0;

  /** `onNew` is called when a secret becomes known: content redacted before may still contain it. */
  constructor(fields: 'mask' | 'keep', onNew: () => void) {
    this.#onNew = onNew;
    const standIn = (value: string) => this.standIn(value);
    const quoted = new NamedField('quoted', standIn);
    const places: readonly OpenSearch[] = [
      (bytes, tail) => FieldSearch.in(bytes, tail, quoted),
      (bytes, tail) => ParameterSearch.in(bytes, tail),
    ];
    this.bodies = fields === 'mask' ? new Replacer(places) : this.bytes;
    this.bodyDeltas = fields === 'mask' ? new Replacer(places) : this.deltas;
    this.forms = fields === 'mask' ? new Replacer() : null;
    this.forms?.add(new NamedField('form', standIn));
  }

  /** All known secrets, in the order in which they became known. */
  get all(): readonly string[] {
    return [...this.#secrets.keys()];
  }

  /** How many became known only from traffic. */
  get learned(): number {
    return this.#learned;
  }

  /** Whether a value is a known secret. */
  has(text: string): boolean {
    return this.#secrets.has(text);
  }

  /** The alias of a secret; a mask for what is not known. */
  alias(text: string): string {
    const secret = this.#secrets.get(text);
    return secret === undefined ? maskOf(Buffer.byteLength(text)) : Buffer.from(secret.alias).toString();
  }

  /** The replacement of a value that was found by its place. The value is a known secret from now on, if it is long enough to be searched for. */
  standIn(value: string): Uint8Array {
    if (isSearchedInBodies(value) && this.#secrets.size < MOST_SECRETS) this.remember(value);
    return this.#secrets.get(value)?.alias ?? Buffer.from(maskOf(Buffer.byteLength(value)));
  }

  /** A credential that came in traffic. False where there are too many, or it was known. */
  learn(secret: string): boolean {
    if (secret === '' || this.#secrets.has(secret) || !this.#hasRoom()) return false;
    this.remember(secret);
    return true;
  }

  /** A value that came in traffic and may be a secret, or one of many. */
  meet(value: string): void {
    if (this.#secrets.has(value)) return;
    if (this.#met === MOST_LIKELY) {
      this.remarks.push(
        `More than ${MOST_LIKELY} keys came in URLs or were set as cookies: further ones are masked only there.`,
      );
    }
    this.#met += 1;
    if (this.#met <= MOST_LIKELY) this.remember(value);
  }

  /** Adds a secret that came in traffic. */
  remember(secret: string): void {
    if (this.#secrets.has(secret)) return;
    this.add(secret);
    this.#learned += 1;
  }

  /** Adds a secret; bytes that passed before are not searched for it. */
  add(text: string): void {
    if (text === '' || this.#secrets.has(text)) return;
    const secret = new Secret(text, () => {
      this.#numbered += 1;
      return this.#numbered;
    });
    this.#secrets.set(text, secret);
    this.#onNew();
    for (const pattern of secret.spellings('shared'))
      for (const replacer of new Set([this.bytes, this.bodies])) replacer.add(pattern);
    for (const pattern of secret.spellings('whole'))
      for (const replacer of new Set([this.deltas, this.bodyDeltas])) replacer.add(pattern);
  }

  /** Whether one more may be searched for; that there are too many is remarked once. */
  #hasRoom(): boolean {
    if (this.#secrets.size < MOST_SECRETS) return true;
    if (!this.#full)
      this.remarks.push(
        `More than ${MOST_SECRETS} credentials came: further ones are masked only in their place.`,
      );
    this.#full = true;
    return false;
  }
}
