// Errors of a connection to the target, as undici reports them: whether the target was there, and the words for people.
import { tlsErrorMessage } from '../../exchange/http/network.ts';
import { errorCode } from '../../schemas/error-message.ts';

/**
 * Errors after which no byte has reached a server: the target is not there, in contrast to one that dropped a
 * call.
 */
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Whether the target could not be reached. Node reports one error for each address that a name resolves to. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isUnreachable);
  const code = errorCode(error);
  return code !== null && UNREACHABLE.has(code);
}

/** The message of an error of the connection, with its code, for the detail of an ending. */
export function connectionErrorMessage(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0)
    return connectionErrorMessage(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  const fault = tlsErrorMessage(error);
  if (fault !== null) return fault;
  const code = errorCode(error);
  return code === null || error.message.includes(code) ? error.message : `${code}: ${error.message}`;
}
