// A popular client, recorded in front of the reference, then replayed without a service. It sees the same
// both times.
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { serveReference } from '../reference/service.ts';
import { shellQuote } from '../reports/failure/curl-command.ts';
import { runAssay, type ServingCommand, spawnAssay, startServing } from './testing/run-assay.ts';

const KEY = 'key-that-no-service-accepts';
const openai = pathToFileURL(createRequire(import.meta.url).resolve('openai')).href;

/** An application that prints what it received, as JSON lines. */
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
  let reference: ServingCommand;
  let live = '';

  beforeAll(async () => {
    writeFileSync(script, CLIENT);
    reference = await startServing(['serve', '--api-key-env', 'KEY'], { env });
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
    expect(recorded.stderr).toContain(`exchanges recorded in ${cassette}`);
    expect(recorded.code).toBe(0);
    live = recorded.stdout;
    await reference.stop();
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  test('is the same when it is replayed, however the answers are cut', async () => {
    expect(live.split('\n').length).toBeGreaterThan(8);
    for (const flags of [[], ['--chunking', 'bytes:1'], ['--chunking', 'split-utf8', '--pace', 'x100']]) {
      const command = ['replay', cassette, '--strict', ...flags, '--', process.execPath, script];
      const { code, stdout, stderr } = await spawnAssay(command, { env });
      expect(stdout).toBe(live);
      expect(stderr).toContain('0 misses, 0 left over');
      expect(code).toBe(0);
    }
  });

  test('left no key on the disk', () => {
    expect(live).not.toContain(KEY);
    for (const file of ['cassette.jsonl', 'timing.jsonl']) {
      expect(readFileSync(join(cassette, file), 'utf8')).not.toContain(KEY);
    }
  });

  test('is judged without being a run of ours', async () => {
    const { code, stdout } = await runAssay(['check', cassette]);
    expect(stdout).toMatch(/^conforms$/m);
    expect(stdout).not.toMatch(/^FAIL/m);
    expect(code).toBe(0);
  });

  test('record --mode auto answers from the cassette, with no service running', async () => {
    const nowhere = ['--base-url', 'http://127.0.0.1:1/v1', '--cassette', cassette, '--mode', 'auto'];
    const { code, stdout, stderr } = await spawnAssay(
      ['record', ...nowhere, '--', process.execPath, script],
      {
        env,
      },
    );
    expect(stdout).toBe(live);
    expect(stderr).toContain('answered from it');
    expect(code).toBe(0);
  });

  test('a request that was not recorded is a miss, reported with the nearest recording and by the exit code', async () => {
    const ask = "await fetch(process.env.OPENAI_BASE_URL + '/models/other')";
    const { code, stderr } = await runAssay(['replay', cassette, '--', process.execPath, '-e', ask]);
    expect(code).toBe(1);
    expect(stderr).toContain('/v1/models/other');
    expect(stderr).toContain('1 miss, ');
    expect(stderr).toMatch(
      /again +npx assay record --base-url \S+ --cassette \S+ --mode new -- \S+ -e 'await fetch|again.* --mode new -- \S+ -e \$'await fetch/,
    );
  });

  test("the command's own exit code comes first, and leftovers fail only under --strict", async () => {
    const run = (flag: string, exit: number) => {
      const ask = `fetch(process.env.OPENAI_BASE_URL + '/models', { headers: { authorization: 'Bearer x' } }).then(() => process.exit(${exit}))`;
      return runAssay(['replay', cassette, flag, '--', process.execPath, '-e', ask]);
    };
    expect((await run('--strict', 0)).code).toBe(1);
    expect((await run('--no-strict', 0)).code).toBe(0);
    expect((await run('--strict', 9)).code).toBe(9);
  });

  test('a recording that fails takes the place of no cassette, and is kept beside it', async () => {
    const [kept, first] = [join(folder, 'kept'), join(folder, 'first')];
    cpSync(cassette, kept, { recursive: true });
    const text = (dir: string) => readFileSync(join(dir, 'cassette.jsonl'), 'utf8');
    const attempt = (url: string, dir: string, exit: number) => {
      const ask = `fetch(process.env.OPENAI_BASE_URL + '/models').then(() => process.exit(${exit}))`;
      return runAssay(['record', '--base-url', url, '--cassette', dir, '--', process.execPath, '-e', ask]);
    };
    const nowhere = 'http://127.0.0.1:1/v1';
    const dead = await attempt(nowhere, kept, 0);
    expect(dead.stderr).toContain(`Nothing answers at ${nowhere}: ECONNREFUSED\n`);
    expect(dead.stderr).toContain(`1 exchange recorded in ${kept}.failed. As the service answered nothing`);
    expect([dead.code, text(kept)]).toEqual([2, text(cassette)]);
    const broken = text(`${kept}.failed`);
    const service = await serveReference();
    const failed = await attempt(service.url, kept, 3);
    expect(failed.stderr).toContain(`As the command failed, the cassette in ${kept} stays as it was`);
    expect([failed.code, text(kept)]).toEqual([3, text(cassette)]);
    expect(text(`${kept}.failed`)).not.toBe(broken);
    const good = await attempt(service.url, `${kept}/`, 0);
    await service.close();
    expect([good.code, text(kept) === text(cassette)]).toEqual([0, false]);
    // Without an earlier cassette, the recording is kept.
    const alone = await attempt(nowhere, first, 0);
    expect(alone.stderr).toContain(`Nothing answers at ${nowhere}: ECONNREFUSED\n`);
    expect([alone.code, existsSync(first), existsSync(`${first}.failed`)]).toEqual([2, true, false]);
  });

  test('what looks like a secret in a body is hinted at, and nothing else is', async () => {
    const service = await serveReference();
    const attempt = (name: string, content: string) => {
      const body = JSON.stringify({ model: 'chat-large', messages: [{ role: 'user', content }] });
      const headers = { 'content-type': 'application/json' };
      const init = JSON.stringify({ method: 'POST', headers, body });
      const ask = `fetch(process.env.OPENAI_BASE_URL + '/chat/completions', ${init})`;
      const flags = ['--base-url', service.url, '--cassette', join(folder, name)];
      return runAssay(['record', ...flags, '--', process.execPath, '-e', ask]);
    };
    const pasted = await attempt('pasted', `Why is sk-${'aB3'.repeat(8)} refused?`);
    const harmless = await attempt('harmless', 'Why is my key refused?');
    await service.close();
    expect(pasted.stderr).toContain(
      `It may hold a secret (an API key). See where with: npx assay scan ${join(folder, 'pasted')}; keep it out with --redact\n`,
    );
    expect(harmless.stderr).not.toContain('secret');
    expect([pasted.code, harmless.code]).toEqual([0, 0]);
  });

  test('what a dead service does not answer is not added by --mode new', async () => {
    const kept = join(folder, 'known');
    cpSync(cassette, kept, { recursive: true });
    const text = () => readFileSync(join(kept, 'cassette.jsonl'), 'utf8');
    const before = text();
    const ask = `fetch(process.env.OPENAI_BASE_URL + '/models/other')`;
    const flags = ['--base-url', 'http://127.0.0.1:1/v1', '--cassette', kept, '--mode', 'new'];
    const { code, stderr } = await runAssay(['record', ...flags, '--', process.execPath, '-e', ask]);
    expect(stderr).toContain('Nothing answers at http://127.0.0.1:1/v1: ECONNREFUSED');
    expect(stderr).toContain(`0 exchanges recorded in ${kept}, 1 left out, as the service did not answer`);
    expect([code, text() === before]).toEqual([2, true]);
  });

  test('what a fork misses is recorded by a job that has the key and runs nothing of the fork', async () => {
    const [mine, wanted] = [join(folder, 'mine'), join(folder, 'wanted')];
    for (const copy of [mine, wanted]) cpSync(cassette, copy, { recursive: true });
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
    // The job of the fork: no key, and the reference responds to requests that are not recorded.
    const line = (words: readonly string[]) => words.map(shellQuote).join(' ');
    const recorder = line([...assay, 'record', '--cassette', wanted, '--mode', 'new']);
    const script = `${recorder} --base-url "$ASSAY_BASE_URL" -- ${line(client)}`;
    const forked = await spawnAssay(['serve', '--', 'sh', '-c', script]);
    expect(forked.stderr).toContain(`1 exchange recorded in ${wanted}`);
    // The job with the key sends the wanted requests, not the code of the fork.
    const service = await startServing(['serve', '--api-key-env', 'KEY', '--seed', '7'], { env });
    const sending = `${line([...assay, 'verify', wanted])} --base-url "$ASSAY_BASE_URL" || true`;
    const flags = ['--base-url', service.url, '--api-key-env', 'KEY', '--cassette', mine, '--mode', 'new'];
    const trusted = await spawnAssay(['record', ...flags, '--', 'sh', '-c', sending], {
      env: { ...env, ASSAY_API_KEY: 'none' },
    });
    await service.stop();
    expect(trusted.stderr).toMatch(/^1 exchange recorded in \S+, \d+ answered from it$/m);
    expect(trusted.code).toBe(0);
    const replayed = await spawnAssay(['replay', mine, '--no-strict', '--', ...client]);
    expect(replayed.stderr).toContain('1 request answered, 0 misses');
    expect(replayed.stdout).toMatch(/chatcmpl/);
    expect(replayed.stdout).not.toBe(forked.stdout);
    expect(readFileSync(join(mine, 'cassette.jsonl'), 'utf8')).not.toContain(KEY);
  });

  test('a command that cannot be started leaves no cassette', async () => {
    const cassette = join(folder, 'none');
    const flags = ['--base-url', 'http://127.0.0.1:1', '--cassette', cassette];
    const { code, stderr } = await runAssay(['record', ...flags, '--', 'no-such-command']);
    expect([code, existsSync(cassette)]).toEqual([2, false]);
    expect(stderr).toContain('the command does not exist');
  });
});
