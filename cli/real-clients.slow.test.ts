// Real clients through `assay client`: each has exactly the findings that were compared with the specification by hand.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Report } from '../reports/report.ts';
import { clientArguments, clientMap, findingsOf, type JudgedClient } from '../scripts/clients/client-map.ts';
import { CLIENTS } from '../scripts/clients/clients.ts';
import { runAssay } from './testing/run-assay.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-clients-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const judged: JudgedClient[] = [];

test.each(CLIENTS)('$name has the findings that it is known to have', async (client) => {
  const dir = join(folder, client.package.replace('/', '-'));
  const { code, stderr } = await runAssay(clientArguments(client, 'scripts/clients/generate-map.ts', dir));
  // as: its schema is tested elsewhere
  const report = JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8')) as Report;
  judged.push({ client, report });
  expect(findingsOf(report)).toEqual(client.findings.flatMap(({ ids }) => ids).toSorted());
  // A session that broke down would show less.
  expect([code, stderr.includes('Error')]).toEqual([report.summary.exitCode, false]);
  expect(report.summary.verdict).toBe(client.package === 'openai-v1' ? 'does-not-conform' : 'conforms');
});

test('the page on what they use is up to date', () => {
  expect(judged.map(({ client }) => client)).toEqual(CLIENTS);
  // Otherwise: npm run generate:clients
  expect(readFileSync('docs/client-map.md', 'utf8')).toBe(clientMap(judged));
});
