import type { IncomingMessage, InformationEvent, ServerResponse } from 'node:http';
import { unpassable } from './passable.ts';

/** Responses that concern one connection: to `Expect`, which is handled separately, and to an upgrade, which is not requested. */
const OF_ONE_CONNECTION = new Set([100, 101]);

/**
 * Forwards an informational response (102, 103, …), unless the client uses HTTP/1.0, which does not know them, or a pipelined
 * request before it still occupies the connection. Cassettes do not store them.
 */
export function passInformation(
  req: IncomingMessage,
  res: ServerResponse,
  { statusCode, statusMessage, rawHeaders }: InformationEvent,
): void {
  const { socket } = res;
  if (OF_ONE_CONNECTION.has(statusCode) || req.httpVersionMinor === 0) return;
  // The status is known to be 1xx; 200 stands in for it, so that the reason phrase and the fields are checked.
  if (socket === null || res.headersSent || unpassable(200, statusMessage, rawHeaders.length / 2) !== null)
    return;
  const lines = [`HTTP/1.1 ${statusCode} ${statusMessage}\r\n`];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}\r\n`);
  socket.write(`${lines.join('')}\r\n`, 'latin1');
}
