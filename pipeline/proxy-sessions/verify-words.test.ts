import { expect, test } from 'vitest';
import type { VerifyReport } from '../../proxy/verify/verify.ts';
import { concludeVerification, DriftPrinter } from './verify-words.ts';

const createDriftedExchange = (places: number) => ({
  exchange: 'e1',
  method: 'GET',
  target: '/v1/models',
  status: 200,
  skipped: null,
  drifts: Array.from({ length: places }, (_, n) => ({
    kind: 'value' as const,
    at: `/data/${n}`,
    recorded: 1,
    now: 2,
  })),
});
const VERIFICATION = { cassette: 'session', baseUrl: 'http://127.0.0.1:1/v1', statuses: new Set([200]) };
const conclude = (facts: Partial<VerifyReport>) =>
  concludeVerification(
    { sent: 7, skipped: 0, drifted: [], closed: 0, missingRules: null, unreachable: null, ...facts },
    VERIFICATION,
  );

test('a connection that the service closed is not drift: the exit code is 2', () => {
  expect(conclude({ closed: 1 })).toEqual({
    exitCode: 2,
    lines: [
      '7 requests sent, 0 skipped, 0 drifted',
      '1 request got no response because the service closed the connection: see its log, and verify again',
    ],
  });
});

test('the exit code is 1 if a response drifted and the service closed a connection', () => {
  expect(conclude({ closed: 1, drifted: [createDriftedExchange(1)] }).exitCode).toBe(1);
});

test.each([
  [[], '0 drifted'],
  [[1], '1 drifted in 1 place'],
  [[3, 1], '2 drifted in 4 places'],
])('the summary of exchanges that drifted in %j places says %s', (places, words) => {
  const [summary] = conclude({ drifted: places.map(createDriftedExchange) }).lines;
  expect(summary).toBe(`7 requests sent, 0 skipped, ${words}`);
});

test.each([
  [1, 'its only exchange was skipped'],
  [3, 'all 3 were skipped'],
])(
  'if all of %s exchanges were skipped, the exit code is 2 and the only line says that %s',
  (skipped, words) => {
    expect(conclude({ sent: 0, skipped })).toEqual({
      exitCode: 2,
      lines: [`No request of session could be sent: ${words}, as listed above. Record again.`],
    });
  },
);

test('a description is printed as it is, with the quotation marks in it', () => {
  const lines: string[] = [];
  const drift = { kind: 'schema', at: '/object', recorded: '"list"', now: '"page": must be "list"' } as const;
  new DriftPrinter((line) => lines.push(line)).add({ ...createDriftedExchange(0), drifts: [drift] });
  expect(lines.slice(-2)).toEqual(['       recorded  "list"', '       now       "page": must be "list"']);
});

test('a long value is truncated between characters', () => {
  const lines: string[] = [];
  const now = `${'a'.repeat(197)}\u{1f600}bc`;
  const drift = { kind: 'value', at: '/id', recorded: 1, now } as const;
  new DriftPrinter((line) => lines.push(line)).add({ ...createDriftedExchange(0), drifts: [drift] });
  expect(lines.at(-1)).toBe(`       now       "${'a'.repeat(197)}…`);
});
