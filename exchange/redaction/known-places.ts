// Places where secrets are expected, by name; the lists are in `secret-rules/places.json`. `Secret.spellings` has the
// spellings in which a known secret is found, and `secret-rules/` the shapes of unknown ones.
import { createRequire } from 'node:module';
import { isSearchedInBodies } from './alias.ts';

/**
 * How the value of a header field is kept: `safe`: unchanged; `url`: without the keys in URLs; `volatile`: only in the
 * timing file; `credential`: as an alias; `cookie`: without the value of the cookie; `unknown`: only if all its words
 * are plain; `masked`: as a mask.
 */
export type HeaderClass = 'safe' | 'url' | 'volatile' | 'credential' | 'cookie' | 'unknown' | 'masked';

/** The lists in `secret-rules/places.json`. Schemes and parameters are regular expressions. */
interface Places {
  /**
   * Header names in lower case. `safe`: without secrets, and equal in equal recordings; `url`: may be signed; `masked`:
   * the identity or location of a person. Fields that match no name, prefix or pattern are `unknown`.
   */
  readonly headers: Readonly<Record<Exclude<HeaderClass, 'unknown'>, readonly string[]>>;
  readonly headerPrefixes: Readonly<Record<string, HeaderClass>>;
  /**
   * Authentication schemes (RFC 9110, section 11.4) that stay visible; what follows is the secret. A value whose scheme
   * is not listed is masked completely.
   */
  readonly schemes: readonly string[];
  /**
   * Names of URL parameters. `secret`: the value is always a secret; `possible`: only if it looks generated; `signing`:
   * these values are enough to use the URL. Object stores put their own word after `x` (`amz`, `bce`, `cos`, `goog`,
   * `kss`, `ms`, `obs`, `oss`, `tos`); `q-signature` is from COS, `temp_url_sig` from Swift.
   */
  readonly parameters: Readonly<Record<'secret' | 'possible' | 'signing', readonly string[]>>;
  /**
   * Endings of the names of body fields (JSON, forms) that hold a secret; a space matches `_`, `-` or no character. A
   * bare `key` or `token` may be a name or a word.
   */
  readonly fields: readonly string[];
  readonly placeholders: Readonly<Record<'marks' | 'others', readonly string[]>>;
}

// as: part of the sources
const PLACES = createRequire(import.meta.url)('#secret-rules/places.json') as Places;
const HEADER_PREFIXES = Object.entries(PLACES.headerPrefixes);
const SCHEMES = PLACES.schemes.join('|');
const SECRET_PARAMETERS = PLACES.parameters.secret.join('|');

const CREDENTIAL_HEADER = new RegExp(
  [
    '(?:key|token|secret|passwd|password|passphrase|pwd|credentials?|bearer|jwt)$',
    '(?:^|[-_.])(?:auth|authentication|authorization|pass|passcode|session)$',
    '(?:^|[-_.])jwt(?:[-_.]|$)',
    '(?:^|[-_.])(?:access|client|key)[-_.]?id$',
    '(?:api|access|auth|private|secret)[-_.]?(?:key|token)(?:[-_.]|$)',
  ].join('|'),
);
/** Keys that identify a request, a page or a connection, and give no access. */
const HARMLESS_KEY =
  /(?:^|[-_.])(?:idempotency|websocket|cache|surrogate|partition|page|next|continuation|sync|dedup(?:e|lication)?)[-_.]?(?:key|token)$/;
/** Headers whose names have one of these words hold a person's data or a short-lived code. */
const MASKED_HEADER =
  /(?:^|[-_])(?:code|csrf|csrftoken|email|ip|otp|pin|sig|signature|user|username|xsrf)(?:$|[-_])/;

const SECRET_VARIABLE = /(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/i;

const HEADER_CLASSES = new Map(
  Object.entries(PLACES.headers).flatMap(
    ([kind, names]) => names.map((name) => [name, kind as HeaderClass] as const), // as: the keys of the record
  ),
);

/** `name` is in lower case. */
export function headerClass(name: string): HeaderClass {
  const known = HEADER_CLASSES.get(name) ?? HEADER_PREFIXES.find(([prefix]) => name.startsWith(prefix))?.[1];
  if (known !== undefined) return known;
  if (CREDENTIAL_HEADER.test(name) && !HARMLESS_KEY.test(name)) return 'credential';
  return MASKED_HEADER.test(name) ? 'masked' : 'unknown';
}

/** Values that are credentials in any field: after a common scheme, or a JSON Web Token. */
const CREDENTIAL_VALUE = /^(?:(?:bearer|basic|api[-_]?key)[ \t]+\S{8}|eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.)/i;

export function holdsCredential(name: string, value: string): boolean {
  const kind = headerClass(name);
  return kind === 'credential' || (kind !== 'safe' && CREDENTIAL_VALUE.test(value));
}

const MAX_PLAIN_LENGTH = 200;
const GAPS = /[\s,;:=()[\]{}"'/._-]+/;
/** A word of letters, a number, or a short mixture such as `v2` or `1h30m`. */
const PLAIN_WORD = /^(?:[A-Za-z]{1,14}|\d{1,13}|[A-Za-z\d%+]{1,6})?$/;

export function isPlain(value: string): boolean {
  return value.length <= MAX_PLAIN_LENGTH && value.split(GAPS).every((word) => PLAIN_WORD.test(word));
}

export function splitCookie(value: string): { lead: string; secret: string; rest: string } {
  const [, lead = '', secret = '', rest = ''] = /^([^=;]*=\s*)([^;]*)(.*)$/s.exec(value) ?? [];
  return lead === '' ? { lead: '', secret: value, rest: '' } : { lead, secret, rest };
}

const CREDENTIAL = new RegExp(`^((?:(?:${SCHEMES})\\s+)+)(.+)$`, 'is');

/**
 * Splits a credential into its schemes, which stay visible, and the secret. A value may have two schemes, if a client
 * adds one to a value that already has one.
 */
export function splitCredential(value: string): { lead: string; secret: string } {
  const [, lead, secret] = CREDENTIAL.exec(value) ?? [];
  return lead === undefined || secret === undefined ? { lead: '', secret: value } : { lead, secret };
}

const FIRST_WORD = /^[A-Za-z][\w.-]*[ \t]+/;
/** A parameter of a scheme: `token=…`, `signature="…"`. */
const AUTH_PARAMETER = /(?<![^\s,;])([A-Za-z][\w-]*)\s*=\s*(?:"([^"]*)"|([^\s,;"]+))/g;
/** Parameters that describe a signature and hold no secret. */
const HARMLESS_PARAMETER = /^(?:algorithm|charset|headers|nc|qop|realm|signedheaders|stale|uri|version)$/i;
const MAX_PARAMETERS = 8;

/**
 * Every form in which a service may quote the credential of a header field: first the value without its known schemes;
 * then the value without any first word, its parameters, and the user name and password of the scheme Basic.
 */
export function credentialTexts(value: string): readonly string[] {
  const { lead, secret } = splitCredential(value);
  const rest = splitCredential(secret.replace(FIRST_WORD, '')).secret;
  const parameters = [...secret.matchAll(AUTH_PARAMETER)]
    .filter(([, name = '']) => !HARMLESS_PARAMETER.test(name))
    .slice(0, MAX_PARAMETERS)
    .map(([, , quoted, plain]) => quoted ?? plain ?? '');
  const basic = /basic/i.test(lead) ? basicTexts(secret) : [];
  return [...new Set([secret, rest, ...parameters, ...basic])].filter((text) => text !== '');
}

/** User name and password, and both together if the password alone is too short to be searched for. */
function basicTexts(coded: string): readonly string[] {
  const decoded = Buffer.from(coded, 'base64').toString();
  const [, user = '', password = ''] = /^([^:]*):([\s\S]*)$/.exec(decoded) ?? [];
  return isSearchedInBodies(password) ? [user, password] : [user, password, decoded];
}

export function environmentSecrets(environment: NodeJS.ProcessEnv): string[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && SECRET_VARIABLE.test(name) && isSearchedInBodies(value) ? [value] : [],
  );
}

/** The field names in every spelling, because forms may percent-encode `_` and `-`. */
export const SECRET_FIELDS: readonly Buffer[] = PLACES.fields.flatMap((name) =>
  [...new Set(['', '_', '-', '%5f', '%2d'].map((gap) => name.replace(' ', gap)))].map((text) =>
    Buffer.from(text),
  ),
);

const CERTAIN_NAME = new RegExp(`^(?:${SECRET_PARAMETERS})$`, 'i');
const SIGNING_NAME = new RegExp(`^(?:${PLACES.parameters.signing.join('|')})$`, 'i');
const PARAMETER_NAME = new RegExp(`^(?:${Object.values(PLACES.parameters).flat().join('|')})$`, 'i');

/** Whether the name alone proves that a value is a secret. A `key` may be a name, and a `sig` is new each time. */
export function namesSecret(name: string): boolean {
  return CERTAIN_NAME.test(name);
}

export function mayBeSecret(name: string): boolean {
  return PARAMETER_NAME.test(name);
}

const MIN_LENGTH_IN_BODY = 8;

/** Whether a URL parameter in a body holds a secret. There, a `key` is often a name, and a value a placeholder. */
export function isSecretInBody(name: string, value: string): boolean {
  if (SIGNING_NAME.test(name) || looksGenerated(value)) return true;
  return CERTAIN_NAME.test(name) && value.length >= MIN_LENGTH_IN_BODY && !isPlaceholder(value);
}

/** Percent-encoded template variables: `<api_key>`, `${API_KEY}`, `{{key}}`. */
const TEMPLATE = /^(?:%(?:24|3c|5b|7b))+(?:[a-z_.+-]|%20)+(?:%(?:3e|5d|7d))*$/i;
/** One repeated character, or stars. */
const FILLER = /^(?:(.)\1*|(?:%2a)+)$/i;
/** A reference to a secret in a program: `process.env.API_KEY`, `config.apiKey`. */
const IN_PROGRAM = new RegExp(`^(?:[a-z_]+\\.)+(?:[a-z]+_)*(?:${SECRET_PARAMETERS}|key|token)$`, 'i');
/** The name of a variable in upper case: `OPENAI_API_KEY`. */
const VARIABLE = /^(?:[A-Z]+_)+(?:JWT|KEY|PASSPHRASE|PASSWD|PASSWORD|SECRET|TOKEN)$/;
const PLACEHOLDER_WORD = /^(?:change_?me|example|placeholder|redacted|undefined)$/i;
const PLACEHOLDER_MARKS = new Set(PLACES.placeholders.marks);
const PLACEHOLDER_WORDS = new Set(Object.values(PLACES.placeholders).flat());

/** Whether a value is a placeholder. A secret's name within it is not enough: `mysecretkeyvalue` may be a secret. */
function isPlaceholder(value: string): boolean {
  return (
    [TEMPLATE, FILLER, IN_PROGRAM, VARIABLE, PLACEHOLDER_WORD, CERTAIN_NAME].some((form) =>
      form.test(value),
    ) || hasOnlyKnownWords(value)
  );
}

function hasOnlyKnownWords(value: string): boolean {
  const words = value.toLowerCase().split(/[-_.]/);
  return (
    words.length > 1 &&
    words.some((word) => PLACEHOLDER_MARKS.has(word)) &&
    words.every((word) => PLACEHOLDER_WORDS.has(word) || /^\d?$/.test(word))
  );
}

/** Parameters of a target: delimiter, name as it is written, value. */
export const PARAMETER_IN_TARGET = /([?&;])([\w%.-]{2,64})=([^&#;?]+)/g;
/** Parameters of a URL in a header field, where other text may follow the URL. */
export const PARAMETER_IN_HEADER = /([?&#;])([\w%.-]{2,64})=([^&#;?\s>"]+)/g;
export const USER_INFO = /(:\/\/)([^/?#@\s]+)(?=@)/g;

const MIN_GENERATED_LENGTH = 16;
const MIN_MIXED_SHARE = 0.3;

/**
 * Whether a value mixes letters and digits as generated keys do. The value of a parameter such as `key` may also be a
 * word, which would match ordinary text in bodies.
 */
export function looksGenerated(value: string): boolean {
  if (value.length < MIN_GENERATED_LENGTH || !/\d/.test(value)) return false;
  let pairs = 0;
  let mixed = 0;
  for (let i = 1; i < value.length; i += 1) {
    const [before, after] = [kindOf(value.charCodeAt(i - 1)), kindOf(value.charCodeAt(i))];
    if (before === 0 || after === 0) continue;
    pairs += 1;
    if (before !== after) mixed += 1;
  }
  return pairs >= MIN_GENERATED_LENGTH / 2 && mixed / pairs >= MIN_MIXED_SHARE;
}

/** 1: digit, 2: upper-case letter, 3: lower-case letter, 0: anything else. */
function kindOf(code: number): number {
  if (code >= 48 && code <= 57) return 1;
  if (code >= 65 && code <= 90) return 2;
  return code >= 97 && code <= 122 ? 3 : 0;
}
