import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import {
  folder,
  isolateRuns,
  listenForTest,
  runSuite,
  scenarioText,
  sendJson,
  testConfiguration,
  writeSuite,
} from './testing/runs.ts';

isolateRuns();

afterEach(() => vi.unstubAllEnvs());

const secrets = {
  header: 'tenant-0123456789-abcdef',
  scheme: 'Zm9vYmFyOjEyMzQ1Njc4OTA',
  environment: 'tok_9876543210_zyxwv',
};

test('no file in the report folder contains the key, a value of --header, or a secret from the environment', async () => {
  vi.stubEnv('SERVICE_TOKEN', secrets.environment);
  const { url } = await listenForTest((request, response) => {
    sendJson(response, 200, {
      said: [...Object.values(secrets), request.headers.authorization, 'plain words'],
    });
  });
  const header = [`X-Tenant: ${secrets.header}`, `X-Gateway: Basic ${secrets.scheme}`];
  const { exchanges } = await runSuite(testConfiguration(url, { header }), {
    suites: writeSuite(scenarioText('files.echo', `await context.call('listFiles');`)),
  });
  const [exchange] = exchanges;
  expect(exchange?.response?.body.text).toContain('plain words');
  const report = join(folder, 'report');
  const files = readdirSync(report, { recursive: true, encoding: 'utf8' }).map((name) => join(report, name));
  const disk = files.filter((file) => statSync(file).isFile()).map((file) => readFileSync(file, 'utf8'));
  expect(disk.filter((text) => text.includes('plain words'))).not.toEqual([]);
  for (const secret of [...Object.values(secrets), 'sk-the-secret-key-of-the-run']) {
    expect(disk.filter((text) => text.includes(secret))).toEqual([]);
  }
});
