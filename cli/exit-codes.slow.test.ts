import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Reference, serveReference } from '../reference/service.ts';
import { reportJson } from '../reports/report.ts';
import { sampleReport } from '../reports/testing/sample.ts';
import { startBreakingProxy } from './testing/breaking-proxy.ts';
import { type CommandResult, runAssay } from './testing/run-assay.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-codes-'));
const pathOf = (name: string) => join(folder, name);
const UNREACHABLE = 'http://127.0.0.1:1/v1';
let reference: Reference;
let brokenService: Awaited<ReturnType<typeof startBreakingProxy>>;

beforeAll(async () => {
  reference = await serveReference();
  brokenService = await startBreakingProxy(reference.url, [
    { operation: 'listModels', pointer: '/object', value: 'lst' },
  ]);
  const { report } = sampleReport('green');
  const requirements = report.requirements.map((requirement) => ({
    ...requirement,
    verdict: 'fail' as const,
  }));
  for (const [name, content] of Object.entries({ green: report, red: { ...report, requirements } })) {
    mkdirSync(pathOf(name));
    writeFileSync(join(pathOf(name), 'report.json'), reportJson(content));
  }
  mkdirSync(pathOf('other/cassette/of-a-player'), { recursive: true });
  writeFileSync(
    pathOf('known.json'),
    '{"format":1,"known":[{"id":"no.such","signatures":["x"],"reason":"y"}]}',
  );
  const creation = [
    { intent: 1, scenario: 'a', operation: 'createFile', tag: 'assay-0123456789-1' },
    { made: 1, id: 'file-x' },
  ];
  for (const [name, baseUrl] of Object.entries({ 'here.jsonl': reference.url, 'gone.jsonl': UNREACHABLE })) {
    const header = { ledger: 1, baseUrl, betaHeader: 'Vendor-Beta', tag: 'assay-0123456789' };
    writeFileSync(pathOf(name), [header, ...creation].map((line) => `${JSON.stringify(line)}\n`).join(''));
  }
});

afterAll(async () => {
  await brokenService.close();
  await reference.close();
  rmSync(folder, { recursive: true });
});

const exitCommand = (code: number) => ['--', process.execPath, '-e', `process.exit(${code})`];
const LIST_MODELS = [
  '--',
  process.execPath,
  '-e',
  "fetch(process.env.OPENAI_BASE_URL + '/models').then((one) => one.text())",
];
const MODELS_RUN = ['--claim', 'models', '--only', 'model*', '--report', 'json', '--report-dir'];

type CommandRow = readonly [code: number, line: string, rest?: readonly string[]];

/**
 * Command lines that produce files for the others, so they run first. `{}` is the folder, `{url}` the reference,
 * `{broken}` a faulty one.
 */
const PREPARATIONS: readonly CommandRow[] = [
  [0, 'run --base-url {url}', [...MODELS_RUN, pathOf('run')]],
  [1, 'run --base-url {broken}', [...MODELS_RUN, pathOf('run-red')]],
  [2, `run --base-url ${UNREACHABLE}`, [...MODELS_RUN, pathOf('unreachable')]],
  [0, 'har cassettes/assistant-session --out {}/session.har'],
];
const results = new Map<CommandRow, CommandResult>();

for (const row of PREPARATIONS)
  beforeAll(async () => {
    results.set(row, await runRow(row));
  });

const COMMANDS: readonly CommandRow[] = [
  [0, '--version'],
  [0, '-v'],
  [0, '--help'],
  [0, 'help run'],
  [2, 'help frob'],
  [2, ''],
  [2, 'rnu'],
  [0, 'run --base-url {url} --claim models --dry-run'],
  [0, 'run --base-url {broken} --fail-on never', [...MODELS_RUN, pathOf('never')]],
  [2, 'run --no-such-flag'],
  [0, 'check {}/run/cassette'],
  [1, 'check {}/run-red/cassette'],
  [1, 'check {}/run/cassette --baseline {}/known.json'],
  [2, 'check {}/unreachable/cassette'],
  [2, 'check {}/none'],
  [0, 'record --base-url {url} --cassette {}/tape-0', LIST_MODELS],
  [2, 'record --base-url {url} --cassette {}/unused', exitCommand(0)],
  [3, 'record --base-url {url} --cassette {}/tape-3', exitCommand(3)],
  [2, 'record --base-url nowhere --cassette {}/tape'],
  [2, 'record --base-url {url} --cassette {}/known.json/tape', exitCommand(0)],
  [2, 'record --base-url {url} --cassette {}/known.json', exitCommand(0)],
  [2, 'record --base-url {url} --cassette {}/green', exitCommand(0)],
  [2, 'run --base-url {url} --report-dir {}/other --claim models'],
  [0, 'watch --base-url {url} --claim models --report-dir {}/watched-0', LIST_MODELS],
  [1, 'watch --base-url {broken} --claim models --report-dir {}/watched-1', LIST_MODELS],
  [2, 'watch --base-url {url} --report-dir {}/watched-2', exitCommand(0)],
  [3, 'watch --base-url {url} --report-dir {}/watched-3', exitCommand(3)],
  [2, 'watch --base-url {url} --report-dir {}/known.json', exitCommand(0)],
  [0, 'replay {}/run/cassette --no-strict', LIST_MODELS],
  [1, 'replay cassettes/assistant-session --strict', LIST_MODELS],
  [2, 'replay cassettes/assistant-session --strict', exitCommand(0)],
  [3, 'replay cassettes/assistant-session --strict', exitCommand(3)],
  [2, 'replay {}/none'],
  [0, 'verify {}/run/cassette --base-url {url}'],
  [1, 'verify {}/run/cassette --base-url {url}/beside'],
  [2, `verify {}/run/cassette --base-url ${UNREACHABLE}`],
  [2, 'verify {}/none --base-url {url}'],
  [0, 'scan cassettes/assistant-session'],
  [1, 'scan cassettes/assistant-session --secret-env ASSAY_TEST_WORDS'],
  [2, 'scan {}/none'],
  [0, 'har {}/session.har --out {}/again'],
  [2, 'har {}/none --out {}/none.har'],
  [2, 'har {}/known.json --out {}/again'],
  [0, 'list --family chat'],
  [2, 'list --family chta'],
  [0, 'explain file:bytes#type --no-example'],
  [2, 'explain no.such'],
  [0, 'compare {}/green {}/green'],
  [1, 'compare {}/green {}/red'],
  [2, 'compare {}/green {}/none'],
  [0, 'matrix {}/green {}/red'],
  [2, 'matrix {}/none'],
  [0, 'serve', exitCommand(0)],
  [3, 'serve', exitCommand(3)],
  [2, 'serve --port no'],
  [2, 'cleanup --ledger {}/here.jsonl'],
  [2, 'cleanup --ledger {}/here.jsonl --base-url http://127.0.0.1:9/v1'],
  [0, 'cleanup --ledger {}/here.jsonl --base-url {url}'],
  [1, `cleanup --ledger {}/gone.jsonl --base-url ${UNREACHABLE}`],
  [2, 'cleanup --ledger {}/none'],
];

function runRow([, line, rest = []]: CommandRow): Promise<CommandResult> {
  const words = line.split(' ').filter((word) => word !== '');
  const filled = words.map((word) =>
    word.replace('{url}', reference.url).replace('{broken}', brokenService.url).replace('{}', folder),
  );
  return runAssay([...filled, ...rest], { env: { ASSAY_TEST_WORDS: 'assistants=v2' } });
}

test.for([...PREPARATIONS, ...COMMANDS])('exit code %i: assay %s', async (row) => {
  const result = results.get(row) ?? (await runRow(row));
  expect(result.code, result.stderr + result.stdout).toBe(row[0]);
  expect(result.stderr).not.toMatch(/^\s+at .*:\d+:\d+|defect of/m);
});
