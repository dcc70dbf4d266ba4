import { expect, test } from 'vitest';
import { precedes } from '../exchange/exchange.ts';
import {
  fileService,
  isolateRuns,
  listenForTest,
  oneScenario,
  runSuite,
  sendJson,
  testConfiguration,
  writeSuite,
} from './testing/runs.ts';

isolateRuns();

test('discovery requests are recorded before the others and without the key, malformed ones one at a time', async () => {
  const files = fileService(new Map());
  const { url } = await listenForTest((request, response) => {
    if (request.url === '/v1/chat/completions') request.resume().on('end', () => sendJson(response, 400, {}));
    else files(request, response);
  });
  const { discovery, exchanges, result } = await runSuite(testConfiguration(url, { claim: 'auto' }), {
    suites: writeSuite(oneScenario),
  });
  const sent = discovery.map(
    ({ request }) => `${request.method} ${request.target} ${request.body.text ?? ''}`,
  );
  expect(sent[0]).toBe('GET /v1/models ');
  expect(sent).toContain('POST /v1/chat/completions []');
  expect(sent).toContain('GET /v1/assay-no-such-address ');
  expect(JSON.stringify(discovery)).not.toContain('the-secret-key');
  const malformed = discovery.filter(({ request }) => request.body.text === '[]');
  expect(malformed.map(({ after }) => after)).toEqual(malformed.map(({ ended }) => ended - 1));
  expect(exchanges).toHaveLength(3);
  for (const exchange of exchanges)
    expect(discovery.every((request) => precedes(request, exchange))).toBe(true);
  expect(result.isCassetteAsRecorded).toBe(true);
});

test('a run that finds no service records no discovery', async () => {
  const { url } = await listenForTest((request, response) => {
    request.resume();
    sendJson(response, 404, {});
  });
  const { discovery, result } = await runSuite(testConfiguration(url, { claim: 'auto' }), {
    suites: writeSuite(oneScenario),
  });
  expect([result.stopReason, discovery]).toEqual(['target-unreachable', []]);
});

test.for(['models', 'chat', 'all'])(
  'at a wrong path, the model of --model is not blamed with --claim %s',
  async (claim) => {
    const { url } = await listenForTest((request, response) => {
      request.resume().on('end', () => sendJson(response, 404, {}));
    });
    const { result } = await runSuite(testConfiguration(url, { claim, model: 'my-model' }), {
      suites: writeSuite(oneScenario.replace('roles: []', `roles: ['chat']`)),
    });
    expect(result.stop).toMatchObject({ reason: 'target-unreachable', strange: { prefix: '' } });
  },
);
