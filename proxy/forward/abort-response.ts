import type { IncomingMessage, ServerResponse } from 'node:http';

/** Ends a response early: the client gets all bytes that arrived, and can see that the body is incomplete. */
export function abortResponse(req: IncomingMessage, res: ServerResponse): void {
  const { socket } = res;
  if (socket === null) return;
  // Before HTTP/1.1 the end of a connection is the end of a body; only a reset shows that the body is incomplete.
  if (req.httpVersionMinor === 0) socket.resetAndDestroy();
  else socket.destroySoon();
}
