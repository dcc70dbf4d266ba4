// Memory and rate of check, replay, record and watch by the length of traffic, of which no two exchanges are equal; and of
// judging it in parts.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordDistinct } from './distinct.ts';
import { runToEnd } from './process.ts';
import type { Row } from './row.ts';
import { rowsOfServers } from './servers-by-length.ts';

/** The longest one takes some minutes, and a gigabyte of disk per 200,000 exchanges. */
const LENGTHS = [10_000, 100_000, ...(process.env['ASSAY_BENCH_LONG'] === '1' ? [1_000_000] : [])];
const PARTS = 4;
const ABSOLUTE = { ratio: null, against: null, goal: null };

export async function rows(report: (row: Row) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-scale-'));
  try {
    for (const length of LENGTHS) await rowsOfLength(folder, length, report);
    await rowsOfParts(folder, report);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** One cassette of `count` exchanges, judged as a whole. */
async function rowsOfLength(folder: string, length: number, report: (row: Row) => void): Promise<void> {
  const cassette = join(folder, `${length}`);
  await recordDistinct(cassette, length);
  const { seconds, peak } = await check(cassette, '--report', 'json', '--report-dir', join(folder, 'report'));
  const what = `check of ${length.toLocaleString('en')} distinct exchanges`;
  report({ ...ABSOLUTE, what, value: length / seconds, unit: 'exchanges/s' });
  report({ ...ABSOLUTE, what: 'peak memory of it', value: peak, unit: 'MB' });
  const shared = await check(
    cassette,
    '--jobs',
    '2',
    '--report',
    'json',
    '--report-dir',
    join(folder, 'report'),
  );
  const ratio = seconds / shared.seconds;
  // A second thread pays off only for many exchanges, because of its start.
  const goal = length >= 1_000_000 ? '>= 1.6' : null;
  report({
    what: 'the same with --jobs 2',
    value: length / shared.seconds,
    unit: 'exchanges/s',
    ratio,
    against: 'one job',
    goal,
  });
  report({ ...ABSOLUTE, what: 'peak memory of it', value: shared.peak, unit: 'MB' });
  await rowsOfServers({ folder, cassette, count: length }, report);
  rmSync(cassette, { recursive: true });
}

/** Cassettes that are judged separately, and merged. */
async function rowsOfParts(folder: string, report: (row: Row) => void): Promise<void> {
  const length = 10_000;
  const cassette = join(folder, 'part');
  await recordDistinct(cassette, length);
  const files = Array.from({ length: PARTS }, (_, n) => join(folder, `part-${n}.json`));
  for (const [n, file] of files.entries())
    await check(cassette, '--partial', file, '--before', `${n * length}`);
  const size = Math.max(...files.map((file) => statSync(file).size)) / 1e6;
  report({ ...ABSOLUTE, what: 'partial verdict of 10,000 exchanges', value: size, unit: 'MB' });
  const merged = await runToEnd(['dist/cli/main.js', 'merge', ...files], [0, 1, 2]);
  report({ ...ABSOLUTE, what: `merge of ${PARTS} partial verdicts`, value: merged.seconds, unit: 's' });
  report({ ...ABSOLUTE, what: 'peak memory of it', value: merged.peak, unit: 'MB' });
}

function check(cassette: string, ...flags: readonly string[]): ReturnType<typeof runToEnd> {
  return runToEnd(['dist/cli/main.js', 'check', cassette, ...flags], [0, 1, 2]);
}
