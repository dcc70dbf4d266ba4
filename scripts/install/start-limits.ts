// Limits the start times of an installation as ratios to the start of `node -e 0`, so that a slow machine does not
// fail. If that takes 0.045 s, the limits are 0.15 s for the help and 0.6 s for the first request of a run.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/** Maximum ratios to `node -e 0`. */
const MAX_RATIOS = { help: 3.3, 'first request': 13 } as const;
/** The median counts. A round measures everything once, so load affects all values alike. */
const ROUNDS = 7;

/** Rejects if a start time exceeds its limit. */
export async function checkStartLimits(project: string): Promise<void> {
  const main = join(project, 'node_modules/assay/dist/cli/main.js');
  const rounds: Record<keyof typeof MAX_RATIOS | 'node', number>[] = [];
  for (let i = 0; i < ROUNDS; i += 1)
    rounds.push({
      node: await timeToEnd(['-e', '0'], project),
      help: await timeToEnd([main, '--help'], project),
      'first request': await timeToFirstRequest(main, project),
    });
  const median = (name: keyof typeof MAX_RATIOS | 'node') =>
    rounds.map((round) => round[name]).toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
  const bare = median('node');
  const results = (Object.keys(MAX_RATIOS) as (keyof typeof MAX_RATIOS)[]).map((name) => {
    const milliseconds = median(name);
    return { name, ratio: milliseconds / bare, milliseconds };
  });
  const words = results.map(
    ({ name, ratio, milliseconds }) =>
      `${name} ${milliseconds.toFixed(0)} ms, ${ratio.toFixed(1)} × (at most ${MAX_RATIOS[name]})`,
  );
  console.log(`      node ${bare.toFixed(0)} ms, ${words.join(', ')}`);
  const slow = results.filter(({ name, ratio }) => ratio > MAX_RATIOS[name]).map(({ name }) => name);
  if (slow.length > 0)
    throw new Error(`Too slow to start: ${slow.join(', ')}. See the times and limits above.`);
}

function timeToEnd(args: readonly string[], cwd: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const child = spawn(process.execPath, args, { cwd, stdio: 'ignore' });
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0
        ? resolve(performance.now() - began)
        : reject(new Error(`node ${args.join(' ')} exited with code ${code}`)),
    );
  });
}

/** Milliseconds from the start of a run to its first request, after which it is killed. */
async function timeToFirstRequest(main: string, project: string): Promise<number> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // as: a TCP server that listens has one
  // A new report folder per round, as in a first run.
  const reports = mkdtempSync(join(project, 'start-'));
  const flags = ['--base-url', `http://127.0.0.1:${port}`, '--claim', 'models', '--report-dir', reports];
  const began = performance.now();
  const child = spawn(process.execPath, [main, 'run', ...flags], { cwd: project, stdio: 'ignore' });
  try {
    const arrived = once(server, 'request').then(() => performance.now());
    const exit = once(child, 'close').then(([code]) => {
      throw new Error(`assay run exited with code ${code} before its first request`);
    });
    return (await Promise.race([arrived, exit])) - began;
  } finally {
    child.kill('SIGKILL');
    server.closeAllConnections();
    server.close();
  }
}
