import type { HeaderPairs } from '../exchange.ts';
import { firstHeader, isToken } from '../http/headers.ts';
import { isSearchedInBodies } from './alias.ts';
import { credentialTexts, headerClass } from './header-fields.ts';

/** The message contains no value, and no invalid name, in whose place a user may have written a secret. */
export class InvalidHeader extends Error {
  override readonly name = 'InvalidHeader';
}

/**
 * Returns the header fields to add to each request: those that the user configured, and the key, if any, as a bearer
 * token unless one of them is `Authorization`. Throws InvalidHeader.
 */
export function addedHeaders(key: string | null, headers: HeaderPairs): HeaderPairs {
  const bearer: HeaderPairs = key === null ? [] : [['Authorization', `Bearer ${key}`]];
  for (const [name, value] of [...headers, ...bearer]) {
    if (!isToken(name))
      throw new InvalidHeader(
        'The name of a header field is invalid (not shown, as it may be secret); write one such as X-Tenant.',
      );
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
      throw new InvalidHeader(`The value of ${name} contains characters that no header field may contain.`);
  }
  return firstHeader(headers, 'authorization') === null ? [...headers, ...bearer] : headers;
}

/**
 * The secrets in header fields that the user configured: their values, and each credential in them. Safe and volatile
 * fields and the beta header hold none. Values that `isSearchedInBodies` excludes are masked only in their field.
 */
export function secretsInHeaders(headers: HeaderPairs, betaHeader = ''): readonly string[] {
  const secrets = headers
    .filter(([name]) => isSecret(name.toLowerCase(), betaHeader.toLowerCase()))
    .flatMap(([, value]) => [value, ...credentialTexts(value)]);
  return [...new Set(secrets.filter(isSearchedInBodies))];
}

function isSecret(name: string, betaHeader: string): boolean {
  const kind = headerClass(name);
  return name !== betaHeader && kind !== 'safe' && kind !== 'volatile';
}
