// Targets that refuse the base of many requests: one cause is named, and nothing that only shares it is blamed.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { modelRoles } from '../reference/model/catalogue.ts';
import { type Reference, startReference } from '../reference/service.ts';
import type { Report } from '../reports/report.ts';
import { type Arrived, answeringProxy, type OwnAnswer } from './testing/answering-proxy.ts';
import { runAssay } from './testing/run-assay.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-blame-'));
const CHAT = '/v1/chat/completions';
const ROLES = Object.entries(modelRoles).map(([role, model]) => `${role}=${model}`);
let reference: Reference;

beforeAll(async () => {
  reference = await startReference({ pace: 5 });
});

afterAll(async () => {
  await reference.close();
  rmSync(folder, { recursive: true });
});

/** Judges chat of the reference behind a service that answers some requests itself. */
async function run(answer: (arrived: Arrived) => OwnAnswer | null, models: readonly string[] = ROLES) {
  const target = await answeringProxy(reference.url, answer);
  const dir = mkdtempSync(join(folder, 'run-'));
  const flags = ['--claim', 'chat', '--report', 'terminal,json', '--report-dir', dir];
  const roles = models.flatMap((model) => ['--model', model]);
  const result = await runAssay(['run', '--base-url', target.url, ...roles, ...flags]);
  await target.close();
  return { ...result, dir };
}

function failing(dir: string): readonly string[] {
  const { requirements } = JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8')) as Report; // as: its schema is tested elsewhere
  return requirements.flatMap(({ id, verdict }) => (verdict === 'fail' ? [id] : []));
}

test('a service that answers 500 to a quotation mark in a prompt is judged without one', async () => {
  const quoted = /"(content|text)":"[^"]*\\"/;
  const { code, stdout, dir } = await run(({ target, body }) =>
    target === CHAT && quoted.test(body) ? { status: 500 } : null,
  );
  expect(failing(dir)).toEqual([]);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^conforms$/m)]);
});

test('a service that answers 500 to every request of an operation has one cause, and the exit code is 2', async () => {
  const { code, stdout, dir } = await run(({ target }) => (target === CHAT ? { status: 500 } : null));
  expect(failing(dir)).toEqual([]);
  expect(code).toBe(2);
  const causes = stdout.match(/^\d+ requirements? blocked by .*$/gm) ?? [];
  expect(causes).toEqual([
    expect.stringMatching(/: the base request POST \/v1\/chat\/completions is refused: 500 No\.$/),
  ]);
  expect(stdout).toContain('claimed, but never exercised: createChatCompletion');
});

test('a field that is sent along with most probes is blamed alone', async () => {
  const { code, dir } = await run(({ target, body }) =>
    target === CHAT && body.includes('"max_tokens"') ? { status: 500 } : null,
  );
  expect([code, failing(dir)]).toEqual([1, ['createChatCompletion:body.max_tokens#type.accepted']]);
});

test('a base request that alone is refused is blamed, and blocks what adds to it', async () => {
  const { code, stdout, dir } = await run(({ target, body }) =>
    target === CHAT && body.includes('Say assay.') && body.includes('"content":"') ? { status: 500 } : null,
  );
  expect(code).toBe(1);
  expect(failing(dir)).toEqual(['createChatCompletion:body#required.accepted']);
  expect(stdout).toMatch(
    /blocked by exchange e\d+: the base request POST \/v1\/chat\/completions is refused/,
  );
});

test('a refused value is blamed where the base is accepted', async () => {
  const { code, dir } = await run(({ target, body }) =>
    target === CHAT && /"temperature":2[,}]/.test(body) ? { status: 500 } : null,
  );
  expect([code, failing(dir)]).toEqual([1, ['createChatCompletion:body.temperature#maximum.accepted']]);
});

test('a wrong name for all roles ends the run before it begins, with the nearest names', async () => {
  const { code, stderr } = await run(() => null, ['chat-lagre']);
  expect(code).toBe(2);
  expect(stderr).toMatch(
    /--model chat-lagre: the target refuses every trial with this model\. It lists \d+ models; the nearest: chat-large, /,
  );
});

test('a wrong model name ends the run before it begins, also where the service lists no models', async () => {
  const unknown = (code: string): OwnAnswer => ({
    status: 404,
    body: JSON.stringify({ error: { message: 'Not found.', type: 'x', param: null, code } }),
  });
  const { code, stderr } = await run(
    ({ target, body }) => {
      if (target.startsWith('/v1/models')) return unknown('no_route');
      return body.includes('no-such') ? unknown('model_not_found') : null;
    },
    ['chat=no-such'],
  );
  expect(code).toBe(2);
  expect(stderr).toMatch(
    /--model chat=no-such: the target answers 404 to a request with this model .* It lists no models\./,
  );
});
