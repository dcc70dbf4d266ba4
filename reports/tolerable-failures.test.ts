import { describe, expect, test } from 'vitest';
import { evaluateGate } from '../judge/verdict/gate.ts';
import { allureResults } from './formats/allure.ts';
import { ctrfReport } from './formats/ctrf.ts';
import { githubAnnotations } from './formats/github.ts';
import { junitXml } from './formats/junit.ts';
import { markdownReport } from './formats/markdown.ts';
import { problemLines } from './formats/problems.ts';
import { sarifReport } from './formats/sarif.ts';
import { htmlReport } from './html/page.ts';
import type { Report, ReportedRequirement } from './report.ts';
import { terminalReport } from './terminal/terminal.ts';
import { sampleReport } from './testing/sample.ts';
import { coloursFor } from './words/colours.ts';

const { report: sample, evidence } = sampleReport('broken');
const OPERATION = 'createChatCompletion';
const KINDS = ['n#maximum', 'n#type', 'stop#maxItems'].map((place) => `${OPERATION}:body.${place}.rejected`);

function createLenientReport(
  tolerate: readonly 'lenient-validation'[],
  withoutOtherFailures = false,
): Report {
  const [first] = sample.requirements;
  const more = KINDS.map((id) => ({ ...first, id, kind: 'rejected', verdict: 'fail', baseline: null }));
  const pass = { ...first, verdict: 'pass', findings: [], findingsTotal: 0 };
  // as: the first requirement of the sample is complete
  const requirements = [
    ...(withoutOtherFailures ? [pass] : sample.requirements),
    ...more,
  ] as ReportedRequirement[];
  const judgement = {
    requirements,
    choices: [],
    operations: [],
    blockers: [],
    diagnoses: [],
    stopReason: 'completed',
  };
  const gate = evaluateGate(judgement as never, { failOn: 'must', allowInconclusive: true, tolerate }); // as: what the gate reads
  const { verdict, exitCode, reasons: causes } = gate;
  const { reasons } = sample.summary;
  return { ...sample, requirements, summary: { ...sample.summary, verdict, exitCode, causes, reasons } };
}

const terminal = (report: Report) =>
  terminalReport(report, { ...evidence, paint: coloursFor('off'), columns: null, written: [] });
const kindsWithStatus = (name: 'failed' | 'skipped', text: string) =>
  KINDS.filter((id) =>
    JSON.parse(text).results.tests.some(
      (one: { name: string; status: string }) => one.name === id && one.status === name,
    ),
  );

const countAllureFailures = (report: Report) =>
  allureResults(report, evidence).filter(
    ({ text }) => text.includes('.rejected') && text.includes('"failed"'),
  ).length;

describe('three kinds of invalid requests that one operation accepts', () => {
  const report = createLenientReport([]);
  const words = `${OPERATION} accepts 3 kinds of invalid requests`;

  test('are one entry, after all other failures', () => {
    const fullPage = htmlReport(report, evidence);
    const page = fullPage.slice(fullPage.indexOf('id="broken"'));
    expect(page.match(/accepts 3 kinds of invalid requests/g)).toHaveLength(1);
    expect(page.indexOf('accepts 3 kinds')).toBeGreaterThan(page.indexOf('refuses n &gt; 1'));
    expect(page).toContain('3 kinds of invalid requests accepted, in');
    const markdown = markdownReport(report, evidence);
    expect(markdown.indexOf('accepts 3 kinds')).toBeGreaterThan(markdown.indexOf('refuses n &gt; 1'));
    expect(markdown.match(/<summary><b>FAIL<\/b> <code>createChatCompletion<\/code>/g)).toHaveLength(1);
    const annotations = githubAnnotations(report, evidence).match(/title=createChatCompletion::/g);
    expect(annotations).toHaveLength(1);
    expect(
      problemLines(report)
        .split('\n')
        .filter((line) => line.includes(words)),
    ).toHaveLength(1);
    const heads = terminal(report).match(/^FAIL {2}.*/gm) ?? [];
    expect(heads.length).toBeGreaterThan(1);
    expect(heads.at(-1)).toBe(`FAIL  ${KINDS[0]}`);
  });

  test('are one failure in JUnit, to which the skipped others refer', () => {
    const cases = junitXml(report, evidence).split('<testcase ').slice(1);
    const kindCases = KINDS.map((id) => cases.find((one) => one.startsWith(`name="${id}"`)) ?? '');
    expect(kindCases.map((one) => one.includes('<failure'))).toEqual([true, false, false]);
    expect(kindCases[0]).toContain(`message="${words}"`);
    expect(kindCases[1]).toContain(`<skipped message="${words}: see ${KINDS[0]}"/>`);
    const [failures] = /failures="(\d+)"/.exec(junitXml(report, evidence))?.slice(1) ?? [];
    expect(Number(failures)).toBe(4 + 1);
  });
});

test('a failure that --tolerate clients accepts is shown by its sentence', () => {
  const tolerated = {
    ...createLenientReport([], true).requirements.at(-1),
    id: 'chat.own',
    kind: 'behaviour',
    basis: 'clients',
    says: 'It is so.',
  };
  const causes = [{ kind: 'clients', count: 1, operations: [], tolerated: true }];
  const summary = { ...sample.summary, causes };
  const report = { ...sample, requirements: [tolerated], summary } as unknown as Report; // as: parts of a report
  expect(terminal(report)).toMatch(/^TOLERATED chat\.own: It is so\.$/m);
  expect(markdownReport(report, evidence)).toContain('tolerated: chat.own: It is so.');
});

describe('with --tolerate lenient-validation', () => {
  const report = createLenientReport(['lenient-validation'], true);
  const tolerated = report.requirements.filter(({ id }) => KINDS.includes(id));

  test('accepted invalid requests are no failures, and are called tolerated', () => {
    expect(report.summary.exitCode).toBe(0);
    expect(terminal(report)).toMatch(
      /^TOLERATED createChatCompletion accepts 3 kinds of invalid requests: body\.n#maximum, /m,
    );
    expect(terminal(report)).not.toMatch(/^FAIL {2}createChatCompletion:body/m);
    expect(htmlReport(report, evidence)).toContain('<span class="count">3 requirements</span>');
    expect(htmlReport({ ...report, diagnoses: [], requirements: tolerated }, evidence)).toContain(
      'Nothing is broken beyond what --tolerate accepts.',
    );
    expect(markdownReport(report, evidence)).toContain('tolerated: createChatCompletion accepts 3 kinds');
    expect(githubAnnotations(report, evidence)).not.toContain('::error title=createChatCompletion::');
    expect(problemLines(report)).not.toContain('.rejected');
    expect(junitXml(report, evidence)).toContain('failures="0"');
    expect(kindsWithStatus('skipped', ctrfReport(report, evidence))).toEqual(KINDS);
    expect(countAllureFailures(report)).toBe(0);
    const { results } = JSON.parse(sarifReport(report, evidence)).runs[0];
    const kindResults = results.filter(({ ruleId }: { ruleId: string }) => KINDS.includes(ruleId));
    expect(kindResults.map((one: object) => 'suppressions' in one)).toEqual(KINDS.map(() => true));
  });
});

test('accepted invalid requests fail without --tolerate', () => {
  const report = createLenientReport([], true);
  expect(report.summary.exitCode).toBe(1);
  expect(kindsWithStatus('failed', ctrfReport(report, evidence))).toEqual(KINDS);
  expect(countAllureFailures(report)).toBe(KINDS.length);
});
