import { expect, test } from 'vitest';
import type { VerifyReport } from '../../proxy/verify/verify.ts';
import { concludeVerification } from './verify-words.ts';

const createDriftedExchange = (places: number) => ({
  ...{ exchange: 'e1', method: 'GET', target: '/v1/models', status: 200, skipped: null },
  drifts: Array.from({ length: places }, (_, n) => ({
    kind: 'value' as const,
    at: `/data/${n}`,
    recorded: 1,
    now: 2,
  })),
});
const printFirstLine = (...all: VerifyReport['drifted']) =>
  concludeVerification(
    { sent: 7, skipped: 0, drifted: all, closed: 0, missingRules: null, unreachable: null },
    { cassette: 'session', baseUrl: 'http://127.0.0.1:1/v1', statuses: new Set([200]) },
  ).lines[0];

test('connections that the service closed are not drift: the exit code is 2, or 1 if there is drift as well', () => {
  const report = { sent: 2, skipped: 0, closed: 1, drifted: [], missingRules: null, unreachable: null };
  const about = { cassette: 'session', baseUrl: 'http://127.0.0.1:1/v1', statuses: new Set([200]) };
  expect(concludeVerification(report, about)).toEqual({
    exitCode: 2,
    lines: [
      '2 requests sent, 0 skipped, 0 drifted',
      '1 request got no response because the service closed the connection: see its log, and verify again',
    ],
  });
  expect(concludeVerification({ ...report, drifted: [createDriftedExchange(1)] }, about).exitCode).toBe(1);
});

test('the summary counts exchanges that drifted, and the places that are listed above it', () => {
  expect(printFirstLine(createDriftedExchange(3), createDriftedExchange(1))).toBe(
    '7 requests sent, 0 skipped, 2 drifted in 4 places',
  );
  expect(printFirstLine(createDriftedExchange(1))).toBe('7 requests sent, 0 skipped, 1 drifted in 1 place');
  expect(printFirstLine()).toBe('7 requests sent, 0 skipped, 0 drifted');
});
