import { type HeaderClass, splitCredential } from '../headers.ts';
import { percentDecoded } from '../percent-decoded.ts';
import { USER_INFO } from './secret-parameters.ts';

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
