import type { Server } from 'node:http';

/** Listens on a free port, prints the URL for `startServer`, and ends with the process. */
export function announce(server: Server): void {
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    console.log(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
  });
  process.on('SIGTERM', () => process.exit());
}
