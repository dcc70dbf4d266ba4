import type { IncomingMessage, ServerResponse } from 'node:http';
import { unchunked } from './upstream-headers.ts';

/** The head of an answer as it goes to a client. */
export interface Head {
  readonly status: number;
  readonly reason: string;
  /** Name, value, name, value. */
  readonly fields: string[];
}

/** Writes the head of an answer, as it is where the client and node can take it. Throws where no head of HTTP is made of it. */
export function writeHead(req: IncomingMessage, res: ServerResponse, { status, reason, fields }: Head): void {
  if (req.httpVersionMinor === 0) {
    res.writeHead(status, reason, unchunked(fields));
    return;
  }
  try {
    res.writeHead(status, reason, fields);
  } catch (error) {
    // Node sends no announcement of trailers that cannot come.
    if (!isTrailerFault(error)) throw error;
    res.writeHead(status, reason, unchunked(fields));
  }
}

function isTrailerFault(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_HTTP_TRAILER_INVALID';
}
