// `assay check` compared with a bare loop over the same lines; its memory and start time.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runToEnd } from './process.ts';
import { compareWithPeer, takeTurns } from './rounds.ts';
import type { Row } from './row.ts';
import { writeSmallFiles } from './small-files.ts';

const EXCHANGES = 100_000;
const CASSETTE = 'assay-report/cassette';
const FILES = 2_000;

export async function rows(report: (row: Row) => void): Promise<void> {
  if (!existsSync(CASSETTE)) throw new Error(`${CASSETTE} is not there. Run npm start first.`);
  const file = join(CASSETTE, 'cassette.jsonl');
  const folder = mkdtempSync(join(tmpdir(), 'assay-bench-'));
  const check = (times: number) =>
    runToEnd(
      [
        'dist/cli/main.js',
        'check',
        ...Array<string>(times).fill(CASSETTE),
        '--report',
        'json',
        '--report-dir',
        folder,
      ],
      [0, 1, 2],
    );
  try {
    const once: { readonly exchanges: number } = JSON.parse((await bare(file, 1)).output);
    const times = Math.ceil(EXCHANGES / once.exchanges);
    const total = times * once.exchanges;
    const peaks: number[] = [];
    const ours = async (): Promise<number> => {
      const { seconds, peak } = await check(times);
      peaks.push(peak);
      return total / seconds;
    };
    const peer = async (): Promise<number> => total / (await bare(file, times)).seconds;
    report(
      await compareWithPeer(
        `check of ${total.toLocaleString('en')} exchanges`,
        'exchanges/s',
        [
          { name: 'assay check', measure: ours },
          { name: 'bare loop', measure: peer },
        ],
        { goal: '>= 0.35', rounds: 4 },
      ),
    );
    report({ ...ABSOLUTE, what: 'peak memory of it', value: Math.max(...peaks), unit: 'MB', goal: '<= 250' });
    const files = writeSmallFiles(join(folder, 'files'), FILES);
    const { seconds, peak } = await runToEnd(['dist/cli/main.js', 'check', ...files], [0, 1, 2]);
    const many = `${FILES.toLocaleString('en')} small files`;
    report({ ...ABSOLUTE, what: many, value: seconds, unit: 's', goal: '<= 60' });
    report({ ...ABSOLUTE, what: `peak memory of ${many}`, value: peak, unit: 'MB', goal: '<= 300' });
    for (const row of await starts(folder)) report(row);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const ABSOLUTE = { ratio: null, against: null };

/** Commands with little work, so that nearly all of their time is the start. */
async function starts(folder: string): Promise<Row[]> {
  const commands = [
    { what: 'start-up: assay --help', args: ['--help'], goal: '<= 0.15' },
    {
      what: 'start-up: assay check of 15 exchanges',
      args: ['check', 'cassettes/assistant-session', '--report-dir', folder],
      goal: '<= 0.5',
    },
    {
      what: 'start-up: assay list of one',
      args: ['list', '--only', 'chat.stream.done-ends-stream'],
      goal: null,
    },
  ];
  const measured = await takeTurns(
    commands.map(({ what, args }) => ({
      name: what,
      measure: async () => (await runToEnd(['dist/cli/main.js', ...args], [0, 1])).seconds,
    })),
  );
  return commands.map(({ what, goal }, n) => {
    const value = measured[n]?.median ?? Number.NaN;
    return { ...ABSOLUTE, what, value, unit: 's', goal };
  });
}

function bare(file: string, times: number): ReturnType<typeof runToEnd> {
  return runToEnd(['--import', 'tsx', 'bench/processes/bare-check.ts', file, `${times}`]);
}
