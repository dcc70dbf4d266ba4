/** Names of parameters whose value is always a secret. */
const CERTAIN =
  '(?:x[-_])?api[-_]?key|(?:subscription|private|access|secret)[-_]?key|(?:access|auth|bearer|id|refresh|session)[-_]?token|' +
  'client[-_]?secret|secret|password|passwd|passphrase|jwt';
/** Names of parameters that sign a URL: who has their values may do what the URL does. */
const SIGNING = 'sig|signature|key-pair-id|x-(?:amz|goog|ms)-(?:signature|credential|security-token)';
/** Names of parameters whose value may be a secret. */
const NAMES = `${CERTAIN}|key|token|code|sid|session(?:[-_]?id)?|jsessionid|policy|${SIGNING}`;
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
/** Placeholders as manuals and templates write them: brackets and variables, words that say so, one character over and over. */
const PLACEHOLDER =
  /^(?:%(?:24|3c|5b|7b))+[a-z_.-]+(?:%(?:3e|5d|7d))*$|your[-_]|example|placeholder|dummy|fake|sample|change[-_]?me|undefined|^(.)\1*$/i;
/** Words that name a secret, or the place of one in a program. */
const NAMING = /key|token|secret|passw(?:or)?d|passphrase|jwt/i;

/** Whether a value only shows where a secret belongs. */
function isPlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value) || (NAMING.test(value) && /^[a-z_.-]+$/i.test(value));
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
