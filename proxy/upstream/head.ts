import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorCode } from '../../schemas/error-message.ts';
import { unchunked } from './upstream-headers.ts';

/** The head of a response as it is sent to a client. */
export interface Head {
  readonly status: number;
  readonly reason: string;
  /** Name, value, name, value. */
  readonly fields: string[];
}

/** Writes a response head, without chunking fields where the client or node does not accept them. Throws where it is not valid HTTP. */
export function writeHead(req: IncomingMessage, res: ServerResponse, { status, reason, fields }: Head): void {
  if (req.httpVersionMinor === 0) {
    res.writeHead(status, reason, unchunked(fields));
    return;
  }
  try {
    res.writeHead(status, reason, fields);
  } catch (error) {
    // Node does not announce trailers for a response that cannot have any.
    if (!isTrailerFault(error)) throw error;
    res.writeHead(status, reason, unchunked(fields));
  }
}

function isTrailerFault(error: unknown): boolean {
  return errorCode(error) === 'ERR_HTTP_TRAILER_INVALID';
}
