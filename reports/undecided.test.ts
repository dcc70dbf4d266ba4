import { expect, test } from 'vitest';
import { evaluateGate } from '../judge/verdict/gate.ts';
import { githubAnnotations } from './formats/github.ts';
import { htmlReport } from './html/page.ts';
import type { Report, ReportedRequirement } from './report.ts';
import { nextStep } from './summary/next-step.ts';
import { terminalReport } from './terminal/terminal.ts';
import { sampleReport } from './testing/sample.ts';
import { coloursFor } from './words/colours.ts';
import { gateWords } from './words/gate-reason.ts';

const options = { paint: coloursFor('off'), columns: null, written: [] } as const;
const OPEN_MUST = 'files.content.as-sent';

function createUndecidedReport(): Report {
  const { report } = sampleReport('broken');
  const open = report.requirements.filter(({ verdict }) => verdict === 'inconclusive');
  const [first] = open;
  if (first === undefined) throw new Error('the sample has no undecided requirement');
  const accepted = Array.from({ length: 5 }, (_, n) => ({
    ...first,
    id: `chat.accepted-${n}`,
    baseline: 'known',
  }));
  const summary = {
    ...report.summary,
    verdict: 'cannot-tell' as const,
    exitCode: 2 as const,
    causes: [{ kind: 'inconclusive' as const, count: 1 }],
  };
  const requirements = [...accepted, ...open.filter(({ id }) => id === OPEN_MUST)];
  return { ...report, diagnoses: [], operations: [], summary, requirements };
}

test('open MUSTs are named, and those that the baseline accepts are at most counted', () => {
  const { evidence } = sampleReport('broken');
  const report = createUndecidedReport();
  expect(terminalReport(report, { ...evidence, ...options })).toContain(
    `could not be decided: ${OPEN_MUST}, and 5 MUSTs accepted by the baseline, --report html lists all 6`,
  );
  expect(githubAnnotations(report, evidence)).toMatch(
    new RegExp(`^::error title=${OPEN_MUST}::could not be decided`, 'm'),
  );
  const limits = /<section id="limits"[\s\S]*?<\/section>/.exec(
    htmlReport(report, evidence, { proof: null }),
  )?.[0];
  expect(limits).toContain(
    `6 MUSTs could not be decided: 5 accepted by the baseline, 1 not accepted (${OPEN_MUST}).`,
  );
  expect(nextStep(report, evidence)?.command).toContain(`npx assay explain ${OPEN_MUST}`);
  expect(nextStep(report, evidence)?.intro).toContain('--baseline-write');
});

test('the numbers in the list of undecided requirements add up', () => {
  const { evidence } = sampleReport('broken');
  const report = createUndecidedReport();
  const more = report.requirements
    .filter(({ id }) => id === OPEN_MUST)
    .flatMap((one) => Array.from({ length: 6 }, (_, n) => ({ ...one, id: `chat.more-${n}` })));
  const requirements = [...report.requirements, ...more];
  expect(terminalReport({ ...report, requirements }, { ...evidence, ...options })).toMatch(
    /^could not be decided: (?:\S+, ){4}and 3 more, and 5 MUSTs accepted by the baseline, --report html lists all 12$/m,
  );
});

test('a list of accepted requirements alone says how many more there are before it names the report', () => {
  const { evidence } = sampleReport('broken');
  const report = createUndecidedReport();
  const requirements = report.requirements.filter(({ id }) => id !== OPEN_MUST);
  expect(terminalReport({ ...report, requirements }, { ...evidence, ...options })).toMatch(
    /^could not be decided: (?:\S+, ){4}and 1 more, --report html lists all 5$/m,
  );
});

test('if the service lacked capacity, the next step is another run, not a baseline that would not accept it', () => {
  const { evidence } = sampleReport('broken');
  const report = createUndecidedReport();
  const requirements = report.requirements.map((one) =>
    one.id === OPEN_MUST
      ? { ...one, cause: { kind: 'capacity', exchange: 'e17', arrival: null } as const }
      : one,
  );
  const step = nextStep({ ...report, requirements }, evidence);
  expect(step?.intro).toMatch(
    /^next: run it again when the service is healthy: 1 MUST .* no capacity.*no baseline accepts \(--allow-inconclusive/,
  );
  expect(step?.intro).not.toContain('--baseline-write');
  expect(step?.command).toBe('npx assay show assay-report/cassette e17');
});

test('if the service asks for fewer requests, the next step names the option that sends fewer', () => {
  const arrival = { what: 'answered', status: 429 } as const;
  expect(findNextStep({ kind: 'capacity', exchange: 'e17', arrival })?.intro).toMatch(
    /^next: run it again with fewer requests per second \(--rate-limit N\): /,
  );
});

function findNextStep(cause: ReportedRequirement['cause']) {
  const { evidence } = sampleReport('broken');
  const report = createUndecidedReport();
  const requirements = report.requirements.flatMap((one) =>
    one.id === OPEN_MUST ? [one, { ...one, id: 'chat.other', cause }] : [one],
  );
  return nextStep({ ...report, requirements }, evidence);
}

test('the next step says how many of all undecided requirements it concerns', () => {
  expect(findNextStep({ kind: 'capacity', exchange: 'e17', arrival: null })?.intro).toContain(
    ': 1 of 2 MUSTs could',
  );
});

test('if the service fails each time, the next step is to look at the failure or accept it, not another run', () => {
  const fault = {
    id: 'createChatCompletion:accepts#body.stop',
    features: ['body.stop'],
    statuses: [503],
    with: { failed: 9, total: 9 },
    without: { failed: 0, total: 90 },
  };
  const step = findNextStep({ kind: 'breakdown', exchange: 'e17', faults: [fault] });
  expect(step?.intro).toMatch(
    /^next: see why the service answers 503 to stop: 1 of 2 MUSTs .* running it again will not help \(--baseline-write FILE/,
  );
  expect(step?.command).toBe('npx assay show assay-report/cassette e17');
  const other = { ...fault, id: 'createChatCompletion:accepts#body.seed' };
  expect(findNextStep({ kind: 'breakdown', exchange: 'e17', faults: [fault, other] })?.intro).toContain(
    'answers 503 to stop, and 1 more such fault: 1 of 2',
  );
});

test('a truncated list names the report that has the rest, or how to get one', () => {
  const { report, evidence } = sampleReport('broken');
  const [accepted] = createUndecidedReport().requirements;
  const requirements = Array.from({ length: 30 }, (_, n) => ({ ...accepted, id: `chat.accepted-${n}` }));
  const many = { ...report, requirements } as Report; // as: the sample has requirements
  expect(terminalReport(many, { ...evidence, ...options })).toContain(
    '… and 27 more; --report html lists them',
  );
  const written = [{ format: 'html', path: 'out/report.html' }] as const;
  expect(terminalReport(many, { ...evidence, ...options, written })).toContain(
    '… and 27 more, in out/report.html',
  );
});

test('the verdict and the limits state one total of undecided MUSTs, including accepted ones', () => {
  const { evidence } = sampleReport('broken');
  const report = createUndecidedReport();
  // One requirement has to pass: if nothing is judged, nothing is accepted.
  const [first] = report.requirements;
  const requirements = [...report.requirements, { ...first, id: 'x', verdict: 'pass', baseline: null }];
  const judgement = { ...report, operations: [], stopReason: 'completed', requirements } as never; // as: a judgement is a part of a report
  const gate = evaluateGate(judgement, { failOn: 'must', allowInconclusive: true, traffic: 'any' });
  const open = gate.reasons.find(({ kind }) => kind === 'accepted-undecided');
  expect(open === undefined ? null : gateWords(open)).toBe(
    '6 MUSTs could not be decided, which is accepted: 5 by the baseline, 1 by --allow-inconclusive',
  );
  const allowed = {
    ...report,
    summary: { ...report.summary, causes: gate.reasons, verdict: 'conforms' as const },
  };
  const page = htmlReport(allowed, evidence, { proof: null });
  expect(page).toContain('6 MUSTs not decided</span>');
  expect(page).toContain(
    `<li>6 MUSTs could not be decided: 5 accepted by the baseline, 1 by --allow-inconclusive (${OPEN_MUST}).</li>`,
  );
  const [limits = ''] = /<section id="limits"[\s\S]*?<\/section>/.exec(page) ?? [];
  expect(limits.match(/MUSTs? could not be decided/g)).toHaveLength(1);
});
