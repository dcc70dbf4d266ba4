import { expect, onTestFinished, test } from 'vitest';
import { isolateRuns, listenForTest, testConfiguration } from '../testing/runs.ts';
import { resolveClaims } from './claims.ts';
import { narrowClaims } from './narrow-claims.ts';
import { PreflightClient } from './preflight-client.ts';

isolateRuns();

test('a single operation that always gets 429 is named, and not claimed', async () => {
  const { url } = await listenForTest((request, response) => {
    request.resume();
    const isList = request.url === '/v1/models';
    const status = /^\/v1\/models\/./.test(request.url ?? '') ? 429 : 404;
    response.writeHead(isList ? 200 : status, { 'retry-after': '100000' });
    response.end('{"object":"list","data":[{"id":"tiny","object":"model","created":1,"owned_by":"us"}]}');
  });
  const configuration = testConfiguration(url);
  const preflight = new PreflightClient(configuration);
  onTestFinished(() => preflight.close());
  const found = await resolveClaims('auto', preflight);
  const { limited, claims } = await narrowClaims(found, {
    configuration,
    scenarios: [],
    preflight,
  });
  expect(limited).toEqual(['retrieveModel']);
  expect(claims.operations?.toSorted()).toEqual(['deleteModel', 'listModels']);
});
