import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('mortal-server-process.mjs', import.meta.url));

export interface MortalServer {
  readonly url: string;
  /** The body of the request at each crash. */
  readonly deadlyBodies: readonly string[];
  close(): Promise<void>;
}

/** Starts a server process that crashes on certain requests, and restarts it on the same port each time. */
export async function superviseMortalServer(): Promise<MortalServer> {
  const deadlyBodies: string[] = [];
  let isClosing = false;
  let child: ChildProcess;
  let port = 0;
  const start = async (): Promise<void> => {
    const serverProcess = spawn(process.execPath, [PROGRAM, String(port)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = serverProcess;
    createInterface({ input: serverProcess.stderr }).on('line', (line) => deadlyBodies.push(line));
    serverProcess.once('exit', () => {
      if (!isClosing) void start();
    });
    const [line] = await once(createInterface({ input: serverProcess.stdout }), 'line');
    port = Number(line);
  };
  await start();
  return {
    url: `http://127.0.0.1:${port}/v1`,
    deadlyBodies,
    close: async () => {
      isClosing = true;
      const exit = once(child, 'exit');
      child.kill();
      await exit;
    },
  };
}
