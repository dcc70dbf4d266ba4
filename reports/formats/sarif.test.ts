import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { shownEvidence } from '../failure/failure.ts';
import { sampleReport } from '../testing/sample.ts';
import { sarifReport } from './sarif.ts';

const require = createRequire(import.meta.url);
const SCHEMA = JSON.parse(readFileSync(require.resolve('schemastore/schemas/json/sarif-2.1.0.json'), 'utf8'));

const read = (name: 'broken' | 'green' | 'nothing', change: (one: object) => object = (one) => one) => {
  const { report, evidence } = sampleReport(name);
  const requirements = report.requirements.map((one) => ({ ...one, ...change(one) }));
  return JSON.parse(sarifReport({ ...report, requirements }, evidence));
};

test.for(['broken', 'green', 'nothing'] as const)('the %s sample is valid by the schema of SARIF', (name) => {
  const ajv = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false });
  const validate = ajv.compile(SCHEMA);
  expect(validate(read(name)), JSON.stringify(validate.errors)).toBe(true);
});

test('each defect is a result with its rule, at its operation in the OpenAPI file', () => {
  const [run] = read('broken').runs;
  const defects = sampleReport('broken').report.requirements.flatMap(({ id, verdict, findings }) =>
    verdict === 'fail' || verdict === 'warn'
      ? [...new Set(findings.map(({ signature }) => signature))].map(() => id)
      : [],
  );
  expect(run.results.map((one: { ruleId: string }) => one.ruleId)).toEqual(defects);
  const result = run.results.find((one: { ruleId: string }) => one.ruleId === 'file:bytes#type');
  expect(run.tool.driver.rules[result.ruleIndex].id).toBe('file:bytes#type');
  expect(result.level).toBe('error');
  expect(result.message.text).toContain('expected an integer');
  const [{ physicalLocation, logicalLocations }] = result.locations;
  const lines = readFileSync(require.resolve('#schemas/openapi.json'), 'utf8').split('\n');
  expect(lines[physicalLocation.region.startLine - 1]).toContain(
    `"operationId": "${logicalLocations[0].name}"`,
  );
});

test('an invocation is successful unless the verdict is "cannot tell", and has the exit code', () => {
  const invocationOf = (name: 'broken' | 'nothing') => read(name).runs[0].invocations[0];
  expect(invocationOf('broken')).toMatchObject({ executionSuccessful: true, exitCode: 1 });
  expect(invocationOf('nothing')).toMatchObject({ executionSuccessful: false, exitCode: 2 });
});

test('a failure that the baseline lists is suppressed, with the reason', () => {
  const [run] = read('broken', () => ({ baseline: 'fixed in 2.0' })).runs;
  const suppressions = run.results.map((one: { suppressions?: unknown }) => one.suppressions);
  expect(new Set(suppressions.map((one: unknown) => JSON.stringify(one)))).toEqual(
    new Set(['[{"kind":"external","justification":"fixed in 2.0"}]']),
  );
});

test('a choice that violates its pin is a result at the first line of the OpenAPI file, and its rule says what shows the alternatives', () => {
  const { report, evidence } = sampleReport('green');
  const choice = { id: 'chat.free', spec: '2', says: 'Which.', consistent: true, pinned: 'a' };
  const choices = [{ ...choice, taken: ['b'], exchanges: ['e3'] }];
  const [run] = JSON.parse(sarifReport({ ...report, choices }, evidence)).runs;
  expect(run.results).toMatchObject([
    {
      ruleId: 'chat.free',
      level: 'error',
      message: { text: expect.stringContaining('expected "a", pinned by the dialect, actual "b" (e3).') },
      locations: [{ physicalLocation: { region: { startLine: 1 } } }],
    },
  ]);
  expect(run.tool.driver.rules[0].help.text).toBe(
    "Section 2. npx assay explain 'chat.free' shows the alternatives.",
  );
});

test('the result for several findings of one defect names the one that the terminal shows', () => {
  const { report, evidence } = sampleReport('broken');
  const requirement = report.requirements.find(({ id }) => id === 'file:bytes#type');
  if (requirement === undefined) throw new Error('The sample has no such failure.');
  const [finding] = requirement.findings;
  if (finding === undefined) throw new Error('The failure has no finding.');
  // The request of this exchange is longer, so the first finding is not the one to show.
  const repeated = { ...requirement, findings: [{ ...finding, exchange: 'e7' }, finding] };
  const [run] = JSON.parse(sarifReport({ ...report, requirements: [repeated] }, evidence)).runs;
  expect(shownEvidence(repeated, evidence).exchanges).toEqual([finding.exchange]);
  expect(run.results).toHaveLength(1);
  expect(run.results[0].message.text).toContain(`(${finding.exchange})`);
});
