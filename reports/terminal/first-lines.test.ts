import { expect, test } from 'vitest';
import type { Stop } from '../../exchange/note.ts';
import type { GateReason } from '../../judge/verdict/gate-result.ts';
import type { Report } from '../report.ts';
import { sampleReport } from '../testing/sample.ts';
import { coloursFor } from '../words/colours.ts';
import { TOOLS_BREAKDOWN } from '../words/testing/breakdowns.ts';
import { terminalReport } from './terminal.ts';

const { report: sample, evidence } = sampleReport('broken');

function lineOf(...causes: readonly GateReason[]): string | undefined {
  const report: Report = { ...sample, summary: { ...sample.summary, causes } };
  const text = terminalReport(report, { ...evidence, paint: coloursFor('off'), columns: null, written: [] });
  return /^(.*)\n\nFAIL /.exec(text)?.[1];
}

test('a cause that failures share, if there is one, comes before the first of them', () => {
  const words =
    'share one cause: the service answers 500 to tools: 34 of 34 requests with it, 0 of 100 without';
  const broken = {
    kind: 'broken',
    level: 'MUST',
    faults: [{ requirements: 15, fault: TOOLS_BREAKDOWN }],
  } as const;
  expect(lineOf({ ...broken, count: 15 })).toBe(`all 15 MUST failures ${words}`);
  expect(lineOf({ ...broken, count: 15, consequences: 3 })).toBe(`15 of 18 MUST failures ${words}`);
  expect(lineOf({ kind: 'broken', level: 'MUST', count: 15 })).toBeUndefined();
});

test('the death of the target is printed before all failures', () => {
  const call = { method: 'POST', path: '/v1/chat/completions' };
  const underWay = ['e125', 'e123'].map((exchange) => ({ ...call, exchange }));
  const died = { reason: 'target-died', detail: 'ECONNREFUSED', underWay: [] } as const;
  const line = (stop: Stop) => lineOf({ kind: 'stopped', reason: 'target-died', stop });
  expect(line({ ...died, underWay })).toBe(
    'the target stopped answering at exchange e123: everything below is based on earlier responses',
  );
  expect(line(died)).toMatch(/^the target stopped answering during the run: /);
});
