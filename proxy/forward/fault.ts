import type { ServerResponse } from 'node:http';
import { tlsErrorMessage } from '../../exchange/http/tls-error.ts';
import { sendProxyError } from './proxy-error.ts';

/** The upstream was silent for too long. */
export class UpstreamTimeout extends Error {
  override readonly name = 'UpstreamTimeout';
}

/** Why an upstream gave no whole answer. */
export interface ForwardingFault {
  readonly code: 'upstream_timeout' | 'upstream_reset' | 'upstream_invalid' | 'upstream_unreachable';
  /** For the record: the error's code, or why TLS failed. */
  readonly detail: string;
  /** For the client. */
  readonly message: string;
}

/** `code`: that of the error, where it has one. */
export function faultOf(error: Error, code: string | null): ForwardingFault {
  const { message } = error;
  if (error instanceof UpstreamTimeout)
    return { code: 'upstream_timeout', detail: message, message: `The upstream did not answer: ${message}.` };
  const tls = tlsErrorMessage(error);
  const detail = tls ?? code ?? message;
  if (tls === null && isReset(code))
    return { code: 'upstream_reset', detail, message: `The upstream broke off: ${message}.` };
  if (code?.startsWith('HPE_') === true)
    return {
      code: 'upstream_invalid',
      detail,
      message: `The upstream answered, but not as HTTP allows: ${message} (${code}).`,
    };
  return {
    code: 'upstream_unreachable',
    detail,
    message: `The upstream cannot be reached: ${tls ?? message}.`,
  };
}

/** Whether an upstream that was reached broke off: so it was recorded, and so it is replayed. */
export function isReset(detail: string | null): boolean {
  return detail === 'ECONNRESET' || detail === 'EPIPE';
}

/** Gives a client that has seen nothing of an answer what became of it: a reset as a reset, all else as an answer of ours. */
export function refuseFault(res: ServerResponse, { code, message }: ForwardingFault): void {
  if (code === 'upstream_reset' && reset(res)) return;
  sendProxyError(res, code === 'upstream_timeout' ? 504 : 502, code, message);
}

/** Resets the connection of a response; false where it has none yet, as others come before it on the same connection. */
export function reset(res: ServerResponse): boolean {
  if (res.socket === null) return false;
  res.socket.resetAndDestroy();
  return true;
}
