import { type AddressInfo, createServer } from 'node:net';

/** Finds a port for a program that does not report the one it listens on; another process may take it first. */
export async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // as: a listening TCP server has a port
  await new Promise((resolve) => server.close(resolve));
  return port;
}
