import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { shellQuote } from '../exchange/shell-quote.ts';
import { spawnAssay, startServing } from './testing/run-assay.ts';

const KEY = 'key-of-the-reference';
const openai = pathToFileURL(createRequire(import.meta.url).resolve('openai')).href;

const CLIENT = `
import { createRequire } from 'node:module';
const OpenAI = createRequire(${JSON.stringify(openai)})('openai');
const client = new OpenAI({ baseURL: process.env.OPENAI_BASE_URL, apiKey: process.env.KEY, maxRetries: 0 });
const say = (value) => console.log(JSON.stringify(value));
const model = (await client.models.list()).data[0].id;
say(model);
const file = await client.files.create({ file: await OpenAI.toFile(Buffer.from('{"a":1}\\n'), 'a.jsonl'), purpose: 'fine-tune' });
say(file);
say(await (await client.files.content(file.id)).text());
const messages = [{ role: 'user', content: 'Say héllo 👋' }];
say(await client.chat.completions.create({ model, messages }));
for await (const chunk of await client.chat.completions.create({ model, messages, stream: true })) say(chunk);
const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } }];
say(await client.chat.completions.create({ model, messages, tools, tool_choice: { type: 'function', function: { name: 'weather' } } }));
say(await client.files.del(file.id));
`;

describe('a session of the openai client', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-record-'));
  const script = join(folder, 'client.mjs');
  const cassette = join(folder, 'cassette');
  const env = { KEY };
  let live = '';

  beforeAll(async () => {
    writeFileSync(script, CLIENT);
    const reference = await startServing(['serve', '--api-key-env', 'KEY'], { env });
    const command = [
      'record',
      '--base-url',
      reference.url,
      '--cassette',
      cassette,
      '--',
      process.execPath,
      script,
    ];
    const recorded = await spawnAssay(command, { env });
    await reference.stop();
    expect(recorded.stderr).toContain(`exchanges recorded in ${cassette}`);
    expect(recorded.code).toBe(0);
    live = recorded.stdout;
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  test('gets the same responses in a replay, however they are split', async () => {
    expect(live.split('\n').length).toBeGreaterThan(8);
    for (const flags of [[], ['--chunking', 'bytes:1'], ['--chunking', 'split-utf8', '--pace', 'x100']]) {
      const command = ['replay', cassette, '--strict', ...flags, '--', process.execPath, script];
      const { code, stdout, stderr } = await spawnAssay(command, { env });
      expect(stdout).toBe(live);
      expect(stderr).toContain('0 misses, 0 left over');
      expect(code).toBe(0);
    }
  });

  test('leaves no key in its cassette', () => {
    const files = readdirSync(cassette, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    expect(files.map(({ name }) => name)).toEqual(expect.arrayContaining(['cassette.jsonl', 'timing.jsonl']));
    for (const { parentPath, name } of files)
      expect(readFileSync(join(parentPath, name), 'utf8')).not.toContain(KEY);
  });

  test('is answered from the cassette by record --mode auto, with no service running', async () => {
    const nowhere = ['--base-url', 'http://127.0.0.1:1/v1', '--cassette', cassette, '--mode', 'auto'];
    const command = ['record', ...nowhere, '--', process.execPath, script];
    const { code, stdout, stderr } = await spawnAssay(command, { env });
    expect(stdout).toBe(live);
    expect(stderr).toContain('answered from it');
    expect(code).toBe(0);
  });

  test('can be recorded by a job that has the key and runs no code of the fork', async () => {
    const [ownCassette, forkCassette] = [join(folder, 'ownCassette'), join(folder, 'forkCassette')];
    for (const copy of [ownCassette, forkCassette]) cpSync(cassette, copy, { recursive: true });
    const client = [process.execPath, join(folder, 'fork.mjs')];
    writeFileSync(
      join(folder, 'fork.mjs'),
      `import { createRequire } from 'node:module';
const OpenAI = createRequire(${JSON.stringify(openai)})('openai');
const client = new OpenAI({ baseURL: process.env.OPENAI_BASE_URL, apiKey: 'none' });
const messages = [{ role: 'user', content: 'New in the fork' }];
const answer = await client.chat.completions.create({ model: 'chat-large', messages });
console.log(answer.id);
`,
    );
    const assay = [process.execPath, inject('main')];
    const line = (words: readonly string[]) => words.map(shellQuote).join(' ');
    const recorder = line([...assay, 'record', '--cassette', forkCassette, '--mode', 'new']);
    const recording = `${recorder} --base-url "$ASSAY_BASE_URL" -- ${line(client)}`;
    const forked = await spawnAssay(['serve', '--', 'sh', '-c', recording]);
    expect(forked.stderr).toContain(`1 exchange recorded in ${forkCassette}`);
    const service = await startServing(['serve', '--api-key-env', 'KEY', '--seed', '7'], { env });
    const sending = `${line([...assay, 'verify', forkCassette])} --base-url "$ASSAY_BASE_URL" || true`;
    const flags = [
      '--base-url',
      service.url,
      '--api-key-env',
      'KEY',
      '--cassette',
      ownCassette,
      '--mode',
      'new',
    ];
    const trusted = await spawnAssay(['record', ...flags, '--', 'sh', '-c', sending], {
      env: { ...env, ASSAY_API_KEY: 'none' },
    });
    await service.stop();
    expect(trusted.stderr).toMatch(/^1 exchange recorded in \S+, \d+ answered from it$/m);
    expect(trusted.code).toBe(0);
    const replayed = await spawnAssay(['replay', ownCassette, '--no-strict', '--', ...client]);
    expect(replayed.stderr).toContain('1 request answered, 0 misses');
    expect(replayed.stdout).toMatch(/chatcmpl/);
    expect(replayed.stdout).not.toBe(forked.stdout);
    expect(readFileSync(join(ownCassette, 'cassette.jsonl'), 'utf8')).not.toContain(KEY);
  });
});
