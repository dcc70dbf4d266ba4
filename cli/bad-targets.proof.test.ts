import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readTrace } from '../exchange/cassette/cassette.ts';
import { startUpstream } from '../proxy/testing/upstream.ts';
import { serveReference } from '../reference/service.ts';
import type { Report } from '../reports/report.ts';
import { BAD_TARGETS } from './testing/bad-targets.ts';
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

function forward(origin: string, request: IncomingMessage, response: ServerResponse): void {
  const { method = 'GET', headers } = request;
  const body = method === 'POST' ? { body: request, duplex: 'half' } : {};
  // as: fetch takes a stream for a body, and the headers of a request as they are
  void fetch(new URL(request.url ?? '/', origin), { method, headers, ...body } as RequestInit).then(
    async (answer) => {
      const type = answer.headers.get('content-type') ?? 'application/json';
      response.writeHead(answer.status, { 'content-type': type });
      response.end(Buffer.from(await answer.arrayBuffer()));
    },
  );
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
      // Each endless stream takes a whole deadline, so only a few are tried.
      const selection = [
        ...WITH_CHAT,
        '--only',
        'chat.completion.chunk:id#*,listModels:answer#*',
        '--scenario',
        'chat.plain,models.list',
      ];
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

test('if a target dies during a run, what was recorded is kept and judged', async () => {
  const reference = await serveReference();
  let requestCount = 0;
  const { url, close } = await startUpstream((request, response) => {
    requestCount += 1;
    if (requestCount > 60) {
      request.socket.destroy();
      return;
    }
    forward(reference.url, request, response);
  });
  const { code, report, dir } = await run('dies', url, ...WITH_CHAT, '--model', 'chat=chat-large');
  await Promise.all([close(), reference.close()]);
  expect(report.stopReason).toBe('target-died');
  expect(code).toBe(2);
  expect(report.summary.requirements.pass).toBeGreaterThan(0);
  expect(report.summary.requirements.fail).toBe(0);
  expect((await readTrace(join(dir, 'cassette'))).items.length).toBeGreaterThan(60);
});

test('a model that the target rejects ends the run before it begins, with the nearest names', async () => {
  const reference = await serveReference();
  const target = ['run', '--base-url', reference.url, '--report-dir', join(folder, 'wrong-model')];
  const { code, stdout, stderr } = await runAssay([...target, '--model', 'chat=chat-larg']);
  await reference.close();
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/--model chat=chat-larg: the target answers 404 .* nearest: chat-large, chat-small/);
});

test('a model that is rejected everywhere is reported if the target lists no models', async () => {
  const reference = await serveReference();
  let isTried = false;
  const { url, close } = await startUpstream((request, response) => {
    if (request.method === 'GET' && request.url === '/v1/models') {
      response
        .writeHead(404, { 'content-type': 'application/json' })
        .end('{"error":{"message":"Not here."}}');
      return;
    }
    // The trial before the run is accepted, so that the run begins with a model it cannot use. The bodies of requests
    // that come before it are empty, to learn which paths exist.
    const isEmpty = Number(request.headers['content-length']) <= '{}'.length;
    if (!isTried && request.method === 'POST' && !isEmpty) {
      isTried = true;
      request.resume();
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    } else forward(reference.url, request, response);
  });
  const flags = [...WITH_CHAT, '--only', 'createChatCompletion:body.n#*', '--model'];
  const wrong = await run('unknown model', url, ...flags, 'chat=wrong');
  const right = await run('known model', url, ...flags, 'chat=chat-large');
  await Promise.all([close(), reference.close()]);
  const message =
    /^hint: every request with the model wrong was refused \(404.*\): is --model chat=wrong right\?$/m;
  expect(wrong.stdout).toMatch(message);
  expect(right.report.remarks).toEqual([]);
  const again = await runAssay(['check', join(wrong.dir, 'cassette')]);
  expect(again.stdout).toMatch(message);
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
