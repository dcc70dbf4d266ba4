// Helpers for scripts that do work two at a time, or wait for a server.
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/** Does work on all items, two at a time, in the order of the list. */
export async function inPairs<T>(all: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  const left = [...all];
  // A shared list, so that slow work does not delay the rest.
  const worker = async (): Promise<void> => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await act(one);
  };
  await Promise.all([worker(), worker()]);
}

/** Waits until a port accepts connections, for at most a minute. Throws an Error after that. */
export async function waitForPort(port: number): Promise<void> {
  for (let n = 0; n < 600; n++) {
    const socket = createConnection(port, '127.0.0.1');
    const isUp = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isUp) return;
    await setTimeout(100);
  }
  throw new Error(`Nothing listens on port ${port}.`);
}
