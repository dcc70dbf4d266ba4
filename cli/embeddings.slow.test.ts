// The example as users have it: the compiled command judges a small real server with the extension, without
// changes to assay.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { projectWithExamples } from '../extension/testing/project.ts';
import { runAssay } from './testing/run-assay.ts';

const folder = projectWithExamples();
const extension = 'examples/embeddings/extension.json';
afterAll(() => rmSync(folder, { recursive: true }));

interface StartedServer {
  readonly url: string;
  close(): Promise<void>;
}

async function started(fault: string | null = null): Promise<StartedServer> {
  // as: the example is JavaScript, for readers who run it as it is
  const { startServer } = (await import(
    new URL('../examples/embeddings/server.mjs', import.meta.url).href
  )) as {
    startServer(options: { readonly fault: string | null }): Promise<StartedServer>;
  };
  return startServer({ fault });
}

/** Judges a server, and returns the outcome and the report. */
async function judgeServer(url: string, name: string) {
  const reportDir = join(folder, name);
  const words = ['--base-url', url, '--claim', 'embeddings', '--report', 'json', '--report-dir', reportDir];
  const outcome = await runAssay(['run', '--extension', extension, ...words], { cwd: folder });
  expect(outcome.stderr).not.toContain('--help');
  return { ...outcome, report: JSON.parse(readFileSync(join(reportDir, 'report.json'), 'utf8')) };
}

function idsWith(
  report: { readonly requirements: readonly { id: string; verdict: string }[] },
  verdict: string,
) {
  return report.requirements.filter((one) => one.verdict === verdict).map(({ id }) => id);
}

describe('a server that conforms', () => {
  let server: StartedServer;
  beforeAll(async () => {
    server = await started();
  });
  afterAll(() => server.close());

  test('conforms: all requirements of the extension are shown', async () => {
    const { code, stderr, report } = await judgeServer(server.url, 'good');
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    expect(idsWith(report, 'pass').filter((id) => id.startsWith('embeddings.'))).toHaveLength(69);
    expect(
      report.operations.filter((one: { exercised?: boolean; claimed: boolean }) => one.claimed),
    ).toHaveLength(1);
    expect(report.extensions).toEqual([
      { name: 'embeddings', digest: expect.stringMatching(/^[0-9a-f]{16}$/) },
    ]);
    expect(report.choices).toContainEqual(
      expect.objectContaining({ id: 'embeddings.create.norm', taken: ['length one'] }),
    );
  });

  test('its cassette is judged alike offline, and only with the extension', async () => {
    const cassette = join(folder, 'good/cassette');
    const words = ['--report', 'json', '--report-dir', join(folder, 'offline')];
    const { code } = await runAssay(['check', cassette, '--extension', extension, ...words], { cwd: folder });
    const [live, offline] = ['good', 'offline'].map((name) =>
      JSON.parse(readFileSync(join(folder, name, 'report.json'), 'utf8')),
    );
    expect(code).toBe(0);
    expect(offline.requirements).toEqual(live.requirements);
    expect(await runAssay(['check', cassette], { cwd: folder })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('driven with the extension embeddings: give its file with --extension'),
    });
  });

  test('its cassette is replayed as it is, and verified by the schemas of the extension', async () => {
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
      extension,
      '--report-dir',
      join(folder, 'session'),
    ];
    expect((await at([...watch, ...program])).code).toBe(0);
    expect((await at(['replay', cassette, '--strict', ...program])).code).toBe(0);
    const verify = (url: string) => ['verify', cassette, '--base-url', url];
    const refused = await at(verify(server.url));
    expect(refused.stderr).toContain('driven with the extension embeddings: give its file with --extension');
    expect(refused.code).toBe(2);
    const same = await at([...verify(server.url), '--extension', extension]);
    expect([same.code, same.stdout]).toEqual([0, '']);
    const other = await started('text-as-index');
    const drifted = await at([...verify(other.url), '--extension', extension]);
    await other.close();
    expect(drifted.stdout).toMatch(
      /schema at \/data\/0\/index\s+recorded {2}a number\s+now {7}a string: must be integer/,
    );
    expect(drifted.code).toBe(1);
  });

  test('its requirements are proved both ways', async () => {
    const { code, stdout } = await runAssay(
      ['prove', join(folder, 'good/cassette'), '--extension', extension],
      { cwd: folder },
    );
    expect(stdout).toMatch(
      /^(\d+) of \1 mutants killed, 0 survived, 0 exceptions; \d+ equivalent mutants, 0 of which failed/,
    );
    expect(stdout).toContain('69 requirements proved, 0 without evidence');
    expect(code).toBe(0);
  });

  test('watch judges a client of it', async () => {
    const client = `const answer = await fetch(process.env.OPENAI_BASE_URL + '/embeddings', { method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'text-embedding-tiny', input: ['a', 'a'] }) }); process.exit(answer.ok ? 0 : 3)`;
    const options = [
      '--base-url',
      server.url,
      '--extension',
      extension,
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

test('list and explain know the extension, and nothing of it is left behind', async () => {
  const listed = await runAssay(['list', '--family', 'embeddings', '--extension', extension], {
    cwd: folder,
  });
  expect(listed.stdout).toContain('embeddings.create.in-order');
  const explained = await runAssay(['explain', 'embeddings.create.in-order', '--extension', extension], {
    cwd: folder,
  });
  expect(explained.stdout).toContain('The index of each embedding is the place of its text');
  expect(await runAssay(['list', '--family', 'embeddings'], { cwd: folder })).toMatchObject({ code: 2 });
});

test('a process that has judged both sides with the extension judges them without it', () => {
  const program = `import { main } from ${JSON.stringify(pathToFileURL(join(dirname(inject('main')), '../lib/program.js')))};
const codes = [];
for (const extension of [['--extension', process.argv[1]], []])
  for (const side of ['server', 'client']) codes.push(await main(['list', '--side', side, ...extension]));
process.exitCode = Math.max(...codes);`;
  const node = ['--input-type=module', '--eval', program, extension];
  const { status, stderr } = spawnSync(process.execPath, node, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
});

test.each([
  ['reversed', 'embeddings.create.in-order'],
  ['counted-from-one', 'embeddings.create.in-order'],
  ['one-too-few', 'embeddings.create.one-per-text'],
  ['always-numbers', 'embeddings.create.in-form'],
  ['fixed-dimensions', 'embeddings.create.dimensions'],
  ['total-zero', 'embeddings.create.total-usage'],
  ['text-as-index', 'embeddings.Embedding:index#type'],
  ['no-usage', 'embeddings.EmbeddingList:usage#required'],
  ['unstable', 'embeddings.create.equal-texts'],
  ['takes-large-batches', 'embeddings.createEmbedding:body.input(array)#maxItems.rejected'],
  ['takes-any-form', 'embeddings.createEmbedding:body.encoding_format#enum.rejected'],
])('a server that is %s breaks %s', async (fault, id) => {
  const server = await started(fault);
  try {
    const { code, report } = await judgeServer(server.url, fault);
    expect(code).toBe(1);
    expect(idsWith(report, 'fail')).toContain(id);
    // Requirements that the fault does not affect pass.
    expect(idsWith(report, 'fail').length).toBeLessThan(4);
  } finally {
    await server.close();
  }
});

test('the printed commands carry the extension', async () => {
  const server = await started('reversed');
  await judgeServer(server.url, 'printed');
  await server.close();
  const check = ['check', join(folder, 'printed/cassette'), '--extension', extension];
  const { stdout } = await runAssay(check, { cwd: folder });
  const commands = stdout.match(/npx assay (?:run|check|explain) .*/g) ?? [];
  expect(commands.length).toBeGreaterThan(1);
  for (const command of commands) expect(command).toContain(`--extension ${extension}`);
});
