import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import {
  createEmbeddingsProject,
  type EmbeddingsServer,
  EXTENSION,
  startEmbeddings,
} from './testing/embeddings-project.ts';
import { runAssay } from './testing/run-assay.ts';

const { folder, judge } = createEmbeddingsProject();

describe('a server that conforms', () => {
  let server: EmbeddingsServer;
  beforeAll(async () => {
    server = await startEmbeddings();
  });
  afterAll(() => server.close());

  test('conforms, and exercises all requirements of the extension', async () => {
    const { code, stderr, report } = await judge(server.url, 'good');
    expect(code, stderr).toBe(0);
    const verdicts = report.requirements.flatMap(({ id, verdict }: { id: string; verdict: string }) =>
      id.startsWith('embeddings.') ? [verdict] : [],
    );
    expect(verdicts).toEqual(Array.from({ length: 69 }, () => 'pass'));
    expect(report.operations.filter((one: { claimed: boolean }) => one.claimed)).toHaveLength(1);
    expect(report.extensions).toEqual([
      { name: 'embeddings', digest: expect.stringMatching(/^[0-9a-f]{16}$/) },
    ]);
    expect(report.choices).toContainEqual(
      expect.objectContaining({ id: 'embeddings.create.norm', taken: ['length one'] }),
    );
  });

  test('gives a cassette with the same verdicts offline', async () => {
    const cassette = join(folder, 'good/cassette');
    const words = ['--report', 'json', '--report-dir', join(folder, 'offline')];
    const { code } = await runAssay(['check', cassette, '--extension', EXTENSION, ...words], { cwd: folder });
    const [live, offline] = ['good', 'offline'].map((name) =>
      JSON.parse(readFileSync(join(folder, name, 'report.json'), 'utf8')),
    );
    expect(code).toBe(0);
    expect(offline.requirements).toEqual(live.requirements);
  });

  test('gives a cassette that is judged only with the extension', async () => {
    const cassette = join(folder, 'good/cassette');
    expect(await runAssay(['check', cassette], { cwd: folder })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('recorded with the extension embeddings: give it with --extension'),
    });
  });

  test('gives a cassette that is replayed without the extension, and verified only with it', async () => {
    const cassette = join(folder, 'session/cassette');
    const client = `const answer = await fetch(process.env.OPENAI_BASE_URL + '/embeddings', { method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'text-embedding-tiny', input: ['a', 'b'] }) });
      process.exit((await answer.json()).data?.length === 2 ? 0 : 3)`;
    const program = ['--', process.execPath, '--input-type=module', '-e', client];
    const at = (command: readonly string[]) => runAssay(command, { cwd: folder });
    const watch = [
      'watch',
      '--base-url',
      server.url,
      '--extension',
      EXTENSION,
      '--report-dir',
      join(folder, 'session'),
    ];
    expect((await at([...watch, ...program])).code).toBe(0);
    expect((await at(['replay', cassette, '--strict', ...program])).code).toBe(0);
    const verify = (url: string) => ['verify', cassette, '--base-url', url];
    const refused = await at(verify(server.url));
    expect(refused.stderr).toContain('recorded with the extension embeddings: give it with --extension');
    expect(refused.code).toBe(2);
    const same = await at([...verify(server.url), '--extension', EXTENSION]);
    expect([same.code, same.stdout]).toEqual([0, '']);
    const other = await startEmbeddings('text-as-index');
    const drifted = await at([...verify(other.url), '--extension', EXTENSION]);
    await other.close();
    expect(drifted.stdout).toMatch(
      /schema at \/data\/0\/index\s+recorded {2}a number\s+now {7}a string: must be integer/,
    );
    expect(drifted.code).toBe(1);
  });

  test('is judged by watch on the traffic of a client', async () => {
    const client = `const answer = await fetch(process.env.OPENAI_BASE_URL + '/embeddings', { method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'text-embedding-tiny', input: ['a', 'a'] }) }); process.exit(answer.ok ? 0 : 3)`;
    const options = [
      '--base-url',
      server.url,
      '--extension',
      EXTENSION,
      '--report-dir',
      join(folder, 'watched'),
    ];
    const { code, stdout } = await runAssay(
      ['watch', ...options, '--', process.execPath, '--input-type=module', '-e', client],
      { cwd: folder },
    );
    expect([code, stdout]).toEqual([0, expect.stringMatching(/embeddings\s+\d+ of \d+ pass/)]);
  });
});

test('list and explain know the extension, which does not leak into the next command', async () => {
  const listed = await runAssay(['list', '--family', 'embeddings', '--extension', EXTENSION], {
    cwd: folder,
  });
  expect(listed.stdout).toContain('embeddings.create.in-order');
  const explained = await runAssay(['explain', 'embeddings.create.in-order', '--extension', EXTENSION], {
    cwd: folder,
  });
  expect(explained.stdout).toContain('The index of each embedding is the place of its text');
  expect(await runAssay(['list', '--family', 'embeddings'], { cwd: folder })).toMatchObject({ code: 2 });
});

test('a process that has listed both sides with the extension can list them without it', () => {
  const program = `import { main } from ${JSON.stringify(pathToFileURL(join(dirname(inject('main')), '../lib/program.js')))};
const codes = [];
for (const extension of [['--extension', process.argv[1]], []])
  for (const side of ['server', 'client']) codes.push(await main(['list', '--side', side, ...extension]));
process.exitCode = Math.max(...codes);`;
  const node = ['--input-type=module', '--eval', program, EXTENSION];
  const { status, stderr } = spawnSync(process.execPath, node, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
});

test('the printed commands name the extension', async () => {
  const server = await startEmbeddings('reversed');
  await judge(server.url, 'printed');
  await server.close();
  const check = ['check', join(folder, 'printed/cassette'), '--extension', EXTENSION];
  const { stdout } = await runAssay(check, { cwd: folder });
  const commands = stdout.match(/npx assay (?:run|check|explain) .*/g) ?? [];
  expect(commands.length).toBeGreaterThan(1);
  for (const command of commands) expect(command).toContain(`--extension ${EXTENSION}`);
});

test('explain without the extension of the run names it', async () => {
  const server = await startEmbeddings('reversed');
  await judge(server.url, 'explained');
  await server.close();
  const report = join(folder, 'explained');
  const { code, stderr } = await runAssay(['explain', 'embeddings.create.in-order', '--report', report]);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining(`the run in ${report} used the extension embeddings`),
  ]);
});
