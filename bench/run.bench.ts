import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { measureAssay, measureThreads, runPeer, startAssay } from './process.ts';
import { compareWithPeer, median } from './rounds.ts';
import { absoluteRow, type Row } from './rows.ts';

export async function* rows(folder: string): AsyncGenerator<Row> {
  const wallTimes: number[] = [];
  const runSuite = async (): Promise<number> => {
    wallTimes.push((await measureAssay(['run', '--report', 'json', '--report-dir', folder], [0])).seconds);
    const report: { readonly cost: { readonly seconds: number } } = JSON.parse(
      readFileSync(join(folder, 'report.json'), 'utf8'),
    );
    return report.cost.seconds;
  };
  const contenders = { 'assay run': runSuite, 'bare undici client': () => runBare(join(folder, 'cassette')) };
  const what = 'the whole run without start-up';
  const row = await compareWithPeer(what, 's', contenders, { goal: '<= 2.5' });
  yield row;
  yield absoluteRow(`${what}, absolute`, row.value, 's', '<= 8');
  yield absoluteRow('the whole run with start-up', median(wallTimes.slice(1)), 's');
  yield* await threadRows(folder);
}

async function threadRows(folder: string): Promise<readonly Row[]> {
  const busy = Object.entries(await measureThreads(['run', '--report', 'json', '--report-dir', folder]));
  const total = busy.reduce((sum, [, seconds]) => sum + seconds, 0);
  return busy.map(([thread, seconds]) =>
    absoluteRow(`${thread} busy, ${Math.round((100 * seconds) / total)} % of all threads`, seconds, 's'),
  );
}

async function runBare(cassette: string): Promise<number> {
  const service = await startAssay(['serve']);
  const { output } = await runPeer('bare-client', cassette, service.url);
  await service.stop();
  const measured: { readonly seconds: number } = JSON.parse(output);
  return measured.seconds;
}
