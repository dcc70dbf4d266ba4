import { once } from 'node:events';
import { createConnection } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/** Waits until a port accepts connections. Rejects after a minute. */
export async function waitForPort(port: number): Promise<void> {
  for (let n = 0; n < 600; n++) {
    const socket = createConnection(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await setTimeout(100);
  }
  throw new Error(`Nothing listens on port ${port} after a minute. See the output of the server.`);
}
