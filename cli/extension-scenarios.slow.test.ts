import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProjectWithExamples } from '../extension/testing/project.ts';
import type { Report } from '../reports/report.ts';
import { runAssay, spawnAssay } from './testing/run-assay.ts';

const folder = createProjectWithExamples();
const server = createServer((_, response) => {
  response.setHeader('content-type', 'application/json');
  response.end('{"name":"a"}');
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await new Promise((resolve) => server.close(resolve));
});

const schema = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } };
const responses = { '200': { description: 'A song', content: { 'application/json': { schema } } } };
const document = {
  openapi: '3.1.0',
  paths: { '/v1/song': { get: { operationId: 'getSong', responses } } },
};

let suiteCount = 0;

/** Without a check, the requirement selects no request, so only a defect of the scenario can decide it. */
async function judgeWith(body: string, check = '[]', run = runAssay) {
  // Node caches modules by name.
  suiteCount += 1;
  const suite = `s-${suiteCount}.mjs`;
  // In a fresh process, the first call of a scenario is slow and could exceed 0.2 s.
  const scenarioSeconds = run === runAssay ? 0.2 : 30;
  const extension = { format: 1, name: 'choir', openapi: 'openapi.json', suites: [suite], scenarioSeconds };
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document));
  writeFileSync(join(folder, 'extension.json'), JSON.stringify(extension));
  writeFileSync(
    join(folder, suite),
    `import { requests, scenario, section, where } from 'assay/suite';
export const inTune = section('choir Songs').stated('choir.song.in-tune', {
  says: 'A song is in tune.', selector: where(requests('choir.getSong'), () => ${check !== '[]'}), check: () => ${check}, mutations: { flat: () => null } });
export const one = scenario({ name: 'choir.one', family: 'choir', operations: ['choir.getSong'], cost: ['free'], roles: [],
  run: async (context) => { await context.call('choir.getSong'); ${body} } });`,
  );
  const { port } = server.address() as AddressInfo; // as: it listens on a port
  const target = ['--base-url', `http://127.0.0.1:${port}/v1`, '--claim', 'choir'];
  const flags = ['--extension', 'extension.json', '--report', 'terminal,json'];
  const outcome = await run(['run', ...target, ...flags], { cwd: folder });
  const report = JSON.parse(readFileSync(join(folder, 'assay-report/report.json'), 'utf8')) as Report; // as: written by the command
  return { ...outcome, report };
}

function findRequirement({ requirements }: Report, id: string) {
  return requirements.find((requirement) => requirement.id === id);
}

test.each([
  ['throws', `throw new TypeError('out of tune');`, 'out of tune'],
  ['never ends', 'await new Promise(() => {});', 'it did not end within 0.2 s'],
])('a scenario that %s is named, and its traffic is judged', async (_, body, message) => {
  const { code, stderr, stdout, report } = await judgeWith(body);
  expect(`${stdout}${stderr}`).toContain(
    `defect of the extension choir: scenario choir.one crashed: ${message}`,
  );
  expect(`${stdout}${stderr}`).not.toMatch(/^\s+at .*:\d+:\d+/m);
  expect(findRequirement(report, 'choir.getSong.response:name#required')?.verdict).toBe('pass');
  expect(findRequirement(report, 'choir.song.in-tune')?.verdict).toBe('error');
  expect([code, report.summary.reasons]).toEqual([
    2,
    ['1 requirement hit a defect of assay itself or of an extension'],
  ]);
});

test('a scenario that ends the process counts as crashed', async () => {
  const { code, stderr, stdout } = await judgeWith('process.exit(0);', '[]', spawnAssay);
  expect(`${stdout}${stderr}`).toMatch(
    /defect of the extension choir: scenario choir\.one crashed: .*\.mjs calls process\.exit/,
  );
  expect(code).toBe(2);
});

test('a check that ends the process counts as one that throws', async () => {
  const { code, report } = await judgeWith('', 'process.exit(0)');
  const broken = findRequirement(report, 'choir.song.in-tune');
  expect([code, broken?.verdict]).toEqual([2, 'error']);
  expect(JSON.stringify(broken)).toContain('calls process.exit');
});

test('a check that throws is reported with the line of its suite', async () => {
  const { stdout, report } = await judgeWith('', 'request.text.length');
  const broken = findRequirement(report, 'choir.song.in-tune');
  const reason = expect.stringMatching(/^request is not defined \(s-\d+\.mjs:3\)$/);
  expect(broken).toMatchObject({ verdict: 'error', reason });
  expect(stdout).toContain('request is not defined (s-');
});
