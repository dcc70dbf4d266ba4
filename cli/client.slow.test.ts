// `assay client` with clients in separate processes, in front of the embedded reference and of a service.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { serveReference } from '../reference/service.ts';
import type { Report } from '../reports/report.ts';
import { runAssay } from './testing/run-assay.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-client-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The command of a client that sends one chat completion with these fields. */
function chatClient(fields: string): readonly string[] {
  const body = `{ model: 'chat-small', messages: [{ role: 'user', content: 'Hello.' }], ${fields} }`;
  const send = `fetch(process.env.OPENAI_BASE_URL + '/chat/completions', {
    method: 'POST',
    headers: { authorization: 'Bearer toy', 'content-type': 'application/json' },
    body: JSON.stringify(${body}),
  }).then((answer) => answer.text())`;
  return ['--', process.execPath, '-e', send];
}

function reportIn(dir: string): Report {
  return JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8')) as Report; // as: its schema is tested elsewhere
}

test('a client that follows the specification conforms, without any service', async () => {
  const dir = join(folder, 'good');
  const { code, stderr } = await runAssay(['client', '--report-dir', dir, ...chatClient('temperature: 1')]);
  expect(stderr).not.toContain('FAIL');
  expect(code).toBe(0);
  const report = reportIn(dir);
  expect([report.side, report.summary.verdict]).toEqual(['client', 'conforms']);
  const judged = report.requirements.filter(({ verdict }) => verdict === 'pass').map(({ id }) => id);
  expect(judged).toContain('client:createChatCompletion:body.temperature#maximum');
  expect(judged.every((id) => id.startsWith('client'))).toBe(true);
  expect(report.usage?.find(({ subject }) => subject === 'createChatCompletion')?.requests).toBe(1);
});

test('a mistake is printed when it happens, gives exit code 1, and is found again offline and with a service', async () => {
  const dir = join(folder, 'bad');
  const id = 'client:createChatCompletion:body.temperature#maximum';
  const { code, stdout, stderr } = await runAssay([
    'client',
    '--report-dir',
    dir,
    ...chatClient('temperature: 3'),
  ]);
  expect(stderr).toContain(`FAIL  ${id}  at request /temperature: expected`);
  // Only the report shows the failure in full.
  expect(`${stdout}${stderr}`.match(/ MUST {2}/g)).toHaveLength(1);
  expect(stdout).toContain(
    `next: fix the first failure, then run the client again:\n  npx assay client -- ${process.execPath} -e `,
  );
  expect(stdout).not.toContain('curl');
  expect(code).toBe(1);
  const cassette = join(dir, 'cassette');
  const checked = await runAssay(['check', cassette, '--side', 'client']);
  expect(checked.code).toBe(1);
  expect(checked.stdout).toContain(`npx assay check --side client ${cassette}`);
  // The service was right to refuse the invalid request.
  expect((await runAssay(['check', cassette])).stdout).not.toContain(id);
  const both = await runAssay(['check', cassette, '--side', 'both', '--report', 'json', '--report-dir', dir]);
  expect(both.code).toBe(1);
  const ids = reportIn(dir).requirements.flatMap((one) => (one.verdict === 'fail' ? [one.id] : []));
  expect(ids).toEqual([id]);
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
  // Without an earlier report there is nothing to keep.
  const other = join(folder, 'silent-first');
  await runAssay(['client', '--report-dir', other, '--', process.execPath, '-e', '']);
  expect(reportIn(other).cost.requests).toBe(0);
});

test('a client that uses a given service is judged too, and a baseline applies to it', async () => {
  const reference = await serveReference();
  const [dir, baseline] = [join(folder, 'service'), join(folder, 'baseline.json')];
  const options = ['client', '--base-url', reference.url, '--report-dir', dir];
  try {
    const first = await runAssay([...options, '--baseline-write', baseline, ...chatClient('n: "two"')]);
    // The baseline that is written applies to this run already.
    expect(first.code).toBe(0);
    const { known: entries } = JSON.parse(readFileSync(baseline, 'utf8')) as { known: object[] }; // as: our own file
    const reasoned = entries.map((entry) => ({ ...entry, reason: 'this client is a test' }));
    writeFileSync(baseline, JSON.stringify({ format: 1, known: reasoned }));
    const known = await runAssay([...options, '--baseline', baseline, ...chatClient('n: "two"')]);
    expect(known.code).toBe(0);
    // The client gets its own baseline, without the entries of the service.
    const ofService = join(folder, 'service-baseline.json');
    const entry = { id: 'file:bytes#type', signatures: ['x'], reason: 'soon' };
    writeFileSync(ofService, JSON.stringify({ format: 1, known: [entry] }));
    const beside = await runAssay([...options, '--baseline', ofService, ...chatClient('n: "two"')]);
    const step = /npx assay check \S+ --side client --baseline-write assay-client-baseline\.json/;
    expect(`${beside.stdout}${beside.stderr}`.replaceAll(/\s+/g, ' ')).toMatch(step);
    const own = join(folder, 'own.json');
    const writing = ['--side', 'client', '--baseline', ofService, '--baseline-write', own];
    const wrote = await runAssay([
      'check',
      join(dir, 'cassette'),
      ...writing,
      '--baseline-reason',
      'old client',
    ]);
    expect(wrote.stderr).toContain('to assay client');
    expect(readFileSync(own, 'utf8')).not.toContain(entry.id);
    expect(readFileSync(ofService, 'utf8')).toContain(entry.id);
    const other = await runAssay([...options, '--baseline', baseline, ...chatClient('n: "two", top_p: "x"')]);
    expect(other.code).toBe(1);
    const gate = ['--no-config', '--fail-on', 'should', '--strict-baseline', '--baseline', baseline];
    const strict = await runAssay([...options, ...gate, ...chatClient('n: "two", top_p: "x"')]);
    expect(strict.stdout.replaceAll(/[\s\\]+/g, ' ')).toContain(
      `npx assay client --no-config --fail-on should --strict-baseline --base-url ${reference.url} --baseline ${baseline} -- `,
    );
  } finally {
    await reference.close();
  }
});

test('a client that names an unknown model gets the list of models, once', async () => {
  const dir = join(folder, 'unknown-model');
  const ask = (model: string) => `fetch(process.env.OPENAI_BASE_URL + '/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: '${model}', messages: [{ role: 'user', content: 'Hello.' }] }),
  }).then((answer) => answer.text())`;
  const program = ['--', process.execPath, '-e', `${ask('tiny-a')}.then(() => ${ask('tiny-a')})`];
  const { stdout } = await runAssay(['client', '--report-dir', dir, ...program]);
  const words =
    'hint: the client asked for tiny-a, and the reference that answered has models with other names: ' +
    '--base-url URL lets your service answer, or name one of chat-large, ';
  expect(stdout.split(words)).toHaveLength(2);
  // Requirements on every request are reported with the family that was called.
  const report = reportIn(dir);
  const key = report.requirements.find(({ id }) => id === 'client.requests.bearer-key');
  expect([key?.verdict, key?.family]).toEqual(['fail', 'chat']);
  expect(stdout).not.toMatch(/^models /m);
  const checked = await runAssay(['check', join(dir, 'cassette'), '--side', 'client']);
  expect(checked.stdout).toContain(words);
  // The models of a service are unknown.
  const reference = await serveReference();
  const service = await runAssay(['client', '--base-url', reference.url, '--report-dir', dir, ...program]);
  await reference.close();
  expect(service.stdout).not.toContain('models with other names');
});

test('a client that sends nothing, or nothing that the specification lists, is not judged', async () => {
  const dir = join(folder, 'silent');
  const silent = await runAssay(['client', '--report-dir', dir, '--', process.execPath, '-e', '0']);
  expect(silent.code).toBe(2);
  expect(silent.stderr).toContain('The proxy received no request');
  const elsewhere = "fetch(process.env.OPENAI_BASE_URL + '/embeddings')";
  const other = await runAssay(['client', '--report-dir', dir, '--', process.execPath, '-e', elsewhere]);
  expect(other.code).toBe(2);
  expect(other.stdout).toContain('nothing was judged');
});

test('the requests of the suite itself do not count as those of a client', async () => {
  const dir = join(folder, 'run');
  await runAssay(['run', '--only', 'models.*', '--report', 'json', '--report-dir', dir]);
  const { code, stdout } = await runAssay(['check', join(dir, 'cassette'), '--side', 'client']);
  expect(code).toBe(2);
  expect(stdout).toContain('nothing was judged');
});

test('a client that crashes after its requests does not get a good verdict', async () => {
  const crash =
    "fetch(process.env.OPENAI_BASE_URL + '/models').then((r) => r.text()).then(() => process.exit(7))";
  const dir = join(folder, 'crashed');
  const { code, stderr } = await runAssay([
    'client',
    '--report-dir',
    dir,
    '--',
    process.execPath,
    '-e',
    crash,
  ]);
  expect(code).toBe(7);
  expect(stderr.trimEnd().split('\n').at(-1)).toBe(
    'The command failed with exit code 7, and so does assay: the verdict covers only what was sent before.',
  );
});
