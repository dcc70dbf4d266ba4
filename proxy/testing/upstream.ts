import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Server as NetServer } from 'node:net';

export interface TestUpstream {
  readonly url: string;
  readonly server: Server;
  close(): Promise<void>;
}

export async function startUpstream(
  handler: (req: IncomingMessage, res: ServerResponse) => void,
): Promise<TestUpstream> {
  const server = createServer(handler);
  // Idle connections stay open: closing one could hit a client that is about to use it.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${portOf(server)}/v1`,
    server,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function portOf(server: NetServer): number {
  // as: a server that listens on a port has an address of this form
  return (server.address() as AddressInfo).port;
}

export async function requestBodyOf(req: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of req) pieces.push(piece as Buffer); // as: no encoding is set
  return Buffer.concat(pieces);
}
