// How header fields are kept, by name, and which parts of their values are credentials.
import { createRequire } from 'node:module';
import { isSearchedInBodies } from './alias.ts';

/**
 * How the value of a header field is kept: `safe`: with known secrets replaced, but otherwise unchanged; `url`: without
 * the keys in URLs; `volatile`: only in the timing file; `credential`: as an alias; `cookie`: without the value of the
 * cookie; `unknown`: only if it is short and all its words are plain; `masked`: as a mask.
 */
export type HeaderClass = 'safe' | 'url' | 'volatile' | 'credential' | 'cookie' | 'unknown' | 'masked';

/** Lists in `secret-rules/places.json`. Schemes are regular expressions. */
interface Places {
  /**
   * Header names in lower case. `safe`: without secrets, and equal in equal recordings; `url`: may be signed; `masked`:
   * may tell who or where the user is, or hold a session. Fields that match no name, prefix or pattern are `unknown`.
   */
  readonly headers: Readonly<Record<Exclude<HeaderClass, 'unknown'>, readonly string[]>>;
  readonly headerPrefixes: Readonly<Record<string, HeaderClass>>;
  /**
   * Authentication schemes (RFC 9110, section 11.4) that stay visible; what follows is the secret. A value whose scheme
   * is not listed is masked completely.
   */
  readonly schemes: readonly string[];
}

// as: part of the sources
const PLACES = createRequire(import.meta.url)('#secret-rules/places.json') as Places;
const HEADER_PREFIXES = Object.entries(PLACES.headerPrefixes);
const SCHEMES = PLACES.schemes.join('|');

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

/** Values that are credentials in any field that is not `safe`: after a common scheme, or a JSON Web Token. */
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

const LEADING_SCHEMES = new RegExp(`^(?:(?:${SCHEMES})\\s+)+(?=.)`, 'is');

/**
 * Splits a credential into its schemes, which stay visible, and the secret. A value has several schemes if a client
 * adds one to a value that already has one.
 */
export function splitCredential(value: string): { lead: string; secret: string } {
  const lead = LEADING_SCHEMES.exec(value)?.[0] ?? '';
  return { lead, secret: value.slice(lead.length) };
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

/** User name and password, and both together if the password alone is not searched for. */
function basicTexts(coded: string): readonly string[] {
  const decoded = Buffer.from(coded, 'base64').toString();
  const [, user = '', password = ''] = /^([^:]*):([\s\S]*)$/.exec(decoded) ?? [];
  return isSearchedInBodies(password) ? [user, password] : [user, password, decoded];
}
