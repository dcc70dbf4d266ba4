import type { IncomingMessage, ServerResponse } from 'node:http';

/** Ends a response early, so that the client has all that came and sees that there should be more. */
export function abortResponse(req: IncomingMessage, res: ServerResponse): void {
  const { socket } = res;
  if (socket === null) return;
  // Before HTTP/1.1 the end of a connection is the end of a body; only a reset tells that it is not.
  if (req.httpVersionMinor === 0) socket.resetAndDestroy();
  else socket.destroySoon();
}
