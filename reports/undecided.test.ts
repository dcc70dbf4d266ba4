import { expect, test } from 'vitest';
import { githubAnnotations } from './formats/github.ts';
import { htmlReport } from './html/page.ts';
import type { Report } from './report.ts';
import { sampleReport } from './samples/sample.ts';
import { coloursFor } from './terminal/colours.ts';
import { nextStep } from './terminal/summary/next-step.ts';
import { terminalReport } from './terminal/terminal.ts';

const options = { paint: coloursFor('off'), columns: null, written: [] } as const;
const NEW = 'files.content.as-sent';

/** The sample without failures: a baseline accepts that most MUSTs are not decided, but not the last one. */
function almostAccepted(): Report {
  const { report } = sampleReport('broken');
  const open = report.requirements.filter(({ verdict }) => verdict === 'inconclusive');
  const accepted = Array.from({ length: 5 }, (_, n) =>
    open.slice(0, 1).map((one) => ({ ...one, id: `chat.accepted-${n}`, baseline: 'known' })),
  ).flat();
  const summary = {
    ...{ ...report.summary, verdict: 'cannot-tell' as const, exitCode: 2 as const },
    causes: [{ kind: 'inconclusive' as const, count: 1 }],
  };
  const requirements = [...accepted, ...open.filter(({ id }) => id === NEW)];
  return { ...report, diagnoses: [], operations: [], summary, requirements };
}

test('what nothing accepts is named before what a baseline accepts, wherever there is a list', () => {
  const { evidence } = sampleReport('broken');
  const report = almostAccepted();
  expect(terminalReport(report, { ...evidence, ...options })).toContain(
    `could not be decided: ${NEW}, and 5 that the baseline accepts, --report html lists all 6`,
  );
  expect(githubAnnotations(report, evidence)).toMatch(
    new RegExp(`^::error title=${NEW}::could not be decided`, 'm'),
  );
  const limits = /<section id="limits"[\s\S]*?<\/section>/.exec(
    htmlReport(report, evidence, { proof: null }),
  )?.[0];
  expect(limits).toContain(`1 MUST could not be decided: ${NEW}.`);
  expect(nextStep(report, evidence)?.command).toContain(`npx assay explain ${NEW}`);
  expect(nextStep(report, evidence)?.intro).toContain('--baseline-write');
});

test('the numbers in the list of what could not be decided add up', () => {
  const { evidence } = sampleReport('broken');
  const report = almostAccepted();
  const more = report.requirements
    .filter(({ id }) => id === NEW)
    .flatMap((one) => Array.from({ length: 6 }, (_, n) => ({ ...one, id: `chat.more-${n}` })));
  const requirements = [...report.requirements, ...more];
  expect(terminalReport({ ...report, requirements }, { ...evidence, ...options })).toMatch(
    /^could not be decided: (?:\S+, ){4}and 3 more, and 5 that the baseline accepts, --report html lists all 12$/m,
  );
});

test('where the service had no capacity, the step is to run again, not a baseline that would not accept it', () => {
  const { evidence } = sampleReport('broken');
  const report = almostAccepted();
  const requirements = report.requirements.map((one) =>
    one.id === NEW ? { ...one, cause: { kind: 'capacity', exchange: 'e17', arrival: null } as const } : one,
  );
  const step = nextStep({ ...report, requirements }, evidence);
  expect(step?.intro).toMatch(
    /^next: run it again when the service is well: 1 MUST .* no capacity.*no baseline accepts \(--allow-inconclusive/,
  );
  expect(step?.intro).not.toContain('--baseline-write');
  expect(step?.command).toBe('npx assay show assay-report/cassette e17');
});

test('a list that is cut names the report that has the rest, or how to get one', () => {
  const { report, evidence } = sampleReport('broken');
  const requirements = Array.from({ length: 30 }, (_, n) => ({
    ...{ ...almostAccepted().requirements[0], id: `chat.accepted-${n}` },
  }));
  const many = { ...report, requirements } as Report; // as: the first is there
  expect(terminalReport(many, { ...evidence, ...options })).toContain(
    '… and 20 more; --report html lists them',
  );
  const written = [{ format: 'html', path: 'out/report.html' }] as const;
  expect(terminalReport(many, { ...evidence, ...options, written })).toContain(
    '… and 20 more, in out/report.html',
  );
});
