import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { recordDistinctRequests } from './distinct-requests.ts';
import { measureAssay, runPeer, startAssay, startPeer } from './process.ts';
import { absoluteRow, formatFigure, type Row } from './rows.ts';

/** Exchanges per cassette. A million take several minutes and five gigabytes of disk space. */
const COUNTS = [10_000, 100_000, ...(process.env['ASSAY_BENCH_LONG'] === '1' ? [1_000_000] : [])];
const PARTS = 4;

export async function* rows(folder: string): AsyncGenerator<Row> {
  for (const count of COUNTS) yield* rowsForCount(folder, count);
  yield* partialRows(folder);
}

async function* rowsForCount(folder: string, count: number): AsyncGenerator<Row> {
  const cassette = join(folder, `${count}`);
  await recordDistinctRequests(cassette, count);
  const command = ['check', cassette, '--report', 'json', '--report-dir', join(folder, 'report')];
  const { seconds, peak } = await measureAssay(command);
  const what = `check of ${count.toLocaleString('en')} distinct exchanges`;
  yield absoluteRow(what, count / seconds, 'exchanges/s');
  yield absoluteRow(`peak memory of ${what}`, peak, 'MB');
  const shared = await measureAssay([...command, '--jobs', '2']);
  const ratio = seconds / shared.seconds;
  // A second thread pays off only for many exchanges, because it takes time to start.
  const goal = count >= 1_000_000 ? '>= 1.6' : null;
  const twoJobs = absoluteRow(`${what} with --jobs 2`, count / shared.seconds, 'exchanges/s', goal);
  yield { ...twoJobs, ratio, against: `one job ${formatFigure(count / seconds)} exchanges/s` };
  yield absoluteRow(`peak memory of ${what} with --jobs 2`, shared.peak, 'MB');
  yield* serverRows(folder, cassette, count);
  rmSync(cassette, { recursive: true });
}

async function* partialRows(folder: string): AsyncGenerator<Row> {
  const count = 10_000;
  const cassette = join(folder, 'part');
  await recordDistinctRequests(cassette, count);
  const files = Array.from({ length: PARTS }, (_, n) => join(folder, `part-${n}.json`));
  for (const [n, file] of files.entries())
    await measureAssay(['check', cassette, '--partial', file, '--before', `${n * count}`]);
  const size = Math.max(...files.map((file) => statSync(file).size)) / 1e6;
  yield absoluteRow(`partial verdict of ${count.toLocaleString('en')} exchanges`, size, 'MB');
  const merged = await measureAssay(['merge', ...files]);
  yield absoluteRow(`merge of ${PARTS} partial verdicts`, merged.seconds, 's');
  yield absoluteRow(`peak memory of merge of ${PARTS} partial verdicts`, merged.peak, 'MB');
}

async function* serverRows(folder: string, cassette: string, count: number): AsyncGenerator<Row> {
  const upstream = await startPeer('distinct-upstream');
  const folderOf = (command: string) => join(folder, `${command}-${count}`);
  const proxyFlags = ['--base-url', `${upstream.url}/v1`];
  const commands = {
    replay: [cassette, '--no-strict'],
    record: [...proxyFlags, '--cassette', folderOf('record')],
    watch: [...proxyFlags, '--report-dir', folderOf('watch'), '--report', 'json', '--max-disk', '8192'],
  };
  for (const [command, flags] of Object.entries(commands)) {
    const { cpu, peak } = await measureServer([command, ...flags], count);
    const what = `${command} of ${count.toLocaleString('en')} distinct exchanges`;
    yield absoluteRow(`${what}, CPU per exchange`, cpu, 'µs');
    yield absoluteRow(`peak memory of ${what}`, peak, 'MB');
  }
  await upstream.stop();
}

/** Measures a server that gets each request once: CPU microseconds per exchange, without the start, and peak MiB. */
async function measureServer(command: readonly string[], count: number) {
  const server = await startAssay(command, { quiet: true });
  const before = server.cpu();
  await runPeer('distinct-load', server.url, `${count}`);
  return { cpu: (server.cpu() - before) / count, peak: await server.stop() };
}
