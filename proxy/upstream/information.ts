import type { IncomingMessage, InformationEvent, ServerResponse } from 'node:http';
import { unpassable } from './passable.ts';

/** Answers of this connection only: to `Expect`, which is answered elsewhere, and to an upgrade, which is never asked for here. */
const OF_ONE_CONNECTION = new Set([100, 101]);

/**
 * Passes an informational answer (102, 103, …) on, unless the client is one of HTTP/1.0, which knows none, or waits on the
 * same connection for another answer first. Cassettes have no place for them.
 */
export function passInformation(
  req: IncomingMessage,
  res: ServerResponse,
  { statusCode, statusMessage, rawHeaders }: InformationEvent,
): void {
  const { socket } = res;
  if (OF_ONE_CONNECTION.has(statusCode) || req.httpVersionMinor === 0) return;
  // Of the status it is known that it is 1xx.
  if (socket === null || res.headersSent || unpassable(200, statusMessage, rawHeaders.length / 2) !== null)
    return;
  const lines = [`HTTP/1.1 ${statusCode} ${statusMessage}\r\n`];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}\r\n`);
  socket.write(`${lines.join('')}\r\n`, 'latin1');
}
