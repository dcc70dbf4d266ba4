/**
 * How a header field is kept: its value; its value but for keys within URLs; in the volatile lane only; a credential; the
 * attributes of a cookie without its value; where it is plain (`isPlain`); or not at all.
 */
export type HeaderClass = 'safe' | 'url' | 'volatile' | 'credential' | 'cookie' | 'unknown' | 'masked';

/** Fields whose values hold no secret and are equal in equal recordings. */
const SAFE = [
  'accept',
  'accept-charset',
  'accept-encoding',
  'accept-language',
  'accept-ranges',
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
  'access-control-expose-headers',
  'access-control-max-age',
  'allow',
  'alt-svc',
  'cache-control',
  'connection',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-length',
  'content-range',
  'content-type',
  'etag',
  'expect',
  'if-match',
  'if-none-match',
  'keep-alive',
  'openai-beta',
  'openai-version',
  'pragma',
  'proxy-connection',
  'range',
  'retry-after',
  'retry-after-ms',
  'server',
  'strict-transport-security',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'vary',
  'vendor-beta',
  'via',
  'warning',
  'www-authenticate',
  'x-accel-buffering',
  'x-content-type-options',
  'x-powered-by',
  'x-should-retry',
];
const SAFE_PREFIXES = ['x-stainless-', 'x-assay-', 'sec-fetch-', 'sec-ch-ua'];

/** Fields whose values hold no secret, and differ from one recording to the next. */
const VOLATILE = [
  ':authority',
  'age',
  'cf-ray',
  'date',
  'expires',
  'forwarded',
  'host',
  'idempotency-key',
  'if-modified-since',
  'last-modified',
  'openai-processing-ms',
  'request-id',
  'server-timing',
  'traceparent',
  'x-correlation-id',
  'x-envoy-upstream-service-time',
  'x-process-time',
  'x-processing-ms',
  'x-request-id',
  'x-response-time',
  'x-runtime',
  'x-stainless-arch',
  'x-stainless-async',
  'x-stainless-os',
  'x-stainless-runtime-version',
  'x-trace-id',
];
const VOLATILE_PREFIXES = ['x-ratelimit-', 'ratelimit'];

/** Fields of URLs, which may be signed. */
const URLS = ['content-location', 'link', 'location'];

/** Fields whose value is a credential. */
const CREDENTIALS = [
  'api-key',
  'authorization',
  'proxy-authorization',
  'x-api-key',
  'x-auth-token',
  'x-goog-api-key',
];

/** Fields that say who or where a person is, or hold a value that grants something for a short time. */
const MASKED = [
  'cookie',
  'cookie2',
  'cf-connecting-ip',
  'from',
  'openai-organization',
  'openai-project',
  'origin',
  'referer',
  'true-client-ip',
  'x-client-ip',
  'x-forwarded-for',
  'x-real-ip',
];
/** The same, by a word of the name. */
const NAMED_LIKE_A_PERSON_OR_CODE =
  /(?:^|[-_])(?:code|csrf|csrftoken|email|ip|otp|pin|sig|signature|user|username|xsrf)(?:$|[-_])/;

/** Classes by name in lower case. */
const BY_NAME = new Map<string, HeaderClass>([
  ...SAFE.map((name) => [name, 'safe'] as const),
  ...URLS.map((name) => [name, 'url'] as const),
  ...VOLATILE.map((name) => [name, 'volatile'] as const),
  ...CREDENTIALS.map((name) => [name, 'credential'] as const),
  ...MASKED.map((name) => [name, 'masked'] as const),
  ['set-cookie', 'cookie'],
]);

/** Names that end so hold a credential, unless it is one of a request or of a connection. */
const NAMED_LIKE_A_CREDENTIAL =
  /(?:^|-)(?:key|token|secret|password|passwd|passphrase|auth|authorization|credentials?|jwt|session)$/;
/** Names of values that identify a request, a page or a connection, and grant nothing. */
const PASSING = /idempotency|websocket|cache|surrogate|partition|page|next|continuation|sync|dedup/;

/** The class of a header by its name in lower case. */
export function headerClass(name: string): HeaderClass {
  const known = BY_NAME.get(name);
  if (known !== undefined) return known;
  if (VOLATILE_PREFIXES.some((prefix) => name.startsWith(prefix))) return 'volatile';
  if (SAFE_PREFIXES.some((prefix) => name.startsWith(prefix))) return 'safe';
  if (NAMED_LIKE_A_CREDENTIAL.test(name) && !PASSING.test(name)) return 'credential';
  return NAMED_LIKE_A_PERSON_OR_CODE.test(name) ? 'masked' : 'unknown';
}

/** Most characters of a plain value: no client reads more of a field that it does not know. */
const PLAIN_VALUE = 200;
/** Between the words of a value, and of a name such as `text-model-2`. */
const GAPS = /[\s,;:=()[\]{}"'/._-]+/;
/** A word of letters, a number, or a short mixture such as `v2` or `1h30m`. */
const PLAIN_WORD = /^(?:[A-Za-z]{1,14}|\d{1,13}|[A-Za-z\d%+]{1,6})?$/;

/** Whether a value cannot be a secret, because all of its words are ordinary words, numbers or short: keys are long mixtures. */
export function isPlain(value: string): boolean {
  return value.length <= PLAIN_VALUE && value.split(GAPS).every((word) => PLAIN_WORD.test(word));
}

/** Name, value and attributes of a cookie that a response sets. */
export function splitCookie(value: string): {
  readonly lead: string;
  readonly secret: string;
  readonly rest: string;
} {
  const [, lead = '', secret = '', rest = ''] = /^([^=;]*=\s*)([^;]*)(.*)$/s.exec(value) ?? [];
  return lead === '' ? { lead: '', secret: value, rest: '' } : { lead, secret, rest };
}

/** Authentication scheme, space, credentials (RFC 9110, section 11.4). */
const SCHEME = /^(basic|bearer|digest|negotiate|token|apikey)(\s+)(.+)$/i;

/** Splits a credential header into what may be seen (the scheme) and the secret. */
export function splitCredential(value: string): { lead: string; secret: string } {
  const [, scheme, space, secret] = SCHEME.exec(value) ?? [];
  return secret === undefined ? { lead: '', secret: value } : { lead: `${scheme}${space}`, secret };
}
