const TRUST_ADVICE = 'to trust it, set NODE_EXTRA_CA_CERTS to the file of its CA certificate';
const UNTRUSTED = `its certificate is from an authority that is not trusted here; ${TRUST_ADVICE}`;
const NO_TLS = 'it does not speak TLS there; if it is plain HTTP, use a URL that begins with http://';

const TLS_FAULTS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: `its certificate is self-signed; ${TRUST_ADVICE}`,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `its certificate is from an authority that is not trusted here, or it sends only a part of the chain; ${TRUST_ADVICE}`,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet, or the clock here is wrong',
  CERT_REVOKED: 'its certificate was revoked',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
};

/** Null for an error not known to come from TLS. Messages of OpenSSL are not used: they contain memory addresses. */
export function tlsErrorMessage(error: Error): string | null {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined) return null;
  const fault = code === 'EPROTO' ? codeFromOpenSsl(message) : code;
  const explanation = TLS_FAULTS[fault];
  if (explanation !== undefined) {
    const detail =
      fault === 'ERR_TLS_CERT_ALTNAME_INVALID' ? /altnames: (.*)$/s.exec(message)?.[1] : undefined;
    return `${explanation}${detail === undefined ? '' : `: ${detail.trim()}`} (${fault})`;
  }
  if (/secure TLS connection/.test(message)) return `it closed before TLS was established (${code})`;
  return /^(?:ERR_SSL_|EPROTO$)/.test(fault) ? `no TLS connection could be established (${fault})` : null;
}

function codeFromOpenSsl(message: string): string {
  const reason = /SSL routines:[^:]*:([^:]+):/.exec(message)?.[1];
  return reason === undefined ? 'EPROTO' : `ERR_SSL_${reason.trim().toUpperCase().replaceAll(/\W+/g, '_')}`;
}
