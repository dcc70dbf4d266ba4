import { expect, test } from 'vitest';
import { sampleReport } from '../testing/sample.ts';
import { traceLines } from './trace.ts';

test('an exchange is printed as it was sent and received, in safe lines of limited width', () => {
  const { evidence } = sampleReport('broken');
  const exchange = evidence.exchange('e4');
  if (exchange === undefined) throw new Error('the sample has it');
  const lines = traceLines(exchange, 80);
  expect(lines[0]).toBe('e4');
  expect(lines[1]).toBe('  > GET /v1/files/file-9');
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
});

test('a note is printed as a sentence', () => {
  const note = {
    after: 3,
    note: 'blocked',
    scenario: 'files.life',
    by: 'e3',
    obstacle: { kind: 'answered', method: 'POST', path: '/v1/files', status: 500 },
  } as const;
  expect(traceLines(note, 80)).toEqual(['-- files.life blocked by e3: POST /v1/files answered 500']);
});
