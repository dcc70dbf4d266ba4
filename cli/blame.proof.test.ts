import { expect, test } from 'vitest';
import type { ArrivedRequest, OwnAnswer } from './testing/answering-proxy.ts';
import { listFailing, MODEL_FLAGS, readReportIn, setUpJudgedReference } from './testing/judged-reference.ts';

const CHAT = '/v1/chat/completions';
const { judgeBehind } = setUpJudgedReference();

function run(answer: (arrived: ArrivedRequest) => OwnAnswer | null) {
  return judgeBehind(answer, [...MODEL_FLAGS, '--claim', 'chat', '--report', 'terminal,json']);
}

const listFailingIn = (dir: string) => listFailing(readReportIn(dir));
/** Excludes the operation as a whole, which also fails if a valid request always gets 500 and others are accepted. */
const listBlamedIn = (dir: string) =>
  listFailingIn(dir).filter((id) => id !== 'createChatCompletion:accepts');

test('a service that answers 500 to a quotation mark in a prompt is judged by prompts without one', async () => {
  const quoted = /"(content|text)":"[^"]*\\"/;
  const { code, stdout, dir } = await run(({ target, body }) =>
    target === CHAT && quoted.test(body) ? { status: 500 } : null,
  );
  expect(listFailingIn(dir)).toEqual([]);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^conforms$/m)]);
});

test('a service that answers 500 to every request of an operation has one cause, and the exit code is 2', async () => {
  const { code, stdout, dir } = await run(({ target }) => (target === CHAT ? { status: 500 } : null));
  expect(listFailingIn(dir)).toEqual([]);
  expect(code).toBe(2);
  const causes = stdout.match(/^\d+ requirements? blocked by .*$/gm) ?? [];
  expect(causes).toEqual([
    expect.stringMatching(/: the base request POST \/v1\/chat\/completions is refused: 500 No\.$/),
  ]);
  expect(stdout).toContain('claimed, but never exercised: createChatCompletion');
});

test('a field that is sent with most probes is named as the only cause', async () => {
  const { code, dir } = await run(({ target, body }) =>
    target === CHAT && body.includes('"max_tokens"') ? { status: 500 } : null,
  );
  expect([code, listBlamedIn(dir)]).toEqual([1, ['createChatCompletion:body.max_tokens#type.accepted']]);
});

test('a refused base request is blamed, and blocks the requests derived from it', async () => {
  const { code, stdout, dir } = await run(({ target, body }) =>
    target === CHAT && body.includes('Say assay.') && body.includes('"content":"') ? { status: 500 } : null,
  );
  expect(code).toBe(1);
  expect(listBlamedIn(dir)).toEqual(['createChatCompletion:body#required.accepted']);
  expect(stdout).toMatch(
    /blocked by (?:exchange|\d+ exchanges, the first) e\d+: the base request POST \/v1\/chat\/completions is refused/,
  );
});

test('a refused value is blamed if the base request is accepted', async () => {
  const { code, dir } = await run(({ target, body }) =>
    target === CHAT && /"temperature":2[,}]/.test(body) ? { status: 500 } : null,
  );
  expect([code, listBlamedIn(dir)]).toEqual([1, ['createChatCompletion:body.temperature#maximum.accepted']]);
});

test('a service that refuses every edit and variation is not blamed for the model of one', async () => {
  const { code, stdout, dir } = await judgeBehind(
    ({ target }) => (/images\/(edits|variations)$/.test(target) ? { status: 500 } : null),
    [...MODEL_FLAGS, '--claim', 'images', '--allow', 'images', '--report', 'terminal,json'],
  );
  expect(listFailingIn(dir).filter((id) => id.includes('earlier-model'))).toEqual([]);
  expect(code).not.toBe(0);
  expect(stdout).toMatch(
    /blocked by (?:exchange|\d+ exchanges, the first) e\d+: the base request POST \/v1\/images\/edits is refused: 500/,
  );
});

test('an edit that is refused only for its model is blamed on the model', async () => {
  const { dir } = await judgeBehind(
    ({ target, body }) =>
      target.endsWith('/images/edits') && body.includes('name="model"') ? { status: 400 } : null,
    [
      ...MODEL_FLAGS,
      '--claim',
      'images',
      '--allow',
      'images',
      '--scenario',
      'images.edits-earlier-model',
      '--report',
      'json',
    ],
  );
  expect(listFailingIn(dir)).toContain('images.edits-earlier-model.accepted');
});
