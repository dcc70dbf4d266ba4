import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { readTrace } from '../exchange/cassette/cassette.ts';
import { startUpstream, type TestUpstream } from '../proxy/testing/upstream.ts';
import { serveReference } from '../reference/service.ts';
import type { Report } from '../reports/report.ts';
import { startAnsweringProxy } from './testing/answering-proxy.ts';
import { BAD_TARGETS } from './testing/bad-targets.ts';
import { MODEL_FLAGS } from './testing/judged-reference.ts';
import { type CommandResult, runAssay } from './testing/run-assay.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-targets-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Run extends CommandResult {
  readonly report: Report;
  readonly dir: string;
}

async function run(name: string, url: string, ...flags: string[]): Promise<Run> {
  // Chat has the most requests; a target that fails everything shows it in other families as well.
  const claim = flags.includes('--claim') ? [] : ['--claim', 'models,files'];
  const dir = join(folder, name.replaceAll(' ', '-'));
  const where = ['run', '--base-url', url, ...claim, '--model', 'chat=any', '--report-dir', dir];
  const result = await runAssay([...where, '--concurrency', '16', ...flags]);
  const report = JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8')) as Report; // as: its schema is tested elsewhere
  expect(result.stderr).not.toMatch(/^\s+at .*:\d+:\d+/m);
  return { ...result, report, dir };
}

const WITH_CHAT = ['--claim', 'models,files,chat'];
const REFUSING = ['answers 401', 'answers 404', 'answers 500', 'never answers'] as const;
const TORN = 'breaks off in the middle of an answer';

describe('a target that', () => {
  test.for(REFUSING)('%s passes nothing', async (name) => {
    const { url, close } = await startUpstream(BAD_TARGETS[name]);
    const { code, report, dir, stdout } = await run(name, url, '--timeout', '1');
    await close();
    expect(report.requirements.filter(({ verdict }) => verdict === 'pass').map(({ id }) => id)).toEqual([]);
    expect(code).toBe(report.summary.exitCode);
    expect(code).toBeGreaterThan(0);
    expect(report.requirements.filter(({ verdict }) => verdict === 'error')).toEqual([]);
    expect(stdout).toMatch(/^(does not conform|cannot tell)$/m);
    expect((await readTrace(join(dir, 'cassette'))).items.length).toBeGreaterThan(0);
  });
});

test('a target that answers 404 everywhere is said to have nothing under its URL', async () => {
  const { url, close } = await startUpstream(BAD_TARGETS['answers 404']);
  const { stdout } = await run('answers 404 everywhere', url, '--timeout', '1');
  await close();
  expect(stdout).toContain(`Nothing is found under ${url}`);
});

test(`a target that ${TORN} shows only that the response began`, async () => {
  const { url, close } = await startUpstream(BAD_TARGETS[TORN]);
  const { code, report, stdout } = await run('torn', url);
  await close();
  expect(code).toBeGreaterThan(0);
  const bodyRequirements = report.requirements.filter(
    ({ id, kind }) => kind !== 'accepted' && !id.endsWith('#contentType'),
  );
  expect(bodyRequirements.filter(({ verdict }) => verdict === 'pass')).toEqual([]);
  expect(stdout).toMatch(/^(does not conform|cannot tell)$/m);
});

describe('a target that accepts everything, but', () => {
  const names = Object.keys(BAD_TARGETS) as (keyof typeof BAD_TARGETS)[]; // as: keys of a literal
  test.for(names.filter((name) => name !== TORN && !REFUSING.some((other) => other === name)))(
    '%s does not conform',
    async (name) => {
      const { url, close } = await startUpstream(BAD_TARGETS[name]);
      // Each endless stream lasts until the timeout, so only a few are tried.
      const only = ['--only', 'chat.completion.chunk:id#*,listModels:answer#*'];
      const selection = [...WITH_CHAT, ...only, '--scenario', 'chat.plain,models.list'];
      const flags =
        name === 'streams without an end' ? ['--timeout', '0.5', ...selection] : ['--timeout', '1'];
      const { code, report, stdout } = await run(name, url, ...flags);
      await close();
      expect(code).toBe(1);
      expect(stdout).toMatch(/^does not conform$/m);
      const answers = report.requirements.filter(({ id }) => /:answer#/.test(id));
      expect(answers.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn')).not.toEqual([]);
      expect(report.requirements.filter(({ verdict }) => verdict === 'error')).toEqual([]);
      const rejected = report.requirements.filter(
        ({ kind, verdict }) => kind === 'rejected' && verdict === 'pass',
      );
      expect(rejected).toEqual([]);
    },
  );
});

test('if nothing listens, the verdict is "cannot tell"', async () => {
  const { code, report, stdout, stderr } = await run('nothing listens', 'http://127.0.0.1:1');
  expect({ code, stop: report.stopReason }).toEqual({ code: 2, stop: 'target-unreachable' });
  expect(stdout).toMatch(/^cannot tell$/m);
  expect((stdout + stderr).split('Nothing answers at http://127.0.0.1:1/v1')).toHaveLength(2);
  expect(stdout).not.toContain('never exercised');
});

test('at a wrong path, nothing is found and nothing passes', async () => {
  const reference = await serveReference();
  const url = `${reference.url.replace('/v1', '')}/somewhere/v1`;
  const { code, report, stdout, stderr } = await run('wrong path', url);
  await reference.close();
  expect(report.summary.requirements.pass).toBe(0);
  expect([code, report.stopReason, report.cost.requests]).toEqual([2, 'target-unreachable', 0]);
  const message = `Nothing is found under ${url}: GET /somewhere/v1/models is answered 404`;
  expect((stdout + stderr).split(message)).toHaveLength(2);
  expect(stdout).toContain(`no operation of the target could be reached: ${message}`);
});

describe('if a target dies during a run', () => {
  /** Starts a target that answers `count` requests, and closes the connection of each later one. */
  async function startDying(count: number): Promise<TestUpstream> {
    const reference = await serveReference();
    onTestFinished(() => reference.close());
    let requestCount = 0;
    return startAnsweringProxy(reference.url, (_, outgoing) => {
      requestCount += 1;
      if (requestCount > count) outgoing.destroy();
      return null;
    });
  }

  test('what was recorded is kept and judged', async () => {
    const { url, close } = await startDying(60);
    const { code, report, dir } = await run('dies', url, ...WITH_CHAT, '--model', 'chat=chat-large');
    await close();
    expect(report.stopReason).toBe('target-died');
    expect(code).toBe(2);
    expect(report.summary.requirements.pass).toBeGreaterThan(0);
    expect(report.summary.requirements.fail).toBe(0);
    expect((await readTrace(join(dir, 'cassette'))).items.length).toBeGreaterThan(60);
  });

  test('the calls in flight are named', async () => {
    const { url, close } = await startDying(40);
    const { code, stdout } = await run('dies in flight', url, '--claim', 'chat', ...MODEL_FLAGS);
    await close();
    expect(code).toBe(2);
    expect(stdout).toMatch(
      /^ {2}the target stopped answering at exchange e\d+: .*; in flight: POST \/v1\/chat\/completions \(e\d+(, e\d+)*\)$/m,
    );
    expect(stdout).toMatch(
      /^next: start the service again, .*what was in flight .*:\n {2}npx assay show \S+cassette( e\d+)+$/m,
    );
  });
});

test('the report does not advise giving a key that was sent and rejected', async () => {
  const { url, close } = await startUpstream(BAD_TARGETS['answers 401']);
  const dir = join(folder, 'wrong-key');
  const flags = ['run', '--base-url', url, '--claim', 'models', '--report-dir', dir];
  const { stdout } = await runAssay(flags, { env: { ASSAY_API_KEY: 'sk-wrong-key-of-a-test' } });
  await close();
  expect(stdout).toContain('The key in ASSAY_API_KEY was sent and refused: does it belong to this target?');
  expect(stdout).not.toContain('No key was sent');
});
