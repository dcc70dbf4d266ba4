import { isSearchedInBodies } from './alias.ts';

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

/** Names of parameters whose value is always a secret. */
const CERTAIN =
  '(?:x[-_])?api[-_]?key|(?:subscription|private|access|secret)[-_]?key|(?:access|auth|bearer|id|refresh|session)[-_]?token|' +
  'client[-_]?secret|secret|password|passwd|passphrase|jwt';
/**
 * Names of parameters that sign a URL: who has their values may do what the URL does. Object stores put their own word
 * after the `x` (`amz`, `bce`, `cos`, `goog`, `kss`, `ms`, `obs`, `oss`, `tos`); `q-signature` is of COS, `temp_url_sig` of Swift.
 */
const SIGNING =
  'sig|signature|q-signature|temp_url_sig|key-pair-id|security-token|x-[a-z]{2,7}-(?:signature|credential|security-token)';
/** Names of parameters whose value may be a secret. */
const NAMES = `${CERTAIN}|key|token|code|sid|session(?:[-_]?id)?|jsessionid|policy|sign|auth[-_]?key|authorization|${SIGNING}`;
const IS_CERTAIN = new RegExp(`^[?&#;](?:${CERTAIN})=$`, 'i');
const IS_CERTAIN_NAME = new RegExp(`^(?:${CERTAIN})$`, 'i');
const IS_SIGNING_NAME = new RegExp(`^(?:${SIGNING})$`, 'i');
const IS_NAME = new RegExp(`^(?:${NAMES})$`, 'i');

/** Whether what stands before a value leaves no doubt that it is a secret: a `key` may as well be a name, a `sig` is new each time. */
export function namesSecret(lead: string): boolean {
  return IS_CERTAIN.test(lead);
}

/** Whether the value of a parameter with this name may be a secret. */
export function mayBeSecret(name: string): boolean {
  return IS_NAME.test(name);
}

/** Whether a parameter of a URL within a body holds a secret: there a `key` or a placeholder stands as often in ordinary text. */
export function isSecretInBody(name: string, value: string): boolean {
  if (IS_SIGNING_NAME.test(name) || looksGenerated(value)) return true;
  return IS_CERTAIN_NAME.test(name) && value.length >= SHORTEST_IN_BODY && !isPlaceholder(value);
}

/** Fewest characters of a value in a body whose name alone says that it is secret. */
const SHORTEST_IN_BODY = 8;
/** Brackets and variables as templates write them, percent-encoded: `<api_key>`, `${API_KEY}`, `{{key}}`. */
const TEMPLATE = /^(?:%(?:24|3c|5b|7b))+(?:[a-z_.+-]|%20)+(?:%(?:3e|5d|7d))*$/i;
/** One character over and over, or stars. */
const FILLER = /^(?:(.)\1*|(?:%2a)+)$/i;
/** The place of a secret in a program: `process.env.API_KEY`, `config.apiKey`. */
const IN_PROGRAM = new RegExp(`^(?:[a-z_]+\\.)+(?:[a-z]+_)*(?:${CERTAIN}|key|token)$`, 'i');
/** The name of a variable in capitals: `OPENAI_API_KEY`. */
const VARIABLE = /^(?:[A-Z]+_)+(?:JWT|KEY|PASSPHRASE|PASSWD|PASSWORD|SECRET|TOKEN)$/;
/** Single words that stand for a secret. */
const STANDS_FOR_ONE = /^(?:change_?me|example|placeholder|redacted|undefined)$/i;
/** Words that show that those beside them are a placeholder. */
const SAYING = new Set(
  'your example placeholder dummy fake sample test here change insert replace'.split(' '),
);
/** Words that stand beside them. */
const BESIDE = new Set(
  (
    'a access an anthropic api app auth azure bearer client enter google id is jwt key me my new no openai passphrase ' +
    'passwd password secret session sk subscription the this token user value with'
  ).split(' '),
);

/** Whether a value only shows where a secret belongs. Words that name a secret do not make it one: `mysecretkeyvalue` may be one. */
function isPlaceholder(value: string): boolean {
  return (
    [TEMPLATE, FILLER, IN_PROGRAM, VARIABLE, STANDS_FOR_ONE, IS_CERTAIN_NAME].some((form) =>
      form.test(value),
    ) || isOfKnownWords(value)
  );
}

/** Whether all words of a value are known, and one of them shows that it is a placeholder: `your-api-key-here`, `my-token-example-1`. */
function isOfKnownWords(value: string): boolean {
  const words = value.toLowerCase().split(/[-_.]/);
  return (
    words.length > 1 &&
    words.some((word) => SAYING.has(word)) &&
    words.every((word) => SAYING.has(word) || BESIDE.has(word) || /^\d?$/.test(word))
  );
}

/** Parameters of a target that are named like a key: what stands before the value, and the value. */
export const SECRET_IN_TARGET = new RegExp(`([?&;](?:${NAMES})=)([^&#;?]+)`, 'gi');
/** The same in a header field, where a URL may be followed by something else. */
export const SECRET_IN_HEADER = new RegExp(`([?&#;](?:${NAMES})=)([^&#;?\\s>"]+)`, 'gi');
/** Name and password before the host of a URL. */
export const USER_INFO = /(:\/\/)([^/?#@\s]+)(?=@)/g;

/** Fewest characters of a value that looks generated. */
const SHORTEST = 16;
/** Of neighbouring letters and digits, so many differ in kind in a generated value. */
const MIXED = 0.3;

/**
 * Whether a value reads like a key that a machine made. The value of a parameter named `key` may be a name or a word:
 * searched for in bodies, it would damage ordinary text.
 */
export function looksGenerated(value: string): boolean {
  if (value.length < SHORTEST || !/\d/.test(value)) return false;
  let pairs = 0;
  let mixed = 0;
  for (let i = 1; i < value.length; i += 1) {
    const [before, after] = [kind(value.charCodeAt(i - 1)), kind(value.charCodeAt(i))];
    if (before === 0 || after === 0) continue;
    pairs += 1;
    if (before !== after) mixed += 1;
  }
  return pairs >= SHORTEST / 2 && mixed / pairs >= MIXED;
}

/** 1 digit, 2 capital, 3 small letter, 0 anything else. */
function kind(code: number): number {
  if (code >= 48 && code <= 57) return 1;
  if (code >= 65 && code <= 90) return 2;
  return code >= 97 && code <= 122 ? 3 : 0;
}

/** Endings of names of variables that hold secrets. */
const NAMED_LIKE_A_SECRET = /(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/i;

/** Values of environment variables that are named like a secret and long enough to be searched for. */
export function environmentSecrets(environment: NodeJS.ProcessEnv): string[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && NAMED_LIKE_A_SECRET.test(name) && isSearchedInBodies(value) ? [value] : [],
  );
}
