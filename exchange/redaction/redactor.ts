import { getOrMake } from '../../schemas/maps.ts';
import type { HeaderPairs } from '../exchange.ts';
import { mediaTypeOf } from '../http/content.ts';
import { beginsLikeStream } from '../http/event-stream.ts';
import { beginsAsAlias, isSearchedInBodies, MIN_SEARCHED_BYTES, makeMask, SHORT_ALIAS } from './alias.ts';
import {
  type ByteFilter,
  bufferingFilter,
  chainFilters,
  choosingFilter,
  filterWhole,
  PASS_THROUGH,
} from './byte-filter.ts';
import { EventStreamFilter } from './event-stream-filter.ts';
import { FormPartsFilter } from './form-parts.ts';
import { type HeaderClass, headerClass, isPlain, splitCookie, splitCredential } from './header-fields.ts';
import { headerSecrets } from './header-secrets.ts';
import { beginsAsPacked, packedFileFilter } from './packed-file.ts';
import { type BodyMedia, MAX_RULED_BYTES, type RedactionRule, RedactionRules } from './rules.ts';
import {
  environmentSecrets,
  looksGenerated,
  mayBeSecret,
  namesSecret,
  PARAMETER_IN_HEADER,
  PARAMETER_IN_TARGET,
  USER_INFO,
} from './secret-names.ts';
import { SecretStore, type Sender } from './secret-store.ts';
import { TokenListFilter } from './token-lists.ts';
import { decodePercent, maskNestedSecrets } from './url-parameter.ts';

const FORM_TYPE = 'application/x-www-form-urlencoded';
const MAX_PACKED_DEPTH = 2;
const UNSEARCHED = 'short, an ordinary word or a placeholder';

/** Members that hold keywords of the format. */
const KEYWORDS = /^(?:e|note|how|kind)$/;
/** Members of notes that hold keywords, methods or ids of exchanges. */
const NOTE_KEYWORDS =
  /^(?:e|note|kind|why|what|limit|option|disturbance|reason|key|method|exchanges?|of|by)$/;

export function redactStrings<T extends object>(value: T, redact: (text: string) => string): T {
  const keywords = 'note' in value ? NOTE_KEYWORDS : KEYWORDS;
  const redactItem = (key: string, item: unknown): unknown => {
    if (typeof item === 'string') return keywords.test(key) ? item : redact(item);
    // Items of an array have no name, so that of the array decides.
    if (Array.isArray(item)) return item.map((element) => redactItem(key, element));
    if (typeof item !== 'object' || item === null) return item;
    return Object.fromEntries(Object.entries(item).map(([name, member]) => [name, redactItem(name, member)]));
  };
  return redactItem('', value) as T; // as: only the content of strings has changed
}

/** Redacts without the user's rules, which `Redactor` applies to new content first. */
export class KnownSecrets {
  readonly #store: SecretStore;
  readonly #remark: (message: string) => void;

  constructor(store: SecretStore, remark: (message: string) => void) {
    this.#store = store;
    this.#remark = remark;
  }

  /** Returns the text with known secrets replaced; the same string if there are none. */
  redactText(text: string): string {
    const bytes = Buffer.from(text);
    const redacted = this.#store.bytes.replace(bytes);
    return redacted === bytes ? text : Buffer.from(redacted).toString();
  }

  /** Redacts the strings of a JSON value, except keys and keywords. May return the same object if none changes. */
  redactStrings<T extends object>(value: T): T {
    const written = JSON.stringify(value);
    // Fast path for nearly every value: its JSON contains no secret, and no escape that could hide one.
    if (!/\\[\\u]/.test(written) && this.#store.bytes.find(Buffer.from(written)) === -1) return value;
    return redactStrings(value, (text) => this.redactText(text));
  }

  createBodyFilter(headers: HeaderPairs = []): ByteFilter {
    const { forms, bodies } = this.#store;
    const media = mediaTypeOf(headers)?.essence ?? '';
    if (media === FORM_TYPE && forms !== null)
      return this.#unpack(() => chainFilters(forms.stream(), bodies.stream()));
    if (!media.startsWith('multipart/')) return this.#unpack(() => this.#filterPlain());
    return chainFilters(new FormPartsFilter(() => this.#unpack(() => PASS_THROUGH)), this.#filterPlain());
  }

  #filterPlain(): ByteFilter {
    const { bodies, bodyDeltas } = this.#store;
    return bodies.isEmpty
      ? bodies.stream()
      : chainFilters(bodies.stream(), new TokenListFilter(bodyDeltas, this.#remark));
  }

  /** Also searches packed files and event streams, even if no header declares them; `others` filters other content. */
  #unpack(others: () => ByteFilter, depth = MAX_PACKED_DEPTH): ByteFilter {
    return choosingFilter((start, tail) => {
      const [isPacked, isStream] = [beginsAsPacked(start), beginsLikeStream(start)];
      if (tail === 'open' && (isPacked === null || isStream === null)) return null;
      if (isStream === true) return this.createStreamFilter();
      if (isPacked !== true || depth === 0) return others();
      const content = () => this.#unpack(() => this.#filterPlain(), depth - 1);
      return packedFileFilter({ content, fallback: others }, this.#remark);
    });
  }

  createStreamFilter(): ByteFilter {
    const { bodies, bodyDeltas } = this.#store;
    return bodies.isEmpty ? bodies.stream() : new EventStreamFilter(bodies, bodyDeltas);
  }
}

/** Without options, secrets are found by header rules, as credentials in traffic, and by field and parameter names. */
export interface RedactorOptions {
  /** Values known to be secret. */
  readonly secrets?: readonly string[];
  /** An environment; its variables that are named like secrets hold further secrets. */
  readonly environment?: NodeJS.ProcessEnv | null;
  /** Names of headers, besides the known safe ones, whose values may be kept. */
  readonly safeHeaders?: readonly string[];
  /** User rules for further values. With rules, a body is recorded only once it is complete or too large for them. */
  readonly rules?: readonly RedactionRule[];
  /** Whether fields and URL parameters of bodies that are named like secrets are kept. Default false. */
  readonly keepFields?: boolean;
}

/** Maximum numbers of names, and of values of each name, in the cache of redacted header fields. */
const MAX_NAMES = 1_000;
const MAX_VALUES = 100;

/**
 * The alias of a secret is ASCII and has the same number of bytes. Secrets are numbered in the order in which they are
 * first replaced, so that a secret has the same number in another run with other keys.
 */
export class Redactor {
  /** Changes nothing; for content that is already redacted. */
  static readonly none: Redactor = new (class extends Redactor {
    constructor() {
      super({ keepFields: true });
    }

    override redactHeaders(headers: HeaderPairs): HeaderPairs {
      return headers;
    }

    override redactTarget(target: string): string {
      return target;
    }
  })();

  /** Redacts content that the user's rules were already applied to. */
  readonly known: KnownSecrets;
  readonly #store: SecretStore;
  readonly #fresh: KnownSecrets;
  readonly #safe: ReadonlySet<string>;
  readonly #rules: RedactionRules;
  readonly #fields: Readonly<Record<Sender, Map<string, Map<string, HeaderPairs[number]>>>> = {
    client: new Map(),
    service: new Map(),
  };

  constructor(options: RedactorOptions = {}) {
    this.#safe = new Set((options.safeHeaders ?? []).map((name) => name.toLowerCase()));
    this.#rules = new RedactionRules(options.rules ?? [], (value) => this.#store.replacementOf(value));
    this.#store = new SecretStore(options.keepFields === true ? 'keep' : 'mask', () => {
      for (const fields of Object.values(this.#fields)) fields.clear();
    });
    this.known = new KnownSecrets(this.#store, () => {});
    this.#fresh = new KnownSecrets(this.#store, (message) => this.#store.remarks.push(message));
    for (const secret of options.secrets ?? []) {
      this.#store.add(secret);
      if (!isSearchedInBodies(secret))
        this.#store.remarks.push(`A configured secret is ${UNSEARCHED}: it is not searched for.`);
    }
    for (const secret of environmentSecrets(options.environment ?? {})) this.#store.add(secret);
  }

  /** All known secrets, for searching only: they must not reach a disk, report or terminal. */
  get secrets(): readonly string[] {
    return this.#store.all;
  }

  /** Number of secrets that became known from traffic. */
  get learnedCount(): number {
    return this.#store.learnedCount;
  }

  /** Offset of a known secret in these bytes, or -1. */
  find(bytes: Uint8Array): number {
    return this.#store.bytes.find(bytes);
  }

  /** Whether any known secret is searched for. */
  get knowsSecrets(): boolean {
    return !this.#store.bytes.isEmpty;
  }

  /** A filter that changes an event stream if it contains a known secret, even one that is split across deltas. */
  createStreamSearch(): ByteFilter {
    return new EventStreamFilter(this.#store.bytes, this.#store.deltas);
  }

  /** Returns and clears the messages about secrets that are not searched for and content that could not be searched. */
  takeRemarks(): readonly string[] {
    return this.#store.remarks.splice(0);
  }

  /** Redacts each value as the class of its field demands, and learns the credentials among them. */
  redactHeaders(headers: HeaderPairs, sender: Sender = 'client'): HeaderPairs {
    const fields = this.#fields[sender];
    const redacted: HeaderPairs[number][] = [];
    for (const [name, value] of headers) {
      const cached = fields.get(name)?.get(value);
      if (cached === undefined) return this.#redactNewHeaders(headers, sender);
      redacted.push(cached);
    }
    return redacted;
  }

  /** Learns all credentials before it replaces any. */
  #redactNewHeaders(headers: HeaderPairs, sender: Sender): HeaderPairs {
    const fields = this.#fields[sender];
    for (const [name, value] of headers)
      if (fields.get(name)?.has(value) !== true) this.#learn(name, value, sender);
    return headers.map(([name, value]) => {
      if (fields.size >= MAX_NAMES) fields.clear();
      const values = getOrMake(fields, name, () => new Map<string, HeaderPairs[number]>());
      if (values.size >= MAX_VALUES) values.clear();
      // A service may send a secret as a name.
      return getOrMake(values, value, () => [this.known.redactText(name), this.#redactValue(name, value)]);
    });
  }

  #classify(name: string): HeaderClass {
    const lower = name.toLowerCase();
    return this.#safe.has(lower) ? 'safe' : headerClass(lower);
  }

  /** Redacts path and query. Parameters named like keys are masked; outside nested URLs they may be learned. */
  redactTarget(target: string): string {
    if (!/=|%(?:25)*3d/i.test(target)) return this.redactText(target);
    this.#learnParameters(target, PARAMETER_IN_TARGET, 'client');
    return this.#redactParameters(target, PARAMETER_IN_TARGET);
  }

  #redactParameters(text: string, pattern: RegExp): string {
    const redacted = this.redactText(text).replaceAll(
      pattern,
      (parameter, delimiter: string, name: string, value: string) =>
        mayBeSecret(decodePercent(name)) ? maskValue(parameter, `${delimiter}${name}=`, value) : parameter,
    );
    return maskNestedSecrets(redacted);
  }

  #learnParameters(text: string, pattern: RegExp, sender: Sender): void {
    for (const [, , ...parameter] of text.matchAll(pattern)) {
      const [name = '', value = ''] = parameter.map(decodePercent);
      if (!mayBeSecret(name) || !isSearchedInBodies(value) || beginsAsAlias(value)) continue;
      if (namesSecret(name)) this.#store.learn(value, sender);
      else if (looksGenerated(value)) this.#store.learnLikely(value);
    }
  }

  /** Applies the user's rules, then replaces known secrets. */
  redactText(text: string): string {
    // A text as short as `OK` is not searched: a UTF-16 code unit takes at most three bytes.
    if (this.#rules.isEmpty && text.length * 3 < MIN_SEARCHED_BYTES) return text;
    return this.known.redactText(
      this.#rules.isEmpty
        ? text
        : this.#rules.redactText(text, this.#createSkipRemarker('A header, target or note')),
    );
  }

  /** Replaces known secrets only; the user's rules are not applied. */
  redactBytes(bytes: Uint8Array): Uint8Array {
    return this.#store.bytes.replace(bytes);
  }

  /** A filter for a body. `headers`: the header fields of its message, for the media type. */
  createBodyFilter(headers: HeaderPairs = []): ByteFilter {
    return this.#applyRulesFirst('document', () => this.#fresh.createBodyFilter(headers));
  }

  /** A filter for an event stream, which also replaces secrets that are split across deltas. */
  createStreamFilter(): ByteFilter {
    return this.#applyRulesFirst('event-stream', () => this.#fresh.createStreamFilter());
  }

  /** Whether the user gave rules. If so, bodies are held back until they are complete or too large for the rules. */
  get hasRules(): boolean {
    return !this.#rules.isEmpty;
  }

  #applyRulesFirst(media: BodyMedia, next: () => ByteFilter): ByteFilter {
    if (this.#rules.isEmpty) return next();
    const remark = this.#createSkipRemarker('A body');
    return bufferingFilter(
      MAX_RULED_BYTES,
      // The next filter is created late, so that it knows the secrets that the rules find.
      (bytes) => {
        const ruled = this.#rules.redactBody(bytes, media, remark);
        return filterWhole(next(), ruled);
      },
      () => {
        remark();
        return next();
      },
    );
  }

  #createSkipRemarker(subject: string): () => void {
    let isRemarked = false;
    return () => {
      if (!isRemarked)
        this.#store.remarks.push(
          `${subject} was too large for the redaction rules: parts of it were searched for known secrets only.`,
        );
      isRemarked = true;
    };
  }

  #redactValue(name: string, value: string): string {
    const kind = this.#classify(name);
    if (kind === 'masked' || (kind === 'unknown' && !isPlain(value)))
      return makeMask(Buffer.byteLength(value));
    if (kind === 'cookie') {
      const { lead, secret, rest } = splitCookie(value);
      return `${this.redactText(lead)}${makeMask(Buffer.byteLength(secret))}${this.redactText(rest)}`;
    }
    if (kind === 'url')
      return this.#redactParameters(value, PARAMETER_IN_HEADER).replaceAll(USER_INFO, maskValue);
    if (kind !== 'credential') return this.redactText(value);
    const { lead, secret } = splitCredential(value);
    return `${lead}${this.#store.alias(secret)}`;
  }

  #learn(name: string, value: string, sender: Sender): void {
    const kind = this.#classify(name);
    if (kind === 'url') this.#learnParameters(value, PARAMETER_IN_HEADER, sender);
    const { certain, likely } = headerSecrets(name.toLowerCase(), kind, value);
    for (const secret of certain) {
      // A secret that is part of a value is masked by searching for it, so one too short for that is not learned.
      const isFullValue = kind === 'credential' && secret === splitCredential(value).secret;
      if (beginsAsAlias(secret) || SHORT_ALIAS.test(secret) || (!isFullValue && !isSearchedInBodies(secret)))
        continue;
      if (this.#store.learn(secret, sender) && !isSearchedInBodies(secret)) {
        this.#store.remarks.push(
          `The value of ${name} is ${UNSEARCHED}: it is masked there, not searched for elsewhere.`,
        );
      }
    }
    for (const secret of likely)
      if (isSearchedInBodies(secret) && !beginsAsAlias(secret)) this.#store.learnLikely(secret);
  }
}

/** Keeps a value only if all of it is aliases: a short password may follow the alias of a user name. */
function maskValue(_: string, lead: string, value: string): string {
  const isRedacted = value.split(':').every((part) => part === '' || isWholeAlias(part));
  return `${lead}${isRedacted ? value : makeMask(value.length)}`;
}

function isWholeAlias(text: string): boolean {
  return beginsAsAlias(text) && /^[\d_x/]*$/.test(text.slice('redacted_'.length));
}
