import { describe, expect, test } from 'vitest';
import type { FailureContext } from '../failure/failure.ts';
import type { Report, ReportedRequirement } from '../report.ts';
import { terminalReport } from '../terminal/terminal.ts';
import { sampleReport } from '../testing/sample.ts';
import { coloursFor } from '../words/colours.ts';
import { TOOLS_BREAKDOWN } from '../words/testing/breakdowns.ts';
import { nextStep } from './next-step.ts';

const { report: sample, evidence } = sampleReport('broken');
const context: FailureContext = {
  ...evidence,
  rerunCommand: (id, exchange) => `judge ${id} by ${exchange?.id}`,
};

function commandsOf(report: Report): readonly (string | null | undefined)[] {
  const text = terminalReport(report, {
    ...context,
    paint: coloursFor('off'),
    columns: null,
    written: [],
  });
  return [nextStep(report, context)?.command, /^ +again +(\S.*)$/m.exec(text)?.[1]];
}

test('the command at the end is the one below the first failure', () => {
  // A missing operation would be the first step.
  const operations = sample.operations.filter(({ notImplemented }) => !notImplemented);
  const broken = sample.diagnoses?.[0]?.operations[0]?.requirement;
  const causeRequirements = sample.requirements.filter(({ id }) => id === broken);
  const [byCause, belowCause] = commandsOf({ ...sample, operations, requirements: causeRequirements });
  expect(byCause).toContain(`judge ${broken} by e`);
  expect(byCause).toBe(belowCause);
  // The first finding is not the one shown: another exchange shows the same with a shorter request.
  const fail = sample.requirements.find(({ verdict, kind }) => verdict === 'fail' && kind === 'behaviour');
  const [finding] = fail?.findings ?? [];
  const [long, short] = ['e3', 'e4'];
  const sizes = [long, short].map((id) => evidence.exchange(id)?.request.body.size);
  expect(sizes).toEqual([90, 0]);
  const findings = [long, short].map((exchange) => ({ ...finding, exchange }));
  const requirements = [{ ...fail, findings, findingsTotal: 2 }] as ReportedRequirement[]; // as: the sample has one
  const [next, below] = commandsOf({ ...sample, operations, diagnoses: [], requirements });
  expect(next).toBe(`judge ${fail?.id} by ${short}`);
  expect(next).toBe(below);
});

test('if nothing was judged because no request was answered, the next step is to check the service', () => {
  const open = sample.requirements.find(({ verdict }) => verdict === 'inconclusive');
  const stepFor = (kind: 'nothing-judged' | 'inconclusive') => {
    const cause = { kind: 'protocol', exchange: 'e3', arrival: { what: 'reset', detail: 'ECONNREFUSED' } };
    const requirements = [{ ...open, level: 'MUST', cause }];
    const summary = { ...sample.summary, verdict: 'cannot-tell', causes: [{ kind, count: 1 }] };
    const report = { ...sample, operations: [], diagnoses: [], summary, requirements } as unknown as Report; // as: parts of a report
    return nextStep(report, context);
  };
  expect(stepFor('nothing-judged')).toEqual({
    intro: `next: no request got a complete response; check that the service runs at ${sample.target.baseUrl}`,
    command: null,
  });
  expect(stepFor('inconclusive')?.intro).toContain('see why one could not be decided');
});

function stepAfterPass(...causes: readonly object[]): ReturnType<typeof nextStep> {
  const open = sample.requirements.find(({ verdict }) => verdict === 'inconclusive');
  const requirements = causes.map((cause, n) => ({ ...open, id: `chat.open-${n}`, level: 'MUST', cause }));
  const summary = { ...sample.summary, verdict: 'conforms', exitCode: 0, causes: [] };
  const report = { ...sample, operations: [], diagnoses: [], summary, requirements } as unknown as Report; // as: parts of a report
  return nextStep(report, { ...context, baselineFile: 'known.json' });
}

test('after a pass, the next step explains a MUST without evidence, or else accepts what no other run can decide', () => {
  const breakdown = { kind: 'breakdown', exchange: 'e3', faults: [TOOLS_BREAKDOWN] };
  const busy = { kind: 'capacity', exchange: 'e3', arrival: null };
  const unexplained = { kind: 'no-evidence' };
  expect(stepAfterPass(breakdown, busy, unexplained)?.command).toContain('npx assay explain chat.open-2');
  expect(stepAfterPass(breakdown, busy)).toEqual({
    intro:
      'next: accept 1 MUST without a decision in a baseline; --allow-inconclusive would accept those of other runs, too:',
    command:
      "npx assay check assay-report/cassette --baseline known.json --baseline-write known.json --baseline-reason 'known, not yet reviewed'",
  });
  // Only another run can decide: a baseline cannot accept it.
  expect(stepAfterPass(busy)).toBeNull();
});

test('the command that accepts what is new says which extension the gate lacks', () => {
  const fail = sample.requirements.find(({ verdict, kind }) => verdict === 'fail' && kind === 'behaviour');
  const report = { ...sample, operations: [], diagnoses: [], requirements: [fail] } as Report; // as: the sample has one
  const introOf = (missingExtensions: readonly string[]) =>
    nextStep(report, { ...context, baselineFile: 'known.json', missingExtensions })?.alternative?.intro;
  expect(introOf([])).toBe('or accept what is new, with your reason:');
  expect(introOf(['ours.ts'])).toBe(
    'or accept what is new, with your reason; first add ours.ts to "extension" in the configuration, or the gate fails for entries that it does not know:',
  );
});

test('the step for expired entries alone is not strict, so that entries whose failure was not seen remain', () => {
  const stepFor = (...problems: readonly object[]) => {
    const causes = problems.map((problem) => ({ kind: 'baseline', problem }));
    const summary = { ...sample.summary, verdict: 'does-not-conform', exitCode: 1, causes };
    const report = {
      ...sample,
      operations: [],
      diagnoses: [],
      requirements: [],
      summary,
    } as unknown as Report; // as: parts of a report
    return nextStep(report, { ...context, baselineFile: 'known.json' })?.command;
  };
  const expired = { id: 'x', why: 'expired', expires: '2026-01-01' };
  const rewritten =
    "--baseline known.json --baseline-write known.json --baseline-reason 'known, not yet reviewed'";
  expect(stepFor(expired)).toBe(`npx assay check assay-report/cassette ${rewritten}`);
  // Only a strict baseline removes an entry with a wrong id.
  expect(stepFor(expired, { id: 'y', why: 'unknown' })).toBe(
    `npx assay check assay-report/cassette --strict-baseline ${rewritten}`,
  );
});

describe('claimed operations that were never exercised', () => {
  const idle = ['createImage', 'createImageEdit'];
  const rows = [...idle.map((id) => [id, 'images', 0] as const), ['listModels', 'models', 4] as const];
  const operations = rows.map(([id, family, exercised]) => ({
    ...{ id, family, exercised, method: 'POST', path: '/', claimed: true, notImplemented: false },
  }));
  const stepOf = (parts: object, used: readonly object[] = operations) => {
    const summary = {
      ...sample.summary,
      verdict: 'cannot-tell',
      causes: [{ kind: 'not-exercised', operations: idle }],
    };
    const report = {
      ...sample,
      requirements: [],
      diagnoses: [],
      hints: [],
      summary,
      operations: used,
      ...parts,
    };
    return nextStep(report as unknown as Report, { ...context, claimCommand: (names) => `claim ${names}` }); // as: parts of a report
  };

  test('are left out of the claim if the target does not offer them', () => {
    const hint = { kind: 'claim-not-offered', names: ['images'], status: 404, offered: ['models'] };
    expect(stepOf({ hints: [hint] })).toEqual({
      intro: 'next: implement images, or claim what is offered:',
      command: 'claim models',
    });
    expect(stepOf({ hints: [hint] }, operations.slice(0, 2))).toEqual({
      intro: 'next: implement images, or run without --claim, which judges what is offered',
      command: null,
    });
  });

  test('are left out of the claim of what the target offers, with those that are not implemented', () => {
    const missing = { id: 'createFile', family: 'files', exercised: 0, notImplemented: true };
    const costly = { id: 'deleteModel', family: 'models', exercised: 0, notImplemented: false };
    const rows = [missing, costly].map((row) => ({ ...row, method: 'POST', path: '/', claimed: true }));
    const causes = [{ kind: 'not-exercised', operations: ['deleteModel'] }];
    const summary = { ...sample.summary, verdict: 'does-not-conform', causes };
    expect(stepOf({ summary }, [...operations.slice(2), ...rows])).toEqual({
      intro: 'to judge only what this target offers:',
      command: 'claim listModels',
    });
  });

  test('are allowed or left out if they cost too much', () => {
    const cause = { kind: 'not-allowed', cost: 'images' };
    const [requirement] = sample.requirements;
    const requirements = [{ ...requirement, verdict: 'untested', operations: idle, cause }];
    expect(stepOf({ requirements })).toEqual({
      intro:
        'next: calls to createImage, createImageEdit cost more than is allowed: add --allow images, or claim the rest:',
      command: 'claim models',
    });
  });

  test('do not cost too much if permitted scenarios could call them, as after a run that was killed', () => {
    const [requirement] = sample.requirements;
    const requirements = [{ kind: 'not-allowed', cost: 'images' }, { kind: 'no-evidence' }].map((cause) => ({
      ...requirement,
      verdict: 'untested',
      operations: idle,
      cause,
    }));
    expect(stepOf({ requirements })?.intro).toBe('next: see what the service answered:');
  });
});

const STALE = { kind: 'baseline', problem: { id: 'file:bytes#type', why: 'passes' } };

test('each verdict but "conforms" has a next step', () => {
  const passing = sample.requirements.filter(({ verdict }) => verdict === 'pass');
  const base = { ...sample, diagnoses: [], operations: [], requirements: passing };
  const step = (parts: object) => nextStep({ ...base, ...parts } as typeof sample, evidence)?.intro ?? ''; // as: parts of a report
  const summary = (verdict: string, exitCode: number, ...causes: object[]) => ({
    summary: { ...sample.summary, verdict, exitCode, causes },
  });
  const warned = sample.requirements.map((one) => ({ ...one, verdict: 'warn', level: 'SHOULD' }));
  expect(step({ ...summary('does-not-conform', 1), requirements: warned })).toContain(
    'fix the first failure',
  );
  expect(step(summary('does-not-conform', 1, STALE))).toContain('take these entries out');
  expect(step(summary('cannot-tell', 2, { kind: 'not-exercised' }))).toContain(
    'see what the service answered',
  );
  for (const stopReason of ['interrupted', 'budget', 'target-unreachable', 'target-died'])
    expect(step({ ...summary('cannot-tell', 2), stopReason })).toMatch(/^next: /);
  const idle = { ...summary('cannot-tell', 2), cost: { ...sample.cost, requests: 0, seconds: 1 } };
  expect(step(idle)).toContain('no request was sent: widen --claim');
  const empty = { ...idle, claims: [] };
  expect(step(empty)).toContain('no request was recorded');
  const cause = { kind: 'not-allowed', cost: 'images' };
  const costly = passing.map((one) => ({ ...one, verdict: 'untested', cause }));
  expect(step({ ...idle, requirements: costly })).toContain('pass --allow images');
  expect(step(summary('conforms', 0))).toBe('');
});

test('if a target rejects the key, the next step is to give the right key, not to accept the failures', () => {
  const obstacle = { kind: 'answered', method: 'GET', path: '/v1/models', status: 401 };
  const summary = {
    ...{ ...sample.summary, verdict: 'cannot-tell', exitCode: 2 },
    operations: { total: 63, claimed: 2, exercised: 0 },
  };
  const refused = {
    ...{ ...sample, summary, diagnoses: [], operations: [] },
    requirements: sample.requirements.filter(({ verdict }) => verdict === 'inconclusive'),
    blockers: [{ exchange: 'e1', message: '', requirements: 3, obstacle }],
  };
  const step = nextStep(refused as never, { ...evidence, keyVariable: 'MY_KEY' }); // as: parts of a report
  expect(step?.intro).toBe(
    'next: give the key of http://127.0.0.1:4010/v1 in MY_KEY, or name its variable with --api-key-env, and run it again; what was answered:',
  );
  expect(step?.command).toBe('npx assay show assay-report/cassette');
  const unrecorded = nextStep(refused as never, { ...evidence, cassette: null }); // as: parts of a report
  expect(unrecorded).toMatchObject({ intro: expect.stringMatching(/and run it again$/), command: null });
});

test('steps name the folder of the report, and the file of the baseline', () => {
  const withFiles = { ...evidence, reportDir: 'out/first', baselineFile: 'known.json' };
  const base = { ...sample, diagnoses: [], operations: [] };
  const undecided = {
    ...base,
    summary: { ...sample.summary, verdict: 'cannot-tell' as const },
    requirements: sample.requirements.filter(({ verdict }) => verdict === 'inconclusive'),
  };
  expect(nextStep(undecided, withFiles)?.command).toContain(' --report out/first --base-url ');
  expect(nextStep(undecided, withFiles)?.intro).toContain('--baseline-write known.json');
  const reason = "--baseline-reason 'known, not yet reviewed'";
  const again = `npx assay check assay-report/cassette --baseline known.json --baseline-write known.json ${reason}`;
  expect(nextStep(base, withFiles)?.alternative).toEqual({
    intro: 'or accept what is new, with your reason:',
    command: again,
  });
  // Without a baseline in force, the step creates one.
  const withoutBaseline = { ...evidence, newBaselineFile: 'first.json' };
  expect(nextStep(base, withoutBaseline)?.alternative).toEqual({
    intro: 'or accept what is known, with your reason:',
    command: `npx assay check assay-report/cassette --baseline-write first.json ${reason}`,
  });
  expect(nextStep(undecided, withoutBaseline)?.intro).toContain('--baseline-write first.json');
  const stale = {
    ...{ ...base, requirements: [] },
    summary: { ...sample.summary, exitCode: 1, causes: [STALE] },
  };
  const renewed = again.replace('cassette --', 'cassette --strict-baseline --');
  expect(nextStep(stale as never, withFiles)?.command).toBe(renewed); // as: parts of a report
  const lenient = { ...stale, summary: { ...stale.summary, verdict: 'conforms', exitCode: 0 } };
  const step = nextStep(lenient as never, withFiles); // as: parts of a report
  expect(step?.intro).toContain('if these failures are gone for good, write the baseline again');
  expect(step?.command).toBe(renewed);
});

test('an unclaimed requirement that --only selects needs another claim, but not if it judges a client', () => {
  const only = ['file:bytes#type'];
  const [first] = sample.requirements;
  if (first === undefined) throw new Error('the sample has no requirement');
  const summary = { ...sample.summary, verdict: 'cannot-tell', causes: [{ kind: 'nothing-judged' }] };
  const commandFor = (claims: readonly string[], family: string | null, parts: Partial<Report> = {}) => {
    const cause = { kind: 'not-claimed', family };
    const requirement = { ...first, id: 'file:bytes#type', family: 'files', verdict: 'untested', cause };
    const requirements = [{ ...requirement, findings: [] }];
    const report = {
      ...sample,
      requirements,
      operations: [],
      claims,
      summary,
      ...parts,
    } as unknown as Report; // as: parts of a report
    return nextStep(report, { ...context, only, claimCommand: (names) => `claim ${names}` })?.command;
  };
  expect(commandFor([], null)).toBe("claim files --only 'file:bytes#type'");
  // The family of the requirement is claimed, but not that of the only scenario that shows it.
  expect(commandFor(['files'], 'batches')).toBe("claim files,batches --only 'file:bytes#type'");
  expect(commandFor([], null, { side: 'client' }) ?? '').not.toContain('claim');
});
