// The whole suite against the embedded reference, compared with a bare client that sends the same requests with the same concurrency.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runToEnd, startServer } from './process.ts';
import { compareWithPeer, takeTurns } from './rounds.ts';
import type { Row } from './row.ts';

export async function rows(report: (row: Row) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-bench-'));
  try {
    const walls: number[] = [];
    const ours = async (): Promise<number> => {
      walls.push(
        (await runToEnd(['dist/cli/main.js', 'run', '--report', 'json', '--report-dir', folder])).seconds,
      );
      const measured: { readonly cost: { readonly seconds: number } } = JSON.parse(
        readFileSync(join(folder, 'report.json'), 'utf8'),
      );
      return measured.cost.seconds;
    };
    const row = await compareWithPeer(
      'the whole run, start-up left out',
      's',
      [
        { name: 'assay run', measure: ours },
        { name: 'bare undici client', measure: () => bare(join(folder, 'cassette')) },
      ],
      { goal: '<= 2.5' },
    );
    report(row);
    report({ what: 'the same', value: row.value, unit: 's', ratio: null, against: null, goal: '<= 8' });
    const [wall] = await takeTurns([{ name: 'wall', measure: async () => walls.shift() ?? Number.NaN }]);
    report({
      what: 'with start-up',
      value: wall?.median ?? Number.NaN,
      unit: 's',
      ratio: null,
      against: null,
      goal: null,
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Seconds of a bare client against a fresh service in a separate process. */
async function bare(cassette: string): Promise<number> {
  const service = await startServer(['dist/cli/main.js', 'serve']);
  try {
    const { output } = await runToEnd([
      '--import',
      'tsx',
      'bench/processes/bare-client.ts',
      cassette,
      service.url,
    ]);
    const measured: { readonly seconds: number } = JSON.parse(output);
    return measured.seconds;
  } finally {
    await service.stop();
  }
}
