// Memory and CPU time of replay, record and watch as traffic grows; all exchanges are distinct.
import { join } from 'node:path';
import { runToEnd, startServer } from './process.ts';
import type { Row } from './row.ts';

const ABSOLUTE = { ratio: null, against: null, goal: null };

/** One length of traffic: `cassette` contains `count` exchanges. */
interface Length {
  readonly folder: string;
  readonly cassette: string;
  readonly count: number;
}

/** Two rows per command, which answers each request once. */
export async function rowsOfServers(
  { folder, cassette, count }: Length,
  report: (row: Row) => void,
): Promise<void> {
  const upstream = await startServer(['--import', 'tsx', 'bench/processes/distinct-upstream.ts']);
  const recorded = (name: string) => join(folder, `${name}-${count}`);
  const proxied = ['--base-url', `${upstream.url}/v1`];
  const commands = {
    replay: [cassette, '--no-strict'],
    record: [...proxied, '--cassette', recorded('record')],
    watch: [...proxied, '--report-dir', recorded('watch'), '--report', 'json', '--max-disk', '8192'],
  };
  try {
    for (const [command, flags] of Object.entries(commands)) {
      const { cpu, peak } = await answered([command, ...flags], count);
      const what = `${command} of ${count.toLocaleString('en')} distinct exchanges, CPU per exchange`;
      report({ ...ABSOLUTE, what, value: cpu, unit: 'µs' });
      report({ ...ABSOLUTE, what: 'peak memory of it', value: peak, unit: 'MB' });
    }
  } finally {
    await upstream.stop();
  }
}

/** CPU time in microseconds per exchange, without the start, and peak memory in MB of a server that answers each request once. */
async function answered(
  command: readonly string[],
  count: number,
): Promise<{ readonly cpu: number; readonly peak: number }> {
  const server = await startServer(['dist/cli/main.js', ...command], { quiet: true });
  try {
    const before = server.cpu();
    await runToEnd(['--import', 'tsx', 'bench/processes/distinct-load.ts', server.url, `${count}`]);
    return { cpu: (server.cpu() - before) / count, peak: server.peak() };
  } finally {
    await server.stop();
  }
}
