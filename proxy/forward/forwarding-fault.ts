import type { ServerResponse } from 'node:http';
import { tlsErrorMessage } from '../../exchange/http/tls-error.ts';
import { errorCode } from '../../schemas/error-message.ts';
import { sendProxyError } from '../http/proxy-error.ts';
import { isReset, resetConnection } from '../http/response.ts';

export class UpstreamTimeout extends Error {
  override readonly name = 'UpstreamTimeout';
}

export interface ForwardingFault {
  readonly code: 'upstream_timeout' | 'upstream_reset' | 'upstream_invalid' | 'upstream_unreachable';
  readonly detail: string;
  readonly message: string;
}

export function faultOf(error: Error): ForwardingFault {
  const { message } = error;
  const code = errorCode(error);
  if (error instanceof UpstreamTimeout)
    return { code: 'upstream_timeout', detail: message, message: `The upstream did not answer: ${message}.` };
  const tls = tlsErrorMessage(error);
  const detail = tls ?? code ?? message;
  if (tls === null && isReset(code))
    return { code: 'upstream_reset', detail, message: `The upstream closed the connection: ${message}.` };
  if (code?.startsWith('HPE_') === true)
    return {
      code: 'upstream_invalid',
      detail,
      message: `The upstream sent an invalid HTTP response: ${message} (${code}).`,
    };
  return {
    code: 'upstream_unreachable',
    detail,
    message: `The upstream cannot be reached: ${tls ?? message}.`,
  };
}

/** Reports a fault before the response has begun: a reset as a reset if possible, anything else as a proxy error. */
export function reportFault(res: ServerResponse, { code, message }: ForwardingFault): void {
  if (code === 'upstream_reset' && resetConnection(res)) return;
  sendProxyError(res, { status: statusOfFault(code), code, message });
}

export function statusOfFault(code: ForwardingFault['code']): 502 | 504 {
  return code === 'upstream_timeout' ? 504 : 502;
}
