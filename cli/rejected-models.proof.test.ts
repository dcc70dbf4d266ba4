import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { OwnAnswer } from './testing/answering-proxy.ts';
import { readReportIn, setUpJudgedReference } from './testing/judged-reference.ts';
import { runAssay } from './testing/run-assay.ts';

const { judge, judgeBehind, startBehind, url } = setUpJudgedReference();

function refuseAsUnknown(code: string): OwnAnswer {
  const error = { message: 'Not found.', type: 'x', param: null, code };
  return { status: 404, body: JSON.stringify({ error }) };
}

test('a wrong model name for one role ends the run before it begins, with the nearest names', async () => {
  const { code, stdout, stderr } = await judge(url(), [
    '--claim',
    'models,files',
    '--model',
    'chat=chat-larg',
  ]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/--model chat=chat-larg: the target answers 404 .* nearest: chat-large, chat-small/);
});

test('a wrong model name for all roles ends the run before it begins, with the nearest names', async () => {
  const { code, stdout, stderr } = await judge(url(), ['--claim', 'chat', '--model', 'chat-lagre']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(
    /--model chat-lagre: the target refuses every trial with this model\. It lists \d+ models; the nearest: chat-large, /,
  );
});

test('a wrong model name ends the run before it begins, even if the service lists no models', async () => {
  const { code, stdout, stderr } = await judgeBehind(
    ({ target, body }) => {
      if (target.startsWith('/v1/models')) return refuseAsUnknown('no_route');
      return body.includes('no-such') ? refuseAsUnknown('model_not_found') : null;
    },
    ['--claim', 'chat', '--model', 'chat=no-such'],
  );
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(
    /--model chat=no-such: the target answers 404 to a request with this model .* It lists no models\./,
  );
});

test('run and check remark on a model that is rejected once the run has begun, but not on one that is accepted', async () => {
  let isTried = false;
  const target = await startBehind(({ method, target: path, body }) => {
    if (path === '/v1/models') return refuseAsUnknown('no_route');
    // The trial before the run is accepted, so that the run begins with a model it cannot use. The requests before the
    // trial, which find out which paths exist, have empty bodies.
    if (isTried || method !== 'POST' || body.length <= '{}'.length) return null;
    isTried = true;
    return { status: 200, body: '{}' };
  });
  const flags = ['--claim', 'chat', '--only', 'createChatCompletion:body.n#*', '--model'];
  const wrong = await judge(target.url, [...flags, 'chat=wrong']);
  const right = await judge(target.url, [...flags, 'chat=chat-large']);
  await target.close();
  const message =
    /^hint: every request with the model wrong was refused \(404.*\): is --model chat=wrong right\?$/m;
  expect(wrong.stdout).toMatch(message);
  expect(readReportIn(right.dir).remarks).toEqual([]);
  const again = await runAssay(['check', join(wrong.dir, 'cassette')]);
  expect(again.stdout).toMatch(message);
});
