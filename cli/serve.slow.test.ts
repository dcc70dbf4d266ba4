import { expect, test } from 'vitest';
import { choiceTable } from '../reference/choices/table.ts';
import { knownFaults } from '../reference/faults/known.ts';
import { runAssay, serveInProcess, spawnAssay, startServing } from './testing/run-assay.ts';

test('serve prints its URL first and ends cleanly on a signal', async () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const server = await startServing(['serve']);
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    expect((await fetch(`${server.url}/models`)).status).toBe(200);
    expect(await server.stop(signal)).toBe(0);
    await expect(fetch(`${server.url}/models`)).rejects.toThrow();
  }
});

test('serve names the models that it has', async () => {
  const server = await serveInProcess(['serve']);
  const { data }: { data: { id: string }[] } = JSON.parse(await (await fetch(`${server.url}/models`)).text());
  await server.stop('SIGTERM');
  const { stderr } = server.printed;
  expect(stderr).toMatch(
    /^models: chat-large \(chat, assistant, vision\), .*; GET \/v1\/models lists all\n$/,
  );
  const named = [...stderr.matchAll(/([\w.-]+) \(/g)].map(([, id]) => id);
  expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining(named));
});

test('serve -- COMMAND passes the URL to the command and returns its exit code', async () => {
  const script = 'console.log(process.env.ASSAY_BASE_URL, process.env.OPENAI_BASE_URL); process.exit(7)';
  const { code, stdout, stderr } = await spawnAssay(['serve', '--', process.execPath, '-e', script]);
  const url = stderr.trimEnd();
  expect({ code, stdout }).toEqual({ code: 7, stdout: `${url} ${url}\n` });
  expect(stderr).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1\n$/);
});

test('serve --fault may be repeated, and injects all faults', async () => {
  const faults = ['--fault', 'models.list.each-once', '--fault', 'model-without-n'];
  const server = await serveInProcess(['serve', ...faults]);
  const { data }: { data: { id: string }[] } = JSON.parse(await (await fetch(`${server.url}/models`)).text());
  const body = JSON.stringify({ model: 'chat-large', messages: [{ role: 'user', content: 'Hi' }], n: 2 });
  const headers = { 'content-type': 'application/json' };
  expect((await fetch(`${server.url}/chat/completions`, { method: 'POST', headers, body })).status).toBe(400);
  expect(await server.stop('SIGTERM')).toBe(0);
  expect(server.printed.stderr.match(/^injected fault: /gm)).toHaveLength(2);
  expect(new Set(data.map(({ id }) => id)).size).toBeLessThan(data.length);
});

test.for([
  ['createFile:file.file#maxBytes.rejected', '--allow tokens,images,audio,training,batches,bulk,large '],
  ['models.list.each-once', '--allow tokens,images,audio,training,batches,bulk '],
] as const)('the command that detects the fault %s has %s', async ([fault, flags]) => {
  const { stderr } = await spawnAssay(['serve', '--fault', fault, '--', process.execPath, '-e', '']);
  expect(stderr).toContain(flags);
});

test('serve --fault list prints every fault with what it breaks, then the forms of further ones', async () => {
  const { code, stdout } = await runAssay(['serve', '--fault', 'list']);
  expect(code).toBe(0);
  expect(stdout.match(/^ {2}\S+/gm)?.map((id) => id.trim())).toEqual([
    ...knownFaults.map(({ id }) => id),
    ...['refuse:OPERATION', 'empty:OPERATION', 'cut:OPERATION', 'ignore:OPERATION.FIELD'],
    ...['REQUIREMENT', 'REQUIREMENT/CHANGE'],
  ]);
  const missing = knownFaults.filter(({ id, says, requirement }) => {
    const breaks = requirement === null ? '' : `      breaks ${requirement}\n`;
    return !stdout.includes(`  ${id}  ${says}\n${breaks}`);
  });
  expect(missing).toEqual([]);
});

test('serve --choices takes the named alternatives, and serves other requests as usual', async () => {
  const server = await serveInProcess([
    'serve',
    '--choices',
    'run-steps.calls.file-search=id, type,errors.body.form=text, errors.status.of-unknown-id=400',
  ]);
  const unknown = await fetch(`${server.url}/files/none`);
  expect([unknown.status, unknown.headers.get('content-type')]).toEqual([400, 'text/plain; charset=utf-8']);
  expect((await fetch(`${server.url}/models`)).status).toBe(200);
  await server.stop('SIGTERM');
});

test('serve --choices list prints every choice with its alternatives', async () => {
  const { code, stdout } = await runAssay(['serve', '--choices', 'list']);
  expect(code).toBe(0);
  expect(stdout).toContain('  chat.stop.kept  not in the content\n      kept\n');
  for (const [id, { usual, others }] of Object.entries(choiceTable))
    expect(stdout).toContain([`  ${id}  ${usual}`, ...Object.keys(others), ''].join('\n      ').trimEnd());
});

test('serve requires the key of --api-key-env', async () => {
  const server = await serveInProcess(['serve', '--api-key-env', 'KEY'], {
    env: { KEY: 'some-key-of-a-test' },
  });
  const headers = { authorization: 'Bearer some-key-of-a-test' };
  expect((await fetch(`${server.url}/models`)).status).toBe(401);
  expect((await fetch(`${server.url}/models`, { headers })).status).toBe(200);
  await server.stop('SIGTERM');
});

test.each([
  ['without a first key', ['--second-key-env', 'A'], '--second-key-env needs --api-key-env: '],
  [
    'that is the first one',
    ['--api-key-env', 'A', '--second-key-env', 'SAME_AS_A'],
    'SAME_AS_A and A contain the same key: --second-key-env needs one of another organization.',
  ],
])('serve rejects a second key %s', async (_, flags, says) => {
  const ending = ['--', process.execPath, '-e', ''];
  const env = { A: 'sk-of-one', SAME_AS_A: 'sk-of-one' };
  const { code, stderr } = await runAssay(['serve', ...flags, ...ending], { env });
  expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
});
