import { credentialTexts, type HeaderClass, holdsCredential } from './header-fields.ts';
import { USER_INFO } from './secret-names.ts';
import { decodePercent } from './url-parameter.ts';

interface HeaderSecrets {
  readonly certain: readonly string[];
  /** Possible secrets, which may be new in each response: only a limited number is searched for. */
  readonly likely: readonly string[];
}

export function headerSecrets(name: string, kind: HeaderClass, value: string): HeaderSecrets {
  if (kind !== 'safe' && holdsCredential(name, value)) return { certain: credentialTexts(value), likely: [] };
  if (name === 'cookie') return { certain: value.split(';').flatMap(cookieValue), likely: [] };
  if (name === 'set-cookie') return { certain: [], likely: cookieValue(value.split(';')[0] ?? '') };
  return { certain: kind === 'url' ? userInfo(value) : [], likely: [] };
}

function cookieValue(pair: string): string[] {
  const equals = pair.indexOf('=');
  const value = pair.slice(equals + 1).trim();
  return equals === -1 ? [] : [decodePercent(value.replaceAll(/^"|"$/g, ''))];
}

/** User names and passwords of URLs; a user name without a password is a token. */
function userInfo(value: string): string[] {
  return [...value.matchAll(USER_INFO)].flatMap(([, , info = '']) =>
    info.split(/:(.*)/, 2).map(decodePercent),
  );
}
