import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readTrace } from '../exchange/cassette/cassette.ts';
import { DISCOVERY, type Exchange } from '../exchange/exchange.ts';
import { isNote } from '../exchange/trace.ts';
import { MODEL_FLAGS, readReportIn, setUpJudgedReference } from './testing/judged-reference.ts';

const { judge, judgeBehind, url } = setUpJudgedReference();

function createModelList(ids: readonly unknown[], owner = 'x'): string {
  return JSON.stringify({
    object: 'list',
    data: ids.map((id) => ({ id, object: 'model', owned_by: owner })),
  });
}

const isPost = ({ request }: Exchange) => request.method === 'POST';

const otherModels = (count: number) => Array.from({ length: count }, (_, i) => `other-${i}`);

test.for<[name: string, list: string, code: number, message: RegExp, trials: number]>([
  [
    '10 MB',
    createModelList(['chat-large', ...otherModels(100)], 'x'.repeat(100_000)),
    0,
    /\(the target lists 101\): --model chat=chat-large/,
    1,
  ],
  [
    '5,000 models',
    createModelList([...otherModels(5_000), 'chat-large']),
    0,
    /\(the target lists 5001\): --model chat=chat-large/,
    1,
  ],
  [
    'models that refuse every request',
    createModelList(otherModels(4)),
    2,
    /no model for chat \(tried other-0, other-1, other-2\)/,
    3,
  ],
  [
    'ids that are not strings',
    createModelList([7, null, ['x'], 'chat-large']),
    0,
    /\(the target lists 1\): --model chat=chat-large/,
    1,
  ],
])('the models in a list of %s are searched with few trials', async ([, body, expected, message, trials]) => {
  const answer: Parameters<typeof judgeBehind>[0] = ({ target }) =>
    target === '/v1/models' ? { status: 200, body } : null;
  const only = ['--claim', 'chat', '--only', 'createChatCompletion:body.n#type.accepted'];
  const { code, stderr, dir } = await judgeBehind(answer, only);
  expect([code, stderr]).toEqual([expected, expect.stringMatching(message)]);
  // Discovery sends a valid request; if it is refused, a malformed one and one to an unknown path follow.
  const discovery = expected === 0 ? 1 : 3;
  const { items } = await readTrace(join(dir, 'cassette'));
  const trialRequests = items.filter((item) => !isNote(item) && item.scenario === DISCOVERY && isPost(item));
  expect(trialRequests).toHaveLength(trials + discovery);
});

test('one model for all roles is reported as given, not as found', async () => {
  const only = ['--claim', 'chat', '--only', 'createChatCompletion:body.n#type.accepted'];
  const { stdout, stderr } = await judge(url(), [...only, '--model', 'chat-large']);
  expect(stderr).toMatch(/^--model chat-large serves chat/m);
  expect(`${stdout}${stderr}`).not.toContain('found by trial');
});

test('a run without claim and model flags gives the same verdicts as one with all of them', async () => {
  const listVerdicts = async (flags: readonly string[]) => {
    const { dir } = await judge(url(), [...flags, '--only', '*#required.accepted'], { CI: '' });
    return readReportIn(dir).requirements.map(({ id, verdict }) => `${id} ${verdict}`);
  };
  const verdicts = await listVerdicts([]);
  expect(verdicts).toContainEqual(expect.stringMatching(/ pass$/));
  expect(verdicts).toEqual(await listVerdicts(['--claim', 'all', ...MODEL_FLAGS]));
});
