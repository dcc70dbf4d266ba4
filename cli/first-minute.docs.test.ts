import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startReference } from '../pipeline/faulty-reference/faulty-reference.ts';
import type { Reference } from '../reference/service.ts';
import { launchAssay, runAssay } from './testing/run-assay.ts';
import { startSmallService } from './testing/small-service.ts';

/** The requirement that the reference breaks; also the name of its fault. */
const BROKEN = 'chat.stream.finish-reason-ends-choice';
let reference: Reference;
let cwd: string;

beforeAll(async () => {
  reference = await startReference({ fault: BROKEN });
});
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'assay-first-'));
  return () => rmSync(cwd, { recursive: true });
});
afterAll(() => reference.close());

const CHAT = [...['--claim', 'chat', '--scenario', 'chat.plain,chat.stream.usage'], ...['--only', BROKEN]];
const run = (baseUrl: string, ...flags: readonly string[]) =>
  runAssay(['run', '--base-url', baseUrl, ...flags], { cwd });
const textOf = (name: string) => readFileSync(join(cwd, 'assay-report', name), 'utf8');

const FILES = ['report.json', 'junit.xml', 'ledger.jsonl', 'cassette/cassette.jsonl'];

test('a run that cannot reach its target keeps the report of the previous run', async () => {
  expect((await run(reference.url, ...CHAT)).code).toBe(1);
  const names = readdirSync(join(cwd, 'assay-report'));
  const before = FILES.map(textOf);
  const gone = await run('http://127.0.0.1:1', ...CHAT);
  expect(gone.code).toBe(2);
  expect(gone.stderr).toContain('assay-report keeps the report of the previous run; this one wrote none.');
  expect(gone.stdout).not.toContain('written to');
  expect(readdirSync(join(cwd, 'assay-report'))).toEqual(names);
  expect(FILES.map(textOf)).toEqual(before);
});

test('a run whose model the target refuses keeps the report of the previous run', async () => {
  await run(reference.url, ...CHAT);
  const before = textOf('report.json');
  expect((await run(reference.url, ...CHAT, '--model', 'chat=none-such')).code).toBe(2);
  expect(textOf('report.json')).toBe(before);
});

test('a run that cannot reach its target writes a report if there is no earlier one', async () => {
  expect((await run('http://127.0.0.1:1', ...CHAT)).code).toBe(2);
  expect(JSON.parse(textOf('report.json')).stopReason).toBe('target-unreachable');
});

test('show lists the exchanges of a cassette', async () => {
  const { stdout } = await run(reference.url, ...CHAT);
  const [, id = ''] = /assay show assay-report\/cassette (e\d+)/.exec(stdout) ?? [];
  const listed = await runAssay(['show', 'assay-report/cassette'], { cwd });
  expect(listed.code).toBe(0);
  const lines = listed.stdout.trimEnd().split('\n');
  expect(lines[0]).toMatch(/^e1 +(GET|POST) \/v1\//);
  expect(lines.find((line) => line.startsWith(`${id} `))).toMatch(
    /POST \/v1\/chat\/completions +200 {2}\d+ events {2}[\d.]+ms {2}chat\./,
  );
});

test('show prints the body of one request, and rejects several', async () => {
  const { stdout } = await run(reference.url, ...CHAT);
  const [, id = ''] = /assay show assay-report\/cassette (e\d+)/.exec(stdout) ?? [];
  const body = await runAssay(['show', 'assay-report/cassette', id, '--request-body'], { cwd });
  expect(JSON.parse(body.stdout)).toMatchObject({ stream: true });
  const many = await runAssay(['show', 'assay-report/cassette', 'e1', 'e2', '--request-body'], { cwd });
  expect([many.code, many.stderr]).toEqual([2, expect.stringContaining('--request-body takes one exchange')]);
});

test('one model for all roles is reported as given, not as found', async () => {
  const { stdout, stderr } = await run(reference.url, ...CHAT, '--model', 'chat-large');
  expect(stderr).toMatch(/^--model chat-large serves chat/m);
  expect(`${stdout}${stderr}`).not.toContain('found by trial');
});

test('explain proposes a command for the same target', async () => {
  const explain = (...flags: readonly string[]) =>
    runAssay(['explain', 'models.list.each-once', '--no-example', ...flags]);
  expect((await explain('--base-url', reference.url)).stdout).toContain(
    `npx assay run --base-url ${reference.url} --only models.list.each-once`,
  );
  expect((await explain()).stdout).toContain('npx assay run --only models.list.each-once');
});

test('explain says why the last run did not exercise a requirement, and where to look', async () => {
  const silent = await startSmallService();
  const tools = 'chat.message:tool_calls#type';
  await run(silent.url, '--claim', 'chat', '--only', 'chat.logprobs:*', '--only', tools);
  const explain = (id: string, ...flags: readonly string[]) =>
    runAssay(['explain', id, '--no-example', ...flags], { cwd });
  const one = await explain('chat.logprobs:content[].logprob#type');
  const several = await explain(tools);
  await silent.close();
  expect(one.stdout).toMatch(
    /in assay-report +inconclusive: no-evidence: scenario chat\.logprobs received createChatCompletion 200 \(\d+×\), none with content\[\]\.logprob of chat\.logprobs/,
  );
  expect(one.stdout).toMatch(/look +npx assay show assay-report\/cassette \| grep chat\.logprobs$/m);
  expect(one.stdout).toContain(`npx assay run --base-url ${silent.url} --only`);
  expect(several.stdout).toMatch(
    /in assay-report +inconclusive: no-evidence: \d+ scenarios received createChatCompletion .*none with tool_calls of chat\.message/,
  );
  expect(several.stdout).toMatch(/look +npx assay show assay-report\/cassette e\d+$/m);
  expect((await explain('file:bytes#type')).stdout).toMatch(/in assay-report +untested: not-claimed/);
});

test('explain names a report that does not exist', async () => {
  const flags = ['--no-example', '--report', 'nowhere'];
  const gone = await runAssay(['explain', 'file:bytes#type', ...flags], { cwd });
  expect([gone.code, gone.stderr]).toEqual([2, expect.stringContaining('--report nowhere does not exist')]);
});

test('a run whose reports omit JSON writes report.json for explain and list', async () => {
  const { stdout } = await run(reference.url, ...CHAT, '--report', 'terminal,html');
  expect(stdout).toMatch(/written to assay-report\/report\.html,\s+assay-report\/report\.json/);
  expect(stdout).toContain('npx assay list --taken');
  const taken = await runAssay(['list', '--taken'], { cwd });
  expect([taken.code, taken.stdout]).toEqual([0, expect.stringMatching(/^chat\.\S+ {2,}\S/m)]);
  const explained = await runAssay(['explain', BROKEN, '--no-example'], { cwd });
  expect(explained.stdout).toMatch(/look +npx assay show assay-report\/cassette e\d+/);
});

test('explain and list say if there is no report of a run', async () => {
  const explained = await runAssay(['explain', 'file:bytes#type', '--no-example'], { cwd });
  expect(explained.stdout).toMatch(/last run +assay-report\/ has no report\.json/);
  const taken = await runAssay(['list', '--taken'], { cwd });
  expect([taken.code, taken.stderr]).toEqual([2, expect.stringContaining('has no report.json')]);
});

test('explain gives no command for a report that was moved away from its traffic', async () => {
  await run(reference.url, ...CHAT);
  mkdirSync(join(cwd, 'moved'));
  renameSync(join(cwd, 'assay-report/report.json'), join(cwd, 'moved/report.json'));
  const moved = ['--no-example', '--report', 'moved'];
  const { stdout } = await runAssay(['explain', BROKEN, ...moved], { cwd });
  expect(stdout).toMatch(/look +none: the cassette \S+ does not exist/);
  expect(stdout).not.toContain('assay show');
});

test('explain judges one requirement as the report does: with the scenario and the models of the finding', async () => {
  const silent = await startSmallService();
  const env = { SERVICE_KEY: 'key-of-the-service', ASSAY_API_KEY_ENV: 'SERVICE_KEY' };
  const flags = ['--base-url', silent.url, '--claim', 'chat', '--only', 'chat.*'];
  const { stdout } = await runAssay(['run', ...flags], { cwd, env });
  const [, again = '', id = ''] =
    /again +(npx assay run .* --only (\S+) .*--report-dir assay-again)$/m.exec(stdout) ?? [];
  const explained = await runAssay(['explain', id, '--no-example'], { cwd, env });
  await silent.close();
  expect(again).toContain('--model ');
  expect(again).toContain(' --api-key-env SERVICE_KEY ');
  // The command writes to another folder, so that the report of the gate stays.
  expect(/alone +(npx .*)/.exec(explained.stdout)?.[1]).toBe(again);
});

test('explain of a choice shows an exchange of each alternative, instead of a run that judges nothing', async () => {
  const explain = () => runAssay(['explain', 'chat.model.echo', '--no-example'], { cwd });
  expect((await explain()).stdout).not.toMatch(/^ +(?:alone|look) /m);
  await run(reference.url, ...CHAT);
  const { stdout } = await explain();
  const [, exchange = ''] = /in assay-report +takes as requested \((e\d+)\)/.exec(stdout) ?? [];
  const [, args = ''] = /^ +look +npx assay (show assay-report\/cassette e\d+)$/m.exec(stdout) ?? [];
  expect(args.endsWith(` ${exchange}`)).toBe(true);
  const shown = await runAssay(args.split(' '), { cwd });
  expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining('"model"')]);
  const taken = await runAssay(['list', '--taken'], { cwd });
  expect(taken.stdout).toMatch(new RegExp(`^chat\\.model\\.echo +as requested \\(${exchange}\\)$`, 'm'));
  // Without the traffic, the list of all choices remains.
  rmSync(join(cwd, 'assay-report/cassette'), { recursive: true });
  expect((await explain()).stdout).toMatch(/^ +look +npx assay list --taken --report assay-report$/m);
});

test('a run keeps the reports of an earlier run in formats that it does not write', async () => {
  await run(reference.url, ...CHAT, '--report', 'html,json');
  const page = textOf('report.html');
  const { stderr } = await run(reference.url, ...CHAT);
  expect(stderr).toContain('report.html of an earlier run: now in assay-report/earlier');
  expect(textOf('earlier/report.html')).toBe(page);
});

test('watch and client do not write into the folder of a run', async () => {
  await run(reference.url, ...CHAT);
  const before = textOf('report.json');
  await runAssay(['client', '--', process.execPath, '-e', '0'], { cwd });
  await runAssay(['watch', '--base-url', reference.url, '--', process.execPath, '-e', '0'], { cwd });
  expect(readdirSync(cwd).toSorted()).toEqual(['assay-client', 'assay-report', 'assay-watch']);
  expect(textOf('report.json')).toBe(before);
  const named = await runAssay(['client', '--report-dir', 'assay-report', '--', 'true'], { cwd });
  expect([named.code, named.stderr]).toEqual([2, expect.stringContaining('has the report of a run')]);
});

test('watch uses the configuration of the gate, and makes no entry of its baseline stale', async () => {
  const known = [{ id: 'listModels:answer#json', signatures: ['x'], reason: 'mended soon' }];
  writeFileSync(join(cwd, 'baseline.json'), JSON.stringify({ format: 1, known }));
  const configuration = { format: 1, baseUrl: reference.url, claim: ['models'], baseline: 'baseline.json' };
  writeFileSync(join(cwd, 'assay.config.json'), JSON.stringify(configuration));
  const ask = "await fetch(process.env.OPENAI_BASE_URL + '/models')";
  const watched = await runAssay(['watch', '--', process.execPath, '--input-type=module', '-e', ask], {
    cwd,
  });
  expect([watched.code, watched.stdout]).toEqual([0, expect.stringContaining('\nconforms\n')]);
  const gate = await runAssay(['run', '--only', 'listModels:*', '--strict-baseline'], { cwd });
  expect([gate.code, gate.stdout]).toEqual([
    1,
    expect.stringContaining('which passes now: remove the entry'),
  ]);
});

test('client without a command says what it waits for', async () => {
  const child = launchAssay(['client', '--report-dir', join(cwd, 'client')]);
  child.stdout.resume();
  let stderr = '';
  for await (const piece of child.stderr) {
    stderr += String(piece);
    if (stderr.includes('\n')) child.kill('SIGTERM');
  }
  expect(stderr).toMatch(
    /^Waiting for a client: give it this base URL, as in OPENAI_BASE_URL=http:\/\/127\.0\.0\.1:\d+\/v1 /,
  );
});
