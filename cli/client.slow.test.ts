import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Reference, serveReference } from '../reference/service.ts';
import { readReportIn } from './testing/judged-reference.ts';
import { type CommandResult, launchAssay, runAssay } from './testing/run-assay.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-client-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function chatClient(fields: string): readonly string[] {
  const body = `{ model: 'chat-small', messages: [{ role: 'user', content: 'Hello.' }], ${fields} }`;
  const script = `fetch(process.env.OPENAI_BASE_URL + '/chat/completions', {
    method: 'POST',
    headers: { authorization: 'Bearer toy', 'content-type': 'application/json' },
    body: JSON.stringify(${body}),
  }).then((answer) => answer.text())`;
  return ['--', process.execPath, '-e', script];
}

test('a client that follows the specification conforms, without any service', async () => {
  const dir = join(folder, 'good');
  const { code, stderr } = await runAssay(['client', '--report-dir', dir, ...chatClient('temperature: 1')]);
  expect(stderr).not.toContain('FAIL');
  expect(code).toBe(0);
  const report = readReportIn(dir);
  expect([report.side, report.summary.verdict]).toEqual(['client', 'conforms']);
  const judged = report.requirements.filter(({ verdict }) => verdict === 'pass').map(({ id }) => id);
  expect(judged).toContain('client:createChatCompletion:body.temperature#maximum');
  expect(judged.every((id) => id.startsWith('client'))).toBe(true);
  expect(report.usage?.find(({ subject }) => subject === 'createChatCompletion')?.requests).toBe(1);
});

describe('a client with a mistake', () => {
  const dir = join(folder, 'bad');
  const cassette = join(dir, 'cassette');
  const id = 'client:createChatCompletion:body.temperature#maximum';
  let result: CommandResult;
  beforeAll(async () => {
    result = await runAssay(['client', '--report-dir', dir, ...chatClient('temperature: 3')]);
  });

  test('gets one line when the mistake happens, and the whole failure in the report', () => {
    const { code, stdout, stderr } = result;
    expect(stderr.match(/^FAIL .*/gm)).toEqual([
      expect.stringContaining(`FAIL  ${id}  at request /temperature: expected`),
    ]);
    expect(`${stdout}${stderr}`.match(/ MUST {2}/g)).toHaveLength(1);
    expect(code).toBe(1);
  });

  test('gets the command that runs it again as the next step', () => {
    expect(result.stdout).toContain(
      `next: fix the first failure, then run the client again:\n  npx assay client -- ${process.execPath} -e `,
    );
    expect(result.stdout).not.toContain('curl');
  });

  test('fails a check of its recording', async () => {
    const { code, stdout } = await runAssay(['check', cassette, '--side', 'client']);
    expect(code).toBe(1);
    expect(stdout).toContain(`npx assay check --side client ${cassette}`);
  });

  test('does not make the service fail, which was right to refuse the request', async () => {
    const { code, stdout } = await runAssay(['check', cassette]);
    expect(code).toBe(2);
    expect(stdout).not.toContain(id);
  });

  test('is the only failure of a check of both sides', async () => {
    const both = join(folder, 'both');
    const flags = ['--side', 'both', '--report', 'json', '--report-dir', both];
    expect((await runAssay(['check', cassette, ...flags])).code).toBe(1);
    const failing = readReportIn(both).requirements.filter(({ verdict }) => verdict === 'fail');
    expect(failing.map((one) => one.id)).toEqual([id]);
  });
});

test('a client that sends nothing, or cannot be started, replaces no earlier report', async () => {
  const dir = join(folder, 'silent');
  const options = ['client', '--report-dir', dir];
  await runAssay([...options, ...chatClient('temperature: 1')]);
  const earlier = readFileSync(join(dir, 'report.json'), 'utf8');
  const recorded = readFileSync(join(dir, 'cassette', 'cassette.jsonl'), 'utf8');
  const silent = await runAssay([...options, '--', process.execPath, '-e', '']);
  expect(silent.code).toBe(2);
  expect(silent.stderr).toContain(`${dir} keeps the report of the previous run; this one wrote none.\n`);
  expect(silent.stdout).not.toContain('written to');
  expect((await runAssay([...options, '--', join(folder, 'no-such-client')])).code).toBe(2);
  expect(readFileSync(join(dir, 'report.json'), 'utf8')).toBe(earlier);
  expect(readFileSync(join(dir, 'cassette', 'cassette.jsonl'), 'utf8')).toBe(recorded);
  expect(readdirSync(dir).filter((name) => name.startsWith('.'))).toEqual([]);
});

test('a client that sends nothing gets a report if there is no earlier one', async () => {
  const dir = join(folder, 'silent-first');
  await runAssay(['client', '--report-dir', dir, '--', process.execPath, '-e', '']);
  expect(readReportIn(dir).cost.requests).toBe(0);
});

describe('a client of a service', () => {
  const dir = join(folder, 'service');
  const baseline = join(folder, 'baseline.json');
  const serviceBaseline = join(folder, 'service-baseline.json');
  const KNOWN = 'n: "two"';
  const SERVICE_ENTRY = { id: 'file:bytes#type', signatures: ['x'], reason: 'soon' };
  let reference: Reference;
  let first: CommandResult;
  const run = (flags: readonly string[], fields: string) =>
    runAssay(['client', '--base-url', reference.url, '--report-dir', dir, ...flags, ...chatClient(fields)]);
  const inOneLine = ({ stdout, stderr }: CommandResult) => `${stdout}${stderr}`.replaceAll(/[\s\\]+/g, ' ');

  beforeAll(async () => {
    reference = await serveReference();
    first = await run(['--baseline-write', baseline, '--baseline-reason', 'this client is a test'], KNOWN);
    writeFileSync(serviceBaseline, JSON.stringify({ format: 1, known: [SERVICE_ENTRY] }));
  });
  afterAll(() => reference.close());

  test('passes with the baseline that its run writes', () => {
    expect(first.code).toBe(0);
  });

  test('passes again with its baseline', async () => {
    expect((await run(['--baseline', baseline], KNOWN)).code).toBe(0);
  });

  test('fails for a mistake that its baseline does not list', async () => {
    expect((await run(['--baseline', baseline], `${KNOWN}, top_p: "x"`)).code).toBe(1);
  });

  test('is advised to write a baseline of its own if the given one is for the service', async () => {
    expect(inOneLine(await run(['--baseline', serviceBaseline], KNOWN))).toMatch(
      /npx assay check \S+ --side client --baseline-write assay-client-baseline\.json/,
    );
  });

  test('gets a baseline without the entries for the service', async () => {
    const own = join(folder, 'own.json');
    const flags = ['--side', 'client', '--baseline', serviceBaseline, '--baseline-write', own];
    const check = ['check', join(dir, 'cassette'), ...flags, '--baseline-reason', 'old client'];
    expect((await runAssay(check)).stderr).toContain('to assay client');
    expect(readFileSync(own, 'utf8')).not.toContain(SERVICE_ENTRY.id);
    expect(readFileSync(serviceBaseline, 'utf8')).toContain(SERVICE_ENTRY.id);
  });

  test('is run again with the same gate by the printed command', async () => {
    const gate = ['--no-config', '--fail-on', 'should', '--strict-baseline', '--baseline', baseline];
    expect(inOneLine(await run(gate, `${KNOWN}, top_p: "x"`))).toContain(
      `npx assay client --no-config --fail-on should --strict-baseline --base-url ${reference.url} --baseline ${baseline} -- `,
    );
  });

  test('is run again for the same requirements by the printed command', async () => {
    const selection = ['--skip', 'client.batches.*', '--skip', 'client.streams.whole'];
    expect(inOneLine(await run([...selection, '--baseline', baseline], `${KNOWN}, top_p: "x"`))).toContain(
      `--base-url ${reference.url} --skip 'client.batches.*' --skip client.streams.whole --baseline `,
    );
  });
});

test('a client is judged in a folder whose configuration selects what is judged of the service', async () => {
  const cwd = join(folder, 'shared-configuration');
  mkdirSync(cwd);
  const selection = { skip: ['chat.stream.done-ends-stream'], scenario: ['chat.plain'] };
  writeFileSync(join(cwd, 'assay.config.json'), JSON.stringify({ format: 1, ...selection }));
  const { code, stderr } = await runAssay(['client', ...chatClient('n: 1')], { cwd });
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('matches no')]);
});

describe('a client that names an unknown model', () => {
  const dir = join(folder, 'unknown-model');
  const script = `fetch(process.env.OPENAI_BASE_URL + '/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'tiny-a', messages: [{ role: 'user', content: 'Hello.' }] }),
  }).then((answer) => answer.text())`;
  const client = ['--', process.execPath, '-e', `${script}.then(() => ${script})`];
  const hint =
    'hint: the client asked for tiny-a, and the reference that answered has models with other names: ' +
    '--base-url URL lets your service answer, or name one of chat-large, ';
  let stdout = '';
  beforeAll(async () => {
    ({ stdout } = await runAssay(['client', '--report-dir', dir, ...client]));
  });

  test('gets the list of models once for two requests', () => {
    expect(stdout.split(hint)).toHaveLength(2);
  });

  test('gets the list of models from a check of the recording, too', async () => {
    const checked = await runAssay(['check', join(dir, 'cassette'), '--side', 'client']);
    expect(checked.stdout).toContain(hint);
  });

  test('gets no list of models for a service, whose models are unknown', async () => {
    const reference = await serveReference();
    const flags = ['--base-url', reference.url, '--report-dir', join(folder, 'unknown-to-service')];
    const service = await runAssay(['client', ...flags, ...client]);
    await reference.close();
    expect(service.stdout).not.toContain('models with other names');
  });

  test('fails a requirement on all requests in the family that it called', () => {
    const key = readReportIn(dir).requirements.find(({ id }) => id === 'client.requests.bearer-key');
    expect([key?.verdict, key?.family]).toEqual(['fail', 'chat']);
    expect(stdout).not.toMatch(/^models /m);
  });
});

test('a key that the shell put into the command of the client reaches neither the report nor the terminal', async () => {
  const dir = join(folder, 'key-in-command');
  const key = 'sk-client-canary-4217';
  const [program = '', ...args] = chatClient('temperature: 3').slice(1);
  const flags = ['--report-dir', dir, '--report', 'terminal,json', '--', program, ...args, key];
  const { code, stdout, stderr } = await runAssay(['client', ...flags], { env: { SERVICE_KEY: key } });
  expect(code).toBe(1);
  expect(stdout).toContain(`npx assay client -- ${program} -e `);
  for (const text of [stdout, stderr, JSON.stringify(readReportIn(dir))]) expect(text).not.toContain(key);
});

test('a client that sends nothing, or nothing that the specification lists, is not judged', async () => {
  const dir = join(folder, 'unjudged');
  const silent = await runAssay(['client', '--report-dir', dir, '--', process.execPath, '-e', '0']);
  expect(silent.code).toBe(2);
  expect(silent.stderr).toContain('The proxy received no request');
  const script = "fetch(process.env.OPENAI_BASE_URL + '/embeddings')";
  const other = await runAssay(['client', '--report-dir', dir, '--', process.execPath, '-e', script]);
  expect(other.code).toBe(2);
  expect(other.stdout).toContain('nothing was judged');
});

test('client without a command says what it waits for', async () => {
  const child = launchAssay(['client', '--report-dir', join(folder, 'waiting')]);
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

test('the requests of the suite itself do not count as those of a client', async () => {
  const dir = join(folder, 'run');
  await runAssay(['run', '--only', 'models.*', '--report', 'json', '--report-dir', dir]);
  const { code, stdout } = await runAssay(['check', join(dir, 'cassette'), '--side', 'client']);
  expect(code).toBe(2);
  expect(stdout).toContain('nothing was judged');
});

test('assay exits with the code of a client that fails after its requests, and says what the verdict covers', async () => {
  const script =
    "fetch(process.env.OPENAI_BASE_URL + '/models').then((r) => r.text()).then(() => process.exit(7))";
  const dir = join(folder, 'failed');
  const command = ['--', process.execPath, '-e', script];
  const { code, stderr } = await runAssay(['client', '--report-dir', dir, ...command]);
  expect(code).toBe(7);
  expect(stderr.trimEnd().split('\n').at(-1)).toBe(
    'The command failed with exit code 7, and so does assay: the verdict covers only what was sent before.',
  );
});
