import { expect, test } from 'vitest';
import type { Stop } from '../../exchange/note.ts';
import type { Report } from '../report.ts';
import { sampleReport } from '../testing/sample.ts';
import { nextStep } from './next-step.ts';

function stoppedReport(stop: Stop): Report {
  const { report } = sampleReport('broken');
  const causes = [...report.summary.causes, { kind: 'stopped', reason: stop.reason, stop } as const];
  return { ...report, stopReason: stop.reason, summary: { ...report.summary, causes } };
}

const call = { method: 'POST', path: '/v1/chat/completions' };
const died = { reason: 'target-died', detail: 'ECONNREFUSED', underWay: [] } as const;

test('after the target died, the next step is to look at the calls in flight', () => {
  const { evidence } = sampleReport('broken');
  const underWay = [{ ...call, exchange: 'e4', invalid: true } as const, { ...call, exchange: 'e2' }];
  expect(nextStep(stoppedReport({ ...died, underWay }), evidence)).toEqual({
    intro:
      'next: start the service again, and run it again; what was in flight when it stopped answering, invalid requests first:',
    command: 'npx assay show assay-report/cassette e4 e2',
  });
  const valid = nextStep(stoppedReport({ ...died, underWay: underWay.slice(1) }), evidence);
  expect(valid?.intro).toMatch(/stopped answering:$/);
  expect(valid?.command).toMatch(/ e2$/);
});

test('more calls in flight than the command names are counted', () => {
  const { evidence } = sampleReport('broken');
  const underWay = Array.from({ length: 8 }, (_, n) => ({ ...call, exchange: `e${n}` }));
  const step = nextStep(stoppedReport({ ...died, underWay }), evidence);
  expect(step?.intro).toContain('when it stopped answering (the first 6 of 8):');
  expect(step?.command).toMatch(/ e0 e1 e2 e3 e4 e5$/);
});

test('after the target died without recorded traffic or calls in flight, the next step is to start it again', () => {
  const { evidence } = sampleReport('broken');
  const intro = 'next: start the service again, and run it again';
  const underWay = [{ ...call, exchange: 'e4' }];
  const unrecorded = { ...evidence, cassette: null };
  expect(nextStep(stoppedReport({ ...died, underWay }), unrecorded)).toEqual({ intro, command: null });
  expect(nextStep(stoppedReport(died), evidence)).toEqual({ intro, command: null });
});

test.for([
  ['--wait-for 60 waits for a service that is starting', undefined],
  ['--wait-for 60 waits longer than 3 s for a service that is starting', 3],
  ['--wait-for 120 waits longer than 60 s for a service that is starting', 60],
] as const)('if nothing responded, the step says that %s', ([words, waited]) => {
  const { evidence } = sampleReport('broken');
  const stop: Stop = {
    reason: 'target-unreachable',
    baseUrl: 'http://h/v1',
    strange: null,
    detail: 'ECONNREFUSED',
    ...(waited !== undefined && { waited }),
  };
  expect(nextStep(stoppedReport(stop), evidence)?.intro).toContain(words);
});

test.for([
  ['/api', 'next: fix --base-url, and run it again'],
  ['/api/v1/chat/completions', 'next: run it again with --base-url http://h/api/v1'],
] as const)(
  'if the target answers but nothing is found at its path %s, the next step is another base URL',
  ([prefix, intro]) => {
    const { evidence } = sampleReport('broken');
    const stop: Stop = {
      reason: 'target-unreachable',
      baseUrl: `http://h${prefix}/v1`,
      strange: { origin: 'http://h', prefix },
      detail: null,
    };
    expect(nextStep(stoppedReport(stop), evidence)).toEqual({ intro, command: null });
  },
);

test.for([
  ['none', 'next: give the key, and run it again'],
  ['sent', 'next: give the right key, and run it again'],
] as const)(
  'if the target refuses everything (key: %s), the next step is to give the key',
  ([key, intro]) => {
    const { evidence } = sampleReport('broken');
    const refused = { status: 401, keyVariable: 'MY_KEY', key };
    const stop: Stop = {
      reason: 'target-unreachable',
      baseUrl: 'http://h/v1',
      strange: null,
      detail: null,
      refused,
    };
    expect(nextStep(stoppedReport(stop), evidence)).toEqual({ intro, command: null });
  },
);
