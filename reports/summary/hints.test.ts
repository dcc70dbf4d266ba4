import { expect, test } from 'vitest';
import type { Report } from '../report.ts';
import { sampleReport } from '../testing/sample.ts';
import { obstacleWords } from '../words/cause.ts';
import { hints } from './hints.ts';

const { report, evidence } = sampleReport('green');
const [row] = report.operations;
const [rule] = report.requirements;

function hintsOf(shown: Report) {
  return hints(shown, evidence);
}

function createIdleReport(more: Partial<Report>): Report {
  const operations = { total: 1, claimed: 1, exercised: 0 };
  return { ...report, summary: { ...report.summary, operations }, ...more };
}

test('a target that responds correctly needs no hint', () => {
  expect(hintsOf(report)).toEqual([]);
});

const obstacle = { kind: 'answered', method: 'GET', path: '/v1/models', status: 401 } as const;
const MISSING_OPERATION = { ...row, claimed: true, exercised: 0, notImplemented: true };

test('404 to everything is most likely a wrong path', () => {
  const operations = [MISSING_OPERATION];
  const [hint] = hintsOf(createIdleReport({ operations: operations as never })); // as: the sample has a row
  expect(hint).toContain('nothing was found below http://127.0.0.1:4010/v1, not even GET /v1/models');
  expect(hint).toContain('is the path of --base-url right?');
});

test('404 to some requests and 400 to others is no wrong path', () => {
  const operations = [MISSING_OPERATION, { ...row, id: 'createFile', claimed: true, exercised: 0 }];
  const hintsIf = (status: number) => {
    const blocker = { exchange: 'e1', message: '', requirements: 3, obstacle: { ...obstacle, status } };
    return hintsOf(createIdleReport({ operations: operations as never, blockers: [blocker] })); // as: the sample has a row
  };
  expect(hintsIf(404)).toEqual([expect.stringContaining('nothing was found below')]);
  expect(hintsIf(400)).toEqual([]);
});

test('404 to everything that is claimed asks whether the service offers it', () => {
  const operations = [MISSING_OPERATION, { ...row, claimed: false, exercised: 0 }];
  expect(hintsOf(createIdleReport({ operations: operations as never }))).toEqual([
    expect.stringMatching(/^nothing that is claimed was found below .*: does the service offer it\?/),
  ]); // as: the sample has a row
});

test('404 to the few requests of a filtered run gives no hint', () => {
  const filtered = { ...rule, verdict: 'untested', cause: { kind: 'filtered', by: null } };
  const narrowed = { operations: [MISSING_OPERATION], requirements: [filtered] };
  expect(hintsOf(createIdleReport(narrowed as never))).toEqual([]); // as: the sample has a requirement
});

const blockers = [{ exchange: 'e1', message: obstacleWords(obstacle), requirements: 3, obstacle }];

test('401 to everything is a missing key', () => {
  expect(hintsOf(createIdleReport({ blockers }))).toEqual([expect.stringContaining('--api-key-env')]);
});

test('the hint about a missing key names the variable that is read', () => {
  const [hint] = hints(createIdleReport({ blockers }), { keyVariable: 'STAGING_KEY' });
  expect(hint).toContain('put the key in STAGING_KEY,');
  expect(hint).not.toContain('ASSAY_API_KEY');
});

test('unnamed models are listed with their flags, unless another hint lists them', () => {
  const model = (role: string) => ({ what: 'model', role });
  const needs = [model('vision'), model('chat'), model('chat'), { what: 'key' }];
  const requirements = needs.map((missing) => ({
    ...rule,
    verdict: 'untested',
    cause: { kind: 'not-configured', missing },
  }));
  expect(hintsOf({ ...report, requirements: requirements as never })).toEqual([
    'to judge what needs another model, name it in addition to those given: --model chat=… --model vision=…',
  ]); // as: the sample has a requirement
  const searched = {
    kind: 'models-found',
    models: [],
    without: [{ role: 'vision', refused: ['a'] }],
    total: 1,
  };
  expect(hintsOf({ ...report, requirements: requirements as never, hints: [searched as never] })).toEqual([]); // as: the same
});
