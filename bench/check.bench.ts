// Compares `assay check` with a bare loop that validates the same exchanges with ajv alone, and with a validator of
// OpenAPI traffic; also measures its memory, its time for many small files, and how long three short commands take.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { measureAssay, runPeer } from './process.ts';
import { compareWithPeer, measureInRounds, median } from './rounds.ts';
import { absoluteRow, type Row } from './rows.ts';
import { writeSmallHarFiles } from './small-files.ts';

const MIN_EXCHANGES = 100_000;
const CASSETTE = 'assay-report/cassette';
const SMALL_FILE_COUNT = 2_000;

export async function* rows(folder: string): AsyncGenerator<Row> {
  if (!existsSync(CASSETTE)) throw new Error(`${CASSETTE} does not exist: run npm start, which records it.`);
  const file = join(CASSETTE, 'cassette.jsonl');
  const reportOptions = ['--report', 'json', '--report-dir', folder];
  const singlePass: { readonly exchanges: number } = JSON.parse((await runBareCheck(file, 1)).output);
  const passes = Math.ceil(MIN_EXCHANGES / singlePass.exchanges);
  const total = passes * singlePass.exchanges;
  const cassettes = Array<string>(passes).fill(CASSETTE);
  const peaks: number[] = [];
  const measureCheck = async (): Promise<number> => {
    const { seconds, peak } = await measureAssay(['check', ...cassettes, ...reportOptions]);
    peaks.push(peak);
    return total / seconds;
  };
  const measureBareLoop = async (): Promise<number> => total / (await runBareCheck(file, passes)).seconds;
  const what = `check of ${total.toLocaleString('en')} exchanges`;
  const contenders = { 'assay check': measureCheck, 'bare loop with ajv': measureBareLoop };
  yield await compareWithPeer(what, 'exchanges/s', contenders, { goal: '>= 0.35', rounds: 4 });
  yield absoluteRow(`peak memory of the ${what}`, Math.max(...peaks), 'MB', '<= 250');
  const measureValidator = async () => total / (await runPeer('openapi-check', file, `${passes}`)).seconds;
  const validators = { 'assay check': measureCheck, 'openapi-response-validator': measureValidator };
  yield await compareWithPeer(what, 'exchanges/s', validators, { goal: null, rounds: 4 });
  const files = writeSmallHarFiles(join(folder, 'files'), SMALL_FILE_COUNT);
  const { seconds, peak } = await measureAssay(['check', ...files]);
  const checkOfFiles = `check of ${SMALL_FILE_COUNT.toLocaleString('en')} small files`;
  yield absoluteRow(checkOfFiles, seconds, 's', '<= 60');
  yield absoluteRow(`peak memory of the ${checkOfFiles}`, peak, 'MB', '<= 300');
  yield* await startRows(folder);
}

async function startRows(folder: string): Promise<Row[]> {
  const commands = [
    { what: 'start-up: assay --help', args: ['--help'], goal: '<= 0.15' },
    {
      what: 'start-up: assay check of 15 exchanges',
      args: ['check', 'cassettes/assistant-session', '--report-dir', folder],
      goal: '<= 0.5',
    },
    {
      what: 'start-up: assay list of one requirement',
      args: ['list', '--only', 'chat.stream.done-ends-stream'],
      goal: null,
    },
  ];
  const figures = await measureInRounds(
    Object.fromEntries(
      commands.map(({ what, args }) => [what, async () => (await measureAssay(args)).seconds] as const),
    ),
  );
  return commands.map(({ what, goal }, n) => absoluteRow(what, median(figures[n] ?? []), 's', goal));
}

const runBareCheck = (file: string, passes: number) => runPeer('bare-check', file, `${passes}`);
