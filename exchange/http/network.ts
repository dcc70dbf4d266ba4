/** Whether a host name is loopback on every machine (RFC 6761 and 127.0.0.0/8). IPv6 addresses are in brackets, as in URLs. */
export function isLoopback(name: string): boolean {
  return (
    name === 'localhost' || name === '[::1]' || name.endsWith('.localhost') || /^127(?:\.\d+){3}$/.test(name)
  );
}

/** The proxy that the environment names for a URL, and the variable; null if it names none. Loopback is always reached directly. */
export function proxyFor(
  target: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): { readonly variable: string; readonly url: string } | null {
  const { protocol, hostname, host } = new URL(target);
  if (isLoopback(hostname)) return null;
  const variableOf = (name: string) =>
    [name.toLowerCase(), name].find((one) => (env[one] ?? '').trim() !== '') ?? null;
  const variable = variableOf(protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY');
  if (variable === null) return null;
  const exceptions = (env[variableOf('NO_PROXY') ?? ''] ?? '').split(/[\s,]+/).filter((one) => one !== '');
  const isDirect = exceptions.some((exception) => {
    const name = exception.replace(/^\*?\./, '');
    return exception === '*' || [hostname, host].includes(name) || hostname.endsWith(`.${name}`);
  });
  if (isDirect) return null;
  const named = (env[variable] ?? '').trim();
  const url = /^\w+:\/\//.test(named) ? named : `http://${named}`;
  if (!isProxyUrl(url))
    throw new InvalidProxy(
      `${variable} names no proxy that can be used: give it as http://HOST:PORT, or unset it.`,
    );
  return { variable, url };
}

/** The message omits the value, because it may contain a password. */
class InvalidProxy extends Error {
  override readonly name = 'InvalidProxy';
}

function isProxyUrl(url: string): boolean {
  try {
    decodeURIComponent(url);
    return ['http:', 'https:'].includes(new URL(url).protocol);
  } catch {
    return false;
  }
}

const TRUST_ADVICE = 'to trust it, set NODE_EXTRA_CA_CERTS to the file of its CA certificate';
const UNTRUSTED = `its certificate is from an authority that is not trusted here; ${TRUST_ADVICE}`;
const NO_TLS = 'it does not speak TLS there; if it is plain HTTP, the URL begins with http://';

const TLS_FAULTS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: `its certificate is self-signed; ${TRUST_ADVICE}`,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `its certificate is from an authority that is not trusted here, or it sends only a part of the chain; ${TRUST_ADVICE}`,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet; or the clock here is wrong',
  CERT_REVOKED: 'its certificate was revoked',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
};

/**
 * Why no TLS connection was established, with the error code; null for other errors. Messages of OpenSSL are not
 * used, because they contain memory addresses.
 */
export function tlsErrorMessage(error: Error): string | null {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined) return null;
  const fault = code === 'EPROTO' ? codeFromOpenSsl(message) : code;
  const explanation = TLS_FAULTS[fault];
  if (explanation !== undefined) {
    const names =
      fault === 'ERR_TLS_CERT_ALTNAME_INVALID' ? /altnames: (.*)$/s.exec(message)?.[1] : undefined;
    return `${explanation}${names === undefined ? '' : `: ${names.trim()}`} (${fault})`;
  }
  if (/secure TLS connection/.test(message)) return `it closed before TLS was established (${code})`;
  return /^(?:ERR_SSL_|EPROTO$)/.test(fault) ? `TLS fails with it (${fault})` : null;
}

/** Derives a code from an OpenSSL message: `…:SSL routines:…:wrong version number:…`. */
function codeFromOpenSsl(message: string): string {
  const reason = /SSL routines:[^:]*:([^:]+):/.exec(message)?.[1];
  return reason === undefined ? 'EPROTO' : `ERR_SSL_${reason.trim().toUpperCase().replaceAll(/\W+/g, '_')}`;
}
