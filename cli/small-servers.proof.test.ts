import { expect, test } from 'vitest';
import { firstHeader } from '../exchange/http/headers.ts';
import { serveReference } from '../reference/service.ts';
import type { ArrivedRequest, OwnAnswer } from './testing/answering-proxy.ts';
import { listFailing, MODEL_FLAGS, readReportIn, setUpJudgedReference } from './testing/judged-reference.ts';
import { serveLimitedModel } from './testing/limited-model.ts';

const reference = setUpJudgedReference();
const RUN_FLAGS = [...MODEL_FLAGS, '--report', 'json,terminal'];
const selectScenarios = (...scenarios: readonly string[]) =>
  scenarios.flatMap((name) => ['--scenario', name]);

test('a model without functions, JSON or a long context fails nothing, and one line explains each gap', async () => {
  const server = await serveLimitedModel(reference.url());
  const { code, stdout, dir } = await reference.judge(server.url, ['--claim', 'chat', ...RUN_FLAGS]);
  await server.close();
  const report = readReportIn(dir);
  expect(listFailing(report)).toEqual([]);
  expect(report.requirements.filter(({ verdict }) => verdict === 'inconclusive')).toEqual([]);
  expect(stdout).toMatch(
    /^\d+ requirements untested: no evidence, as chat\.finish-reason\.forced-call is "length"$/m,
  );
  expect(stdout).toMatch(
    /^1 requirement untested: no evidence, as chat\.finish-reason\.json-mode is "length"$/m,
  );
  expect(stdout).toMatch(
    /^2 requirements blocked by exchange e\d+: .* it exceeds the context of the model$/m,
  );
  expect(code).toBe(0);
});

test('runs of a small model fail no requirement, and one line for each feature says what is not shown', async () => {
  const server = await serveReference({ pace: 5, smallModel: true });
  const flags = ['--claim', 'runs,run-steps', ...selectScenarios('runs.*', 'run-steps.*'), ...RUN_FLAGS];
  const { code, stdout, dir } = await reference.judge(server.url, flags);
  await server.close();
  const report = readReportIn(dir);
  expect(listFailing(report)).toEqual([]);
  expect(report.requirements.filter(({ verdict }) => verdict === 'inconclusive')).toEqual([]);
  const verdicts = new Map(report.requirements.map(({ id, verdict }) => [id, verdict]));
  expect(verdicts.get('runs.stream.deltas-are-message')).toBe('pass');
  expect(verdicts.get('runs.tools.forced-function-called')).toBe('untested');
  expect(stdout).toMatch(
    /^\d+ requirements untested: no evidence, as runs\.stream\.end-of-forced-call is "incomplete"$/m,
  );
  expect(stdout).toMatch(
    /^2 requirements untested: no evidence, as runs\.stream\.end-in-json-mode is "incomplete"$/m,
  );
  expect(code).toBe(0);
});

test.for([
  ['incomplete', 0],
  // A model that always fails cannot be distinguished from a service that cannot run one.
  ['failed', 2],
  ['expired', 2],
] as const)(
  'if all runs end as %s, no requirement fails, and a line explains the gaps only if the model uses up its tokens',
  async ([end, exit]) => {
    const server = await serveReference({ pace: 5, runsEnd: end });
    const scenarios = selectScenarios('runs.*', 'run-steps.*', 'messages.*', 'threads.*');
    const flags = ['--claim', 'threads,messages,runs,run-steps', ...scenarios, ...RUN_FLAGS];
    const { code, stdout, dir } = await reference.judge(server.url, flags);
    await server.close();
    const report = readReportIn(dir);
    expect(listFailing(report)).toEqual([]);
    const isUndecided = report.requirements.some(({ verdict }) => verdict === 'inconclusive');
    expect(isUndecided).toBe(exit === 2);
    const lines = stdout.split('\n').filter((line) => line.includes('no evidence, as runs.stream.end is'));
    expect(lines).toEqual(
      exit === 2
        ? []
        : [
            expect.stringMatching(
              /^\d+ requirements untested: no evidence, as runs\.stream\.end is "incomplete"$/,
            ),
          ],
    );
    expect(code).toBe(exit);
  },
);

const hideVectorStores = ({ target }: ArrivedRequest): OwnAnswer | null =>
  target.startsWith('/v1/vector_stores') ? { status: 404 } : null;

test('threads, assistants and runs are judged without vector stores', async () => {
  const scenarios = selectScenarios(
    'threads.life',
    'assistants-v2.life',
    'runs.new-thread',
    'runs.overrides',
  );
  const flags = ['--claim', 'threads,assistants-v2,createThreadAndRun', ...scenarios, ...RUN_FLAGS];
  const { code, dir } = await reference.judgeBehind(hideVectorStores, flags);
  const verdicts = new Map(readReportIn(dir).requirements.map(({ id, verdict }) => [id, verdict]));
  for (const id of [
    'threads.delete.gone-from-retrieve',
    'threads.create.keeps-tool-resources',
    'assistants-v2.delete.gone-from-retrieve',
    'assistants-v2.modify.keeps-tool-resources',
    'runs.new-thread.found',
    'runs.pair.same-settings',
  ])
    expect([id, verdicts.get(id)]).toEqual([id, 'pass']);
  expect(listFailing(readReportIn(dir))).toEqual([]);
  expect(code).toBe(0);
});

test('messages are judged if only threads and messages are offered', async () => {
  const answer = ({ target }: ArrivedRequest): OwnAnswer | null =>
    target.startsWith('/v1/threads') && !target.includes('/runs') ? null : { status: 404 };
  const scenarios = selectScenarios(
    'messages.beta-form',
    'messages.of-run',
    'messages.list.listMessages.several',
  );
  const { code, dir } = await reference.judgeBehind(answer, [
    '--claim',
    'messages',
    ...scenarios,
    ...RUN_FLAGS,
  ]);
  const report = readReportIn(dir);
  expect(listFailing(report)).toEqual([]);
  const verdicts = new Map(report.requirements.map(({ id, verdict }) => [id, verdict]));
  expect(verdicts.get('thread.message.list:data#type')).toBe('pass');
  expect(verdicts.get('listMessages.page.filter-run-id')).toBe('untested');
  expect(code).toBe(0);
});

test('images are judged by the default model if none is named', async () => {
  const answer = ({ target, body }: ArrivedRequest): OwnAnswer | null =>
    target.startsWith('/v1/images') && body.includes('"model"') ? { status: 404 } : null;
  const unnamed = MODEL_FLAGS.map((flag) => flag.replace(/^(image-v\d)=.*/, '$1=none'));
  const flags = ['--claim', 'images', '--allow', 'images', ...unnamed, '--report', 'json'];
  const report = readReportIn((await reference.judgeBehind(answer, flags)).dir);
  expect(listFailing(report)).toEqual([]);
  const verdicts = new Map(report.requirements.map(({ id, verdict }) => [id, verdict]));
  for (const id of [
    'createImage:answer#json',
    'createImage:body.n#maximum.rejected',
    'createImageEdit:answer#json',
    'createImageVariation:answer#json',
  ])
    expect([id, verdicts.get(id)]).toEqual([id, 'pass']);
  expect(verdicts.get('createImage:body.quality#enum.rejected')).toBe('untested');
});

test('without vector stores, probes of tool_resources are untested, and those of other fields pass', async () => {
  const only = ['*tool_resources*', 'createThread:body.metadata#*', 'createAssistant.v2:body.name#*'];
  const flags = [
    '--claim',
    'assistants-v2,threads',
    ...only.flatMap((glob) => ['--only', glob]),
    ...RUN_FLAGS,
  ];
  const { code, dir } = await reference.judgeBehind(hideVectorStores, flags);
  const report = readReportIn(dir);
  expect(listFailing(report)).toEqual([]);
  const verdicts = new Map(report.requirements.map(({ id, verdict }) => [id, verdict]));
  for (const [place, verdict] of [
    ['createThread:body.tool_resources', 'untested'],
    ['createAssistant.v2:body.tool_resources', 'untested'],
    ['createThread:body.metadata', 'pass'],
    ['createAssistant.v2:body.name', 'pass'],
  ] as const)
    for (const side of ['accepted', 'rejected'])
      expect([place, side, verdicts.get(`${place}#type.${side}`)]).toEqual([place, side, verdict]);
  expect(
    report.requirements.filter(({ verdict, level }) => verdict === 'inconclusive' && level === 'MUST'),
  ).toEqual([]);
  expect(code).toBe(0);
});

function serveOnly(version: 'v1' | 'v2') {
  return ({ headers, target }: ArrivedRequest): OwnAnswer | null => {
    const beta = firstHeader(headers, 'vendor-beta');
    if (beta !== null && beta !== `assistants=${version}`) return { status: 400 };
    return version === 'v2' && /\/(?:assistants|messages)\/[^/]+\/files/.test(target)
      ? { status: 404 }
      : null;
  };
}

test.for(['v1', 'v2'] as const)('a server of %s alone is judged by that version', async (version) => {
  const scenarios = selectScenarios(
    `assistants-${version}.life`,
    'threads.life',
    'messages.life',
    'messages.list.listMessages.several',
    'runs.on-thread',
    'messages.of-run',
    'runs.overrides',
  );
  const flags = ['--claim', `assistants-${version},threads,messages,runs`, ...scenarios, ...RUN_FLAGS];
  const { code, dir } = await reference.judgeBehind(serveOnly(version), flags);
  const report = readReportIn(dir);
  expect(listFailing(report)).toEqual([]);
  const verdicts = new Map(report.requirements.map(({ id, verdict }) => [id, verdict]));
  for (const id of [
    'messages.retrieve.as-created',
    'listMessages.page.after',
    'threads.create.keeps-metadata',
    'runs.overrides.tools',
  ])
    expect([id, verdicts.get(id)]).toEqual([id, 'pass']);
  expect(code).toBe(0);
});

test.for([
  [
    'v2 alone',
    serveOnly('v2'),
    ['assistants-v2', 'threads', 'messages', 'runs', 'vector-stores'],
    ['assistants-v1', 'assistant-files', 'message-files'],
  ],
  [
    'v1 alone',
    serveOnly('v1'),
    ['assistants-v1', 'assistant-files', 'threads', 'messages', 'message-files'],
    ['assistants-v2', 'vector-stores', 'vector-store-files'],
  ],
  [
    'no vector stores',
    hideVectorStores,
    ['assistants-v1', 'assistants-v2', 'threads', 'runs'],
    ['vector-stores', 'vector-store-files', 'vector-store-file-batches'],
  ],
] as const)('--claim auto finds what a server with %s offers', async ([, answer, offered, missing]) => {
  const flags = ['--claim', 'auto', '--only', 'model.list:*', ...RUN_FLAGS];
  const { claims } = readReportIn((await reference.judgeBehind(answer, flags)).dir);
  expect(claims).toEqual(expect.arrayContaining([...offered]));
  expect(claims.filter((one) => (missing as readonly string[]).includes(one))).toEqual([]);
});
