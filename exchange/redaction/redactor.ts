import type { HeaderPairs } from '../exchange.ts';
import { mediaTypeOf } from '../http/content.ts';
import { isSearchedInBodies, MIN_SEARCHED_BYTES, maskOf } from './alias.ts';
import { GzipFilter, MAX_DECODED_BODY_BYTES } from './compressed-body.ts';
import { EventStreamFilter } from './event-stream-filter.ts';
import {
  environmentSecrets,
  type HeaderClass,
  headerClass,
  isPlain,
  looksGenerated,
  namesSecret,
  SECRET_IN_HEADER,
  SECRET_IN_TARGET,
  splitCookie,
  splitCredential,
  USER_INFO,
} from './known-places.ts';
import { type ByteFilter, chainFilters } from './replacer.ts';
import { type BodyMedia, type RedactionRule, RedactionRuleFilter, RedactionRules } from './rules.ts';
import { SecretStore } from './secret-store.ts';
import { percentDecoded, withoutNestedSecrets } from './url-parameter.ts';

export type { ByteFilter } from './replacer.ts';
export type { RedactionRule } from './rules.ts';

/** Limits of gzip files that no header declares. */
const LIMITS = { packed: MAX_DECODED_BODY_BYTES, unpacked: 8 * MAX_DECODED_BODY_BYTES };
const FORM = 'application/x-www-form-urlencoded';

/** Fields of lines whose values are words of the format. */
const WORDS: ReadonlySet<string> = new Set(['e', 'note', 'how', 'kind']);

/**
 * Replaces known secrets and fields that are named as secrets, without the rules of the user: alone for content to which the
 * rules were applied before, and after them for new content.
 */
export class KnownSecrets {
  readonly #store: SecretStore;
  readonly #remark: (message: string) => void;

  /** `remark` gets what people should know about content that could not be searched. */
  constructor(store: SecretStore, remark: (message: string) => void) {
    this.#store = store;
    this.#remark = remark;
  }

  /** A text with known secrets replaced. */
  text(text: string): string {
    const bytes = Buffer.from(text);
    const redacted = this.#store.bytes.replace(bytes);
    return redacted === bytes ? text : Buffer.from(redacted).toString();
  }

  /**
   * A value of JSON with known secrets replaced in its strings; the very same value where there are none. Its keys, and words of the formats,
   * stay.
   */
  strings<T extends object>(value: T): T {
    const written = JSON.stringify(value);
    // Most values hold none: that shows in their JSON, unless a code of its own stands in it escaped.
    if (!/\\[\\u]/.test(written) && this.#store.bytes.find(Buffer.from(written)) === -1) return value;
    const text = JSON.stringify(value, (key, item: unknown) =>
      typeof item === 'string' && !WORDS.has(key) ? this.text(item) : item,
    );
    return JSON.parse(text) as T; // as: only the content of strings has changed
  }

  /** For a body that comes in pieces: as many bytes come out as go in, some of them later. `headers`: those of its message, for the media type. */
  stream(headers: HeaderPairs = []): ByteFilter {
    const { forms, bodies } = this.#store;
    const isForm = mediaTypeOf(headers)?.essence === FORM;
    const open = () =>
      isForm && forms !== null ? chainFilters(forms.stream(), bodies.stream()) : bodies.stream();
    return new GzipFilter(open, LIMITS, this.#remark);
  }

  /** The same for an event stream: it also replaces a secret that is cut into the deltas of several events. */
  eventStream(): ByteFilter {
    const { bodies, bodyDeltas } = this.#store;
    return bodies.isEmpty ? bodies.stream() : new EventStreamFilter(bodies, bodyDeltas);
  }
}

/** Options of a redactor. All are optional; without any, only header rules and credentials met in traffic apply. */
export interface RedactorOptions {
  /** Values known to be secret. */
  readonly secrets?: readonly string[];
  /** Where further secrets are: variables named like one. */
  readonly environment?: NodeJS.ProcessEnv | null;
  /** Further header names whose values may be kept, in any case. */
  readonly safeHeaders?: readonly string[];
  /** User rules for further values to be replaced. Bodies are then written down only when they are whole. */
  readonly rules?: readonly RedactionRule[];
  /** Whether fields of bodies that are named as secrets (`password`, `api_key`) keep their values. Default false. */
  readonly keepFields?: boolean;
}

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
    constructor() {
      super({ keepFields: true });
    }

    override headers(headers: HeaderPairs): HeaderPairs {
      return headers;
    }

    override target(target: string): string {
      return target;
    }
  })();

  /** For content to which the rules were applied before. */
  readonly known: KnownSecrets;
  readonly #store: SecretStore;
  /** For new content, after the rules. */
  readonly #fresh: KnownSecrets;
  readonly #safe: ReadonlySet<string>;
  readonly #rules: RedactionRules;
  readonly #fields = new Map<string, Field>();

  constructor(options: RedactorOptions = {}) {
    this.#safe = new Set((options.safeHeaders ?? []).map((name) => name.toLowerCase()));
    this.#rules = new RedactionRules(options.rules ?? []);
    this.#store = new SecretStore(options.keepFields === true ? 'keep' : 'mask', () => this.#fields.clear());
    this.known = new KnownSecrets(this.#store, () => {});
    this.#fresh = new KnownSecrets(this.#store, (message) => this.#store.remarks.push(message));
    for (const secret of options.secrets ?? []) {
      this.#store.add(secret);
      if (!isSearchedInBodies(secret))
        this.#store.remarks.push(
          'A secret that was given is short or an ordinary word: it is not searched for.',
        );
    }
    for (const secret of environmentSecrets(options.environment ?? {})) this.#store.add(secret);
  }

  /** All secrets known by now. They are for hunting only; they must reach no disk, report or terminal. */
  get secrets(): readonly string[] {
    return this.#store.all;
  }

  /** How many secrets became known only from traffic. */
  get learned(): number {
    return this.#store.learned;
  }

  /** Where a known secret begins in these bytes, or -1. */
  find(bytes: Uint8Array): number {
    return this.#store.bytes.find(bytes);
  }

  /** Whether known secrets are searched for at all. */
  get searches(): boolean {
    return !this.#store.bytes.isEmpty;
  }

  /** Whether the bytes of an event stream hold a known secret, plainly or cut into deltas. */
  isInStream(bytes: Uint8Array): boolean {
    const filter = new EventStreamFilter(this.#store.bytes, this.#store.deltas);
    return Buffer.compare(Buffer.concat([filter.push(bytes), filter.finish()]), bytes) !== 0;
  }

  /** Remarks for people that came up since the last call. */
  remarks(): readonly string[] {
    return this.#store.remarks.splice(0);
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

  /** Learns the credentials of all fields before it replaces any of them. */
  #replaced(headers: HeaderPairs): HeaderPairs {
    for (const [name, value] of headers) {
      if (!this.#field(name).values.has(value)) this.#learn(name, value);
    }
    return headers.map(([name, value]) => this.#cached(name, value));
  }

  /** Path and query. Values of parameters named like a key become known as secrets; in URLs within it they are masked only. */
  target(target: string): string {
    return /=|%3d|%(?:25)+3d/i.test(target) ? this.#parameters(target, SECRET_IN_TARGET) : this.text(target);
  }

  /** Replaces known secrets, and masks the values of parameters that the expression finds. */
  #parameters(text: string, pattern: RegExp): string {
    for (const [, lead = '', value = ''] of text.matchAll(pattern)) this.#meet(lead, percentDecoded(value));
    return withoutNestedSecrets(this.text(text).replaceAll(pattern, masked));
  }

  /** A value that a parameter named like a key has. */
  #meet(lead: string, value: string): void {
    if (!isSearchedInBodies(value) || isAlias(value)) return;
    if (namesSecret(lead)) this.#store.learn(value);
    else if (looksGenerated(value)) this.#store.meet(value);
  }

  /** A text with known secrets replaced, and the matches of the rules. */
  text(text: string): string {
    // Most texts are reason phrases as short as `OK`: no secret is.
    if (this.#rules.isEmpty && text.length * 3 < MIN_SEARCHED_BYTES) return text;
    return this.known.text(
      this.#rules.isEmpty
        ? text
        : this.#rules.text(
            text,
            (value) => this.#store.standIn(value),
            this.#remarkSkipped('A header or a target'),
          ),
    );
  }

  /** Bytes with known secrets replaced, at their length; the rules are not applied. */
  bytes(bytes: Uint8Array): Uint8Array {
    return this.#store.bytes.replace(bytes);
  }

  /** For a body that comes in pieces: as many bytes come out as go in, some of them later. `headers`: those of its message, for the media type. */
  stream(headers: HeaderPairs = []): ByteFilter {
    return this.#ruled('document', () => this.#fresh.stream(headers));
  }

  /** The same for an event stream: it also replaces a secret that is cut into the deltas of several events. */
  eventStream(): ByteFilter {
    return this.#ruled('event-stream', () => this.#fresh.eventStream());
  }

  /** Whether the user gave rules: a body is then held back until it is whole, or too large for them. */
  get isRuled(): boolean {
    return !this.#rules.isEmpty;
  }

  #ruled(media: BodyMedia, next: () => ByteFilter): ByteFilter {
    if (this.#rules.isEmpty) return next();
    const standIn = (value: string) => this.#store.standIn(value);
    return new RedactionRuleFilter({
      rules: this.#rules,
      media,
      aliasFor: standIn,
      next,
      skipped: this.#remarkSkipped('A body'),
    });
  }

  /** Adds a remark at its first call, and none at further ones. */
  #remarkSkipped(subject: string): () => void {
    let isRemarked = false;
    return () => {
      if (!isRemarked)
        this.#store.remarks.push(
          `${subject} was too large for the redaction rules: in the rest of it only known secrets are replaced.`,
        );
      isRemarked = true;
    };
  }

  /** Class and known values of a header field, by its name in the case that it was sent in. */
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

  /** The value of a header field as it is written, by the class of the field. */
  #value(kind: HeaderClass, value: string): string {
    if (kind === 'masked' || (kind === 'unknown' && !isPlain(value))) return maskOf(Buffer.byteLength(value));
    if (kind === 'cookie') {
      const { lead, secret, rest } = splitCookie(value);
      return `${this.text(lead)}${maskOf(Buffer.byteLength(secret))}${this.text(rest)}`;
    }
    if (kind === 'url') return this.#parameters(value, SECRET_IN_HEADER).replaceAll(USER_INFO, masked);
    if (kind !== 'credential') return this.text(value);
    const { lead, secret } = splitCredential(value);
    return `${lead}${this.#store.alias(secret)}`;
  }

  /** Takes note of the secrets in a header field. */
  #learn(name: string, value: string): void {
    const { kind } = this.#field(name);
    const { certain, likely } = headerSecrets(name.toLowerCase(), kind, value);
    for (const secret of certain) {
      // Others than a credential itself are only known to be searched for: nothing else is masked by them.
      const isWhole = kind === 'credential' && value.endsWith(secret);
      if (isAlias(secret) || (!isWhole && !isSearchedInBodies(secret))) continue;
      if (this.#store.learn(secret) && !isSearchedInBodies(secret)) {
        this.#store.remarks.push(
          `The value of ${name} is short or an ordinary word: it is masked there, not searched for elsewhere.`,
        );
      }
    }
    for (const secret of likely) if (isSearchedInBodies(secret) && !isAlias(secret)) this.#store.meet(secret);
  }
}

/** A header field by its name: its class, and its values with the pairs that are written down for them. */
interface Field {
  readonly kind: HeaderClass;
  readonly values: Map<string, HeaderPairs[number]>;
}

/** Masks a value; its name, and an existing alias, stay. */
function masked(_: string, lead: string, value: string): string {
  return `${lead}${isAlias(value) ? value : maskOf(value.length)}`;
}

/** Whether a value was replaced before. */
function isAlias(value: string): boolean {
  return value.startsWith('redacted_');
}

/** Secrets that a header field holds beside those of its parameters. */
export interface HeaderSecrets {
  /** They are credentials by their place. */
  readonly certain: readonly string[];
  /** They may be, or are new in each answer: only so many of them are searched for. */
  readonly likely: readonly string[];
}

/** Result for a field without secrets. */
const NONE: HeaderSecrets = { certain: [], likely: [] };

/** The secrets in a field of this name (in lower case) and class. */
export function headerSecrets(name: string, kind: HeaderClass, value: string): HeaderSecrets {
  if (kind === 'credential') return { certain: credentials(value), likely: [] };
  if (name === 'cookie') return { certain: value.split(';').flatMap(cookieValue), likely: [] };
  if (name === 'set-cookie') return { certain: [], likely: cookieValue(value.split(';')[0] ?? '') };
  if (kind === 'url') return { certain: userInfo(value), likely: [] };
  return NONE;
}

/** A credential as it is sent, and the password in one of the scheme Basic. */
function credentials(value: string): string[] {
  const { lead, secret } = splitCredential(value);
  if (!/^basic/i.test(lead)) return [secret];
  const [, password] = /^[^:]*:([\s\S]+)$/.exec(Buffer.from(secret, 'base64').toString()) ?? [];
  return password === undefined ? [secret] : [secret, password];
}

/** The value after the equals sign, decoded. */
function cookieValue(pair: string): string[] {
  const [, value] = /^[^=]*=\s*"?([^"]*?)"?\s*$/.exec(pair) ?? [];
  return value === undefined ? [] : [percentDecoded(value)];
}

/** Passwords of URLs; a name without a password is a token. */
function userInfo(value: string): string[] {
  return [...value.matchAll(USER_INFO)].map(([, , info = '']) =>
    percentDecoded(info.slice(info.indexOf(':') + 1)),
  );
}
