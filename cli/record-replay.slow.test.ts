import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { serveReference } from '../reference/service.ts';
import { runAssay } from './testing/run-assay.ts';

const KEY = 'key-of-the-reference';

const CLIENT = `
import { appendFileSync } from 'node:fs';
const [, , file] = process.argv;
const send = async (path, body) => {
  const method = body === undefined ? 'GET' : 'POST';
  const headers = { authorization: 'Bearer ' + process.env.KEY, 'content-type': 'application/json' };
  const answer = await fetch(process.env.OPENAI_BASE_URL + path, { method, headers, body: JSON.stringify(body) });
  appendFileSync(file, JSON.stringify([answer.status, await answer.text()]) + '\\n');
};
await send('/models');
const chat = { model: 'chat-large', messages: [{ role: 'user', content: 'Say héllo 👋' }] };
await send('/chat/completions', chat);
await send('/chat/completions', { ...chat, stream: true });
`;

describe('a recorded session', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-record-'));
  const script = join(folder, 'client.mjs');
  const cassette = join(folder, 'cassette');
  const clientCommand = (name: string) => [process.execPath, script, join(folder, name)];
  const readReceived = (name: string) => readFileSync(join(folder, name), 'utf8');
  const env = { KEY };

  beforeAll(async () => {
    writeFileSync(script, CLIENT);
    const reference = await serveReference({ apiKey: KEY });
    const flags = ['--base-url', reference.url, '--cassette', cassette, '--', ...clientCommand('live')];
    const { code, stderr } = await runAssay(['record', ...flags], { env });
    await reference.close();
    expect([code, stderr]).toEqual([0, expect.stringContaining(`3 exchanges recorded in ${cassette}`)]);
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  test('is replayed identically, even in pieces of one byte', async () => {
    const command = [
      'replay',
      cassette,
      '--strict',
      '--chunking',
      'bytes:1',
      '--',
      ...clientCommand('replayed'),
    ];
    const { code, stderr } = await runAssay(command, { env });
    expect([code, stderr]).toEqual([0, expect.stringContaining('0 misses, 0 left over')]);
    expect(readReceived('replayed')).toBe(readReceived('live'));
    expect(readReceived('live').match(/^\[200,/gm)).toHaveLength(3);
  });

  test('contains no key', () => {
    for (const file of ['cassette.jsonl', 'timing.jsonl'])
      expect(readFileSync(join(cassette, file), 'utf8')).not.toContain(KEY);
  });

  test('is answered from the cassette by --mode auto, with no service running', async () => {
    const nowhere = ['--base-url', 'http://127.0.0.1:1/v1', '--cassette', cassette, '--mode', 'auto'];
    const { code, stderr } = await runAssay(['record', ...nowhere, '--', ...clientCommand('offline')], {
      env,
    });
    expect([code, stderr]).toEqual([0, expect.stringContaining('answered from it')]);
    expect(readReceived('offline')).toBe(readReceived('live'));
  });

  test('is judged although it does not come from a run of assay', async () => {
    const { code, stdout } = await runAssay(['check', cassette]);
    expect(stdout).toMatch(/^conforms$/m);
    expect(stdout).not.toMatch(/^FAIL/m);
    expect(code).toBe(0);
  });

  test('misses a request that was not recorded, fails, and prints the command that records it', async () => {
    const program = "await fetch(process.env.OPENAI_BASE_URL + '/models/other')";
    const { code, stderr } = await runAssay(['replay', cassette, '--', process.execPath, '-e', program]);
    expect(code).toBe(1);
    expect(stderr).toContain('/v1/models/other');
    expect(stderr).toContain('1 miss, ');
    expect(stderr).toMatch(
      /again +npx assay record --base-url \S+ --cassette \S+ --mode new -- \S+ -e 'await fetch/,
    );
  });

  describe('that the client uses only in part', () => {
    const run = (flag: string, exit: number) => {
      const program = `fetch(process.env.OPENAI_BASE_URL + '/models', { headers: { authorization: 'Bearer x' } }).then(() => process.exit(${exit}))`;
      return runAssay(['replay', cassette, flag, '--', process.execPath, '-e', program]);
    };

    test('fails the replay only with --strict', async () => {
      expect((await run('--strict', 0)).code).toBe(1);
      expect((await run('--no-strict', 0)).code).toBe(0);
    });

    test('is replayed with the exit code of a failing command', async () => {
      expect((await run('--strict', 9)).code).toBe(9);
    });
  });

  describe('when the session is recorded again', () => {
    const nowhere = 'http://127.0.0.1:1/v1';
    const readCassetteText = (dir: string) => readFileSync(join(dir, 'cassette.jsonl'), 'utf8');
    const record = (url: string, dir: string, exit: number) => {
      const program = `fetch(process.env.OPENAI_BASE_URL + '/models').then(() => process.exit(${exit}))`;
      const flags = ['--base-url', url, '--cassette', dir];
      return runAssay(['record', ...flags, '--', process.execPath, '-e', program]);
    };
    let kept = '';
    beforeEach(() => {
      kept = mkdtempSync(join(folder, 'kept-'));
      cpSync(cassette, kept, { recursive: true });
    });

    test('stays if the service does not answer; the failed recording is next to it', async () => {
      const { code, stderr } = await record(nowhere, kept, 0);
      expect(stderr).toContain(`Nothing answers at ${nowhere}: ECONNREFUSED\n`);
      expect(stderr).toContain(`1 exchange recorded in ${kept}.failed. As the service answered nothing`);
      expect([code, readCassetteText(kept)]).toEqual([2, readCassetteText(cassette)]);
    });

    test('stays if the command fails; the recording replaces an earlier failed one', async () => {
      await record(nowhere, kept, 0);
      const earlier = readCassetteText(`${kept}.failed`);
      const service = await serveReference();
      const { code, stderr } = await record(service.url, kept, 3);
      await service.close();
      expect(stderr).toContain(`As the command failed, the cassette in ${kept} stays as it was`);
      expect([code, readCassetteText(kept)]).toEqual([3, readCassetteText(cassette)]);
      expect(readCassetteText(`${kept}.failed`)).not.toBe(earlier);
    });

    test('is replaced if the recording succeeds, even with a slash at the end of its name', async () => {
      const service = await serveReference();
      const { code } = await record(service.url, `${kept}/`, 0);
      await service.close();
      expect([code, readCassetteText(kept) === readCassetteText(cassette)]).toEqual([0, false]);
    });
  });

  test('without responses is kept if there was no cassette before', async () => {
    const first = join(folder, 'first');
    const program = "fetch(process.env.OPENAI_BASE_URL + '/models').catch(() => {})";
    const flags = ['--base-url', 'http://127.0.0.1:1/v1', '--cassette', first];
    const { code, stderr } = await runAssay(['record', ...flags, '--', process.execPath, '-e', program]);
    expect(stderr).toContain('Nothing answers at http://127.0.0.1:1/v1: ECONNREFUSED\n');
    expect([code, existsSync(first), existsSync(`${first}.failed`)]).toEqual([2, true, false]);
  });

  test('gets a hint about probable secrets in a body, and about nothing else', async () => {
    const service = await serveReference();
    const attempt = (name: string, content: string) => {
      const body = JSON.stringify({ model: 'chat-large', messages: [{ role: 'user', content }] });
      const headers = { 'content-type': 'application/json' };
      const init = JSON.stringify({ method: 'POST', headers, body });
      const program = `fetch(process.env.OPENAI_BASE_URL + '/chat/completions', ${init})`;
      const flags = ['--base-url', service.url, '--cassette', join(folder, name)];
      return runAssay(['record', ...flags, '--', process.execPath, '-e', program]);
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

  test('is not extended by --mode new if the service does not answer', async () => {
    const kept = join(folder, 'known');
    cpSync(cassette, kept, { recursive: true });
    const readCassetteText = () => readFileSync(join(kept, 'cassette.jsonl'), 'utf8');
    const before = readCassetteText();
    const program = `fetch(process.env.OPENAI_BASE_URL + '/models/other')`;
    const flags = ['--base-url', 'http://127.0.0.1:1/v1', '--cassette', kept, '--mode', 'new'];
    const { code, stderr } = await runAssay(['record', ...flags, '--', process.execPath, '-e', program]);
    expect(stderr).toContain('Nothing answers at http://127.0.0.1:1/v1: ECONNREFUSED');
    expect(stderr).toContain(`0 exchanges recorded in ${kept}, 1 left out, as the service did not answer`);
    expect([code, readCassetteText() === before]).toEqual([2, true]);
  });

  test('is not created for a command that cannot be started', async () => {
    const cassette = join(folder, 'none');
    const flags = ['--base-url', 'http://127.0.0.1:1', '--cassette', cassette];
    const { code, stderr } = await runAssay(['record', ...flags, '--', 'no-such-command']);
    expect([code, existsSync(cassette)]).toEqual([2, false]);
    expect(stderr).toContain('the command does not exist');
  });
});
