import { expect, test } from 'vitest';
import type { Exchange, Probe } from '../../../exchange/exchange.ts';
import type { Stop } from '../../../exchange/note.ts';
import type { Report } from '../../report.ts';
import { sampleReport } from '../../samples/sample.ts';
import { nextStep } from './next-step.ts';

/** A report of failures whose run ended early. */
function stopped(stop: Stop): Report {
  const { report } = sampleReport('broken');
  const causes = [...report.summary.causes, { kind: 'stopped', reason: stop.reason, stop } as const];
  return { ...report, stopReason: stop.reason, summary: { ...report.summary, causes } };
}

/** A cassette of one answered call and others without an answer, one of them of another path. */
function traffic(sides: readonly (Probe['side'] | null)[]) {
  const [answered] = [sampleReport('broken')].flatMap(({ report, evidence }) =>
    report.requirements.flatMap(({ findings: [first] }) => evidence.exchange(first?.exchange ?? '') ?? []),
  );
  if (answered === undefined) throw new Error('the sample has an exchange');
  const request = { ...answered.request, method: 'POST', target: '/v1/chat/completions' };
  const silent = sides.map((side, n): Exchange => {
    const probe =
      side === null ? null : { id: `p${n}`, operation: '', pointer: '', keyword: '', side, control: null };
    return { ...answered, id: `e${n + 2}`, request, response: null, probe };
  });
  const last = `e${sides.length + 2}`;
  const elsewhere = { ...answered, id: last, request: { ...request, target: '/v1/files' }, response: null };
  const all = new Map([{ ...answered, id: 'e1' }, ...silent, elsewhere].map((one) => [one.id, one]));
  return {
    exchange: (id: string) => all.get(id),
    timeline: { size: all.size, began: () => 0 },
  };
}

const died = {
  reason: 'target-died',
  detail: 'ECONNREFUSED',
  underWay: [{ method: 'POST', path: '/v1/chat/completions' }],
} as const;

test('of a target that died, the step is what was under way, invalid requests first', () => {
  const { evidence } = sampleReport('broken');
  const step = nextStep(stopped(died), { ...evidence, ...traffic([null, 'valid', 'violation', null]) });
  expect(step).toEqual({
    intro:
      'next: start the service again, and run it again; what was under way when it stopped answering, invalid requests first:',
    command: 'npx assay show assay-report/cassette e4 e2 e3 e5',
  });
  const valid = nextStep(stopped(died), { ...evidence, ...traffic([null]) });
  expect(valid?.intro).toMatch(/stopped answering:$/);
  expect(valid?.command).toMatch(/ e2$/);
});

test('of a target that died without recorded traffic, the step is to start it again', () => {
  const { evidence } = sampleReport('broken');
  const intro = 'next: start the service again, and run it again';
  expect(nextStep(stopped(died), evidence)).toEqual({ intro, command: null });
});

test.for([
  [undefined, '--wait-for 60 waits for a service that is starting'],
  [3, '--wait-for 60 waits longer than 3 s for a service that is starting'],
  [60, '--wait-for 120 waits longer than 60 s for a service that is starting'],
] as const)('where nothing answered in %s s, a longer wait is proposed', ([waited, words]) => {
  const { evidence } = sampleReport('broken');
  const stop: Stop = {
    reason: 'target-unreachable',
    baseUrl: 'http://h/v1',
    strange: null,
    detail: 'ECONNREFUSED',
    ...(waited !== undefined && { waited }),
  };
  expect(nextStep(stopped(stop), evidence)?.intro).toContain(words);
});
