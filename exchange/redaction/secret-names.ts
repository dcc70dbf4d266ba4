// URL parameters, body fields and environment variables whose names mark their values as secrets, and placeholders,
// which are no secrets. `Secret.spellings` finds known secrets elsewhere, `secret-rules/` finds others by their shapes.
import { createRequire } from 'node:module';
import { isSearchedInBodies } from './alias.ts';

/** Lists in `secret-rules/places.json`. Parameters are regular expressions. */
interface Names {
  /**
   * Names of URL parameters. `secret`: the value is always a secret; `possible`: only if it looks generated; `signing`:
   * these values are enough to use the URL. Object stores put their own word after `x` (`amz`, `bce`, `cos`, `goog`,
   * `jdcloud`, `kss`, `ms`, `obs`, `oss`, `tos`); `q-signature` is from COS, `temp_url_sig` from Swift.
   */
  readonly parameters: Readonly<Record<'secret' | 'possible' | 'signing', readonly string[]>>;
  /**
   * Endings of the names of body fields (JSON, forms) that hold a secret; a space matches `_`, `-` or no character. A
   * bare `key` or `token` may be a name or a word.
   */
  readonly fields: readonly string[];
  /** Words that mark a value as a placeholder, and others that occur next to them. */
  readonly placeholders: Readonly<Record<'marks' | 'others', readonly string[]>>;
}

// as: part of the sources
const NAMES = createRequire(import.meta.url)('#secret-rules/places.json') as Names;
const SECRET_PARAMETERS = NAMES.parameters.secret.join('|');

const SECRET_VARIABLE = /(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/i;

/** Values of environment variables that are named like a secret, except those that `isSearchedInBodies` excludes. */
export function environmentSecrets(environment: NodeJS.ProcessEnv): string[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && SECRET_VARIABLE.test(name) && isSearchedInBodies(value) ? [value] : [],
  );
}

/** The field names in every spelling, because forms may percent-encode `_` and `-`. */
export const SECRET_FIELDS: readonly Buffer[] = NAMES.fields.flatMap((name) =>
  [...new Set(['', '_', '-', '%5f', '%2d'].map((gap) => name.replace(' ', gap)))].map((text) =>
    Buffer.from(text),
  ),
);

const CERTAIN_NAME = new RegExp(`^(?:${SECRET_PARAMETERS})$`, 'i');
const SIGNING_NAME = new RegExp(`^(?:${NAMES.parameters.signing.join('|')})$`, 'i');
const PARAMETER_NAME = new RegExp(`^(?:${Object.values(NAMES.parameters).flat().join('|')})$`, 'i');

/** Whether the name alone proves that a value is a secret. A `key` may be a name, and a `sig` is new each time. */
export function namesSecret(name: string): boolean {
  return CERTAIN_NAME.test(name);
}

export function mayBeSecret(name: string): boolean {
  return PARAMETER_NAME.test(name);
}

/** Minimum length in characters of a value in a body that counts as a secret because `namesSecret` accepts its name. */
const MIN_LENGTH_IN_BODY = 8;

/** Whether a URL parameter in a body holds a secret; `mayBeSecret` accepts its name, but a `key` is often just a name. */
export function isSecretInBody(name: string, value: string): boolean {
  if (SIGNING_NAME.test(name) || looksGenerated(value)) return true;
  return CERTAIN_NAME.test(name) && value.length >= MIN_LENGTH_IN_BODY && !isPlaceholder(value);
}

/** Percent-encoded template variables: `<api_key>`, `${API_KEY}`, `{{key}}`. */
const TEMPLATE = /^(?:%(?:24|3c|5b|7b))+(?:[a-z_.+-]|%20)+(?:%(?:3e|5d|7d))*$/i;
/** One repeated character, or percent-encoded stars. */
const FILLER = /^(?:(.)\1*|(?:%2a)+)$/i;
/** A reference to a secret in a program: `process.env.API_KEY`, `config.apiKey`. */
const IN_PROGRAM = new RegExp(`^(?:[a-z_]+\\.)+(?:[a-z]+_)*(?:${SECRET_PARAMETERS}|key|token)$`, 'i');
/** The name of a variable in upper case: `OPENAI_API_KEY`. */
const VARIABLE = /^(?:[A-Z]+_)+(?:JWT|KEY|PASSPHRASE|PASSWD|PASSWORD|SECRET|TOKEN)$/;
const PLACEHOLDER_WORD = /^(?:change_?me|example|placeholder|redacted|undefined)$/i;
const PLACEHOLDER_MARKS = new Set(NAMES.placeholders.marks);
const PLACEHOLDER_WORDS = new Set(Object.values(NAMES.placeholders).flat());

/** Whether a value is a placeholder. Containing a secret's name is not enough: `mysecretkeyvalue` may be a secret. */
function isPlaceholder(value: string): boolean {
  return (
    [TEMPLATE, FILLER, IN_PROGRAM, VARIABLE, PLACEHOLDER_WORD, CERTAIN_NAME].some((form) =>
      form.test(value),
    ) || hasOnlyKnownWords(value)
  );
}

/** Whether all words are known and one marks a placeholder: `your-api-key-here`, `my-token-example-1`. */
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
/** User name and password of a URL in a header field. The last `@` ends them, because a password may contain others. */
export const USER_INFO = /((?:^|[:<])\/\/)([^/?#\s<>"]+)(?=@)/g;

const MIN_GENERATED_LENGTH = 16;
/** Minimum share of neighbouring letters and digits in a generated value that differ in kind. */
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
