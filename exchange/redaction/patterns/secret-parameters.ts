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
