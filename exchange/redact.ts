import type { HeaderPairs } from './exchange.ts';
import { isHunted, mask } from './redaction/alias.ts';
import { DeltaFilter } from './redaction/deltas.ts';
import { environmentSecrets } from './redaction/environment.ts';
import { credential, type HeaderClass, headerClass } from './redaction/headers.ts';
import { IN_FIELD, IN_TARGET, looksMade, namesSecret, USER_INFO } from './redaction/parameters.ts';
import { type ByteFilter, Replacer } from './redaction/replacer.ts';
import { type RedactionRule, RuleFilter, Rules } from './redaction/rules.ts';
import { Secret } from './redaction/secrets.ts';

export type { ByteFilter } from './redaction/replacer.ts';
export type { RedactionRule } from './redaction/rules.ts';

export interface RedactorOptions {
  /** Values known to be secret. */
  readonly secrets?: readonly string[];
  /** Where further secrets are: variables named like one. */
  readonly environment?: NodeJS.ProcessEnv | null;
  /** Further header names whose values may be kept, in any case. */
  readonly safeHeaders?: readonly string[];
  /** What else is to be kept out. Bodies are then written down only when they are whole. */
  readonly rules?: readonly RedactionRule[];
}

/** So many credentials are hunted at most; further ones are masked only where they stand. */
const MOST_SECRETS = 256;
/** The same of values in URLs whose parameters need not be secret: signatures are new in each. */
const MOST_PARAMETERS = 64;
/** Of header fields, so many names and values for each are remembered. */
const MOST_NAMES = 1_000;
const MOST_VALUES = 100;

/**
 * Takes secrets out of what goes to the disk, and out of nothing else. A secret's alias is ASCII, as long in
 * bytes as the secret, and the same wherever the secret appears; secrets are numbered as they are met, so that
 * another run with other secrets writes the same.
 */
export class Redactor {
  /** Leaves everything as it is: for what has been redacted before. */
  static readonly none: Redactor = new (class extends Redactor {
    override headers(headers: HeaderPairs): HeaderPairs {
      return headers;
    }

    override target(target: string): string {
      return target;
    }
  })();

  readonly #replacer = new Replacer();
  /** For text in deltas, where waiting for half a base64 digit would hold back nearly everything. */
  readonly #deltas = new Replacer();
  readonly #secrets = new Map<string, Secret>();
  readonly #safe: ReadonlySet<string>;
  readonly #remarks: string[] = [];
  readonly #rules: Rules;
  readonly #fields = new Map<string, Field>();
  #learned = 0;
  #full = false;
  /** How many of them came in URLs, those that were too many included. */
  #met = 0;
  #numbered = 0;

  constructor(options: RedactorOptions = {}) {
    this.#safe = new Set((options.safeHeaders ?? []).map((name) => name.toLowerCase()));
    this.#rules = new Rules(options.rules ?? []);
    for (const secret of options.secrets ?? []) {
      this.#add(secret);
      if (!isHunted(secret))
        this.#remarks.push('A secret that was given is short or an ordinary word: it is not hunted.');
    }
    for (const secret of environmentSecrets(options.environment ?? {})) this.#add(secret);
  }

  /** All secrets known by now. They are for hunting only; they must reach no disk, report or terminal. */
  get secrets(): readonly string[] {
    return [...this.#secrets.keys()];
  }

  /** How many secrets became known only from traffic. */
  get learned(): number {
    return this.#learned;
  }

  /** Where a known secret begins in these bytes, or -1. */
  find(bytes: Uint8Array): number {
    return this.#replacer.find(bytes);
  }

  /** Whether known secrets are hunted at all. */
  get hunts(): boolean {
    return !this.#replacer.isEmpty;
  }

  /** Whether the bytes of an event stream hold a known secret, plainly or cut into deltas. */
  isInStream(bytes: Uint8Array): boolean {
    const filter = new DeltaFilter(this.#replacer, this.#deltas);
    return Buffer.compare(Buffer.concat([filter.push(bytes), filter.finish()]), bytes) !== 0;
  }

  /** Remarks for people that came up since the last call. */
  remarks(): readonly string[] {
    return this.#remarks.splice(0);
  }

  /** Header fields with every value that is not known to be safe replaced. Credentials become known by passing here. */
  headers(headers: HeaderPairs): HeaderPairs {
    return this.#seen(headers) ?? this.#replaced(headers);
  }

  /** Header fields that were all met before; null where one is new. */
  #seen(headers: HeaderPairs): HeaderPairs | null {
    const redacted: HeaderPairs[number][] = [];
    for (const [name, value] of headers) {
      const known = this.#fields.get(name)?.values.get(value);
      if (known === undefined) return null;
      redacted.push(known);
    }
    return redacted;
  }

  #replaced(headers: HeaderPairs): HeaderPairs {
    for (const [name, value] of headers) {
      const { kind, values } = this.#field(name);
      if (kind === 'credential' && !values.has(value)) this.#learn(name, value);
    }
    return headers.map(([name, value]) => this.#cached(name, value));
  }

  /** Path and query. Values of parameters named like a key become known as secrets. */
  target(target: string): string {
    return target.includes('=') ? this.#parameters(target, IN_TARGET) : this.text(target);
  }

  #parameters(text: string, pattern: RegExp): string {
    for (const [, lead = '', value = ''] of text.matchAll(pattern)) this.#meet(lead, unescaped(value));
    return this.text(text).replaceAll(pattern, masked);
  }

  /** A value that a parameter named like a key has. */
  #meet(lead: string, value: string): void {
    if (this.#secrets.has(value) || !isHunted(value) || isAlias(value)) return;
    if (namesSecret(lead)) {
      if (this.#hasRoom()) this.#remember(value);
      return;
    }
    if (!looksMade(value)) return;
    if (this.#met === MOST_PARAMETERS) {
      this.#remarks.push(
        `More than ${MOST_PARAMETERS} keys came in URLs: further ones are masked only there.`,
      );
    }
    this.#met += 1;
    if (this.#met <= MOST_PARAMETERS) this.#remember(value);
  }

  text(text: string): string {
    return this.#known(this.#rules.isEmpty ? text : this.#rules.text(text, (value) => this.#standIn(value)));
  }

  #known(text: string): string {
    const bytes = Buffer.from(text);
    const redacted = this.#replacer.replace(bytes);
    return redacted === bytes ? text : Buffer.from(redacted).toString();
  }

  bytes(bytes: Uint8Array): Uint8Array {
    return this.#replacer.replace(bytes);
  }

  /** For a body that comes in pieces: as many bytes come out as go in, some of them later. */
  stream(): ByteFilter {
    return this.#ruled(false, () => this.#replacer.stream());
  }

  /** The same for an event stream: it also replaces a secret that is cut into the deltas of several events. */
  eventStream(): ByteFilter {
    return this.#ruled(true, () =>
      this.#replacer.isEmpty ? this.#replacer.stream() : new DeltaFilter(this.#replacer, this.#deltas),
    );
  }

  #ruled(isStream: boolean, next: () => ByteFilter): ByteFilter {
    if (this.#rules.isEmpty) return next();
    const standIn = (value: string) => this.#standIn(value);
    const tooLarge = () => {
      this.#remarks.push(
        'A body was too large for the redaction rules: only known secrets are replaced in it.',
      );
    };
    return new RuleFilter({ rules: this.#rules, isStream, standIn, next, tooLarge });
  }

  /** What stands for a value that a rule found. It is known from now on, unless it is too short or common to be hunted. */
  #standIn(value: string): Uint8Array {
    if (isHunted(value) && this.#secrets.size < MOST_SECRETS) this.#remember(value);
    return this.#secrets.get(value)?.alias ?? Buffer.from(mask(Buffer.byteLength(value)));
  }

  /** What is known of a header field by its name, in the case it came in. */
  #field(name: string): Field {
    const known = this.#fields.get(name);
    if (known !== undefined) return known;
    if (this.#fields.size >= MOST_NAMES) this.#fields.clear();
    const lower = name.toLowerCase();
    const kind = this.#safe.has(lower) ? 'safe' : headerClass(lower);
    const field: Field = { kind, values: new Map() };
    this.#fields.set(name, field);
    return field;
  }

  /** Most values come again and again: the pair for them is then the very same. */
  #cached(name: string, value: string): HeaderPairs[number] {
    const { kind, values } = this.#field(name);
    const known = values.get(value);
    if (known !== undefined) return known;
    const redacted = [name, this.#value(kind, value)] as const;
    if (values.size >= MOST_VALUES) values.clear();
    values.set(value, redacted);
    return redacted;
  }

  #value(kind: HeaderClass, value: string): string {
    if (kind === 'masked') return mask(Buffer.byteLength(value));
    if (kind === 'url') return this.#parameters(value, IN_FIELD).replaceAll(USER_INFO, masked);
    if (kind !== 'credential') return this.text(value);
    const { lead, secret } = credential(value);
    return `${lead}${this.#alias(secret)}`;
  }

  #alias(text: string): string {
    const secret = this.#secrets.get(text);
    return secret === undefined ? mask(Buffer.byteLength(text)) : Buffer.from(secret.alias).toString();
  }

  #learn(name: string, value: string): void {
    const { secret } = credential(value);
    if (secret === '' || this.#secrets.has(secret)) return;
    if (!this.#hasRoom()) return;
    this.#remember(secret);
    if (!isHunted(secret)) {
      this.#remarks.push(
        `The value of ${name} is short or an ordinary word: it is masked there, not hunted elsewhere.`,
      );
    }
  }

  /** Whether one more may be hunted; that there are too many is remarked once. */
  #hasRoom(): boolean {
    if (this.#secrets.size < MOST_SECRETS) return true;
    if (!this.#full)
      this.#remarks.push(
        `More than ${MOST_SECRETS} credentials came: further ones are masked only in their place.`,
      );
    this.#full = true;
    return false;
  }

  #remember(secret: string): void {
    if (this.#secrets.has(secret)) return;
    this.#add(secret);
    this.#learned += 1;
  }

  #add(text: string): void {
    if (text === '' || this.#secrets.has(text)) return;
    const secret = new Secret(text, () => {
      this.#numbered += 1;
      return this.#numbered;
    });
    this.#secrets.set(text, secret);
    // What was redacted without knowing this one is no longer true.
    this.#fields.clear();
    for (const pattern of secret.spellings('shared')) this.#replacer.add(pattern);
    for (const pattern of secret.spellings('whole')) this.#deltas.add(pattern);
  }
}

/** A header field by its name: its class, and its values with the pairs that are written down for them. */
interface Field {
  readonly kind: HeaderClass;
  readonly values: Map<string, HeaderPairs[number]>;
}

/** What leads to a value stays, and an alias that stands there already. */
function masked(_: string, lead: string, value: string): string {
  return `${lead}${isAlias(value) ? value : mask(value.length)}`;
}

function isAlias(value: string): boolean {
  return value.startsWith('redacted_');
}

function unescaped(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
