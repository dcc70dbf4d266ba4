import { expect, test } from 'vitest';
import { families } from '../../schemas/index.ts';
import { runNotice } from './run-notices.ts';

test.for([
  [
    { baseUrl: 'http://127.0.0.1:1/v1', objects: 1 },
    /up to 1 object on .*\n.*cleanup --ledger report\/ledger-1/,
  ],
  [null, /cannot be read .*; it is kept as report\/ledger-1\.jsonl\.$/],
] as const)('an earlier ledger that was set aside is announced: %o', ([left, message]) => {
  const earlier = { file: 'report/ledger.jsonl', aside: 'report/ledger-1.jsonl', left };
  expect(runNotice({ kind: 'earlier-ledger', earlier }).join('\n')).toMatch(message);
});

test('the URL in an earlier ledger cannot control the terminal', () => {
  const left = { baseUrl: 'http://127.0.0.1:1/\u001b[2J', objects: 1 };
  const earlier = { file: 'report/ledger.jsonl', aside: 'report/ledger-1.jsonl', left };
  expect(runNotice({ kind: 'earlier-ledger', earlier })[0]).toMatch(
    / on http:\/\/127\.0\.0\.1:1\/\\u001b\[2J\.$/,
  );
});

test('the names and states of resumed scenarios cannot control the terminal', () => {
  const waiting = { scenario: 'a\u001b[2J', tag: 'assay-0123456789-1', state: 'b\u001b[2J', exchange: 'e1' };
  expect(runNotice({ kind: 'resumed', reportDir: 'report', waitingScenarios: [waiting] })).toEqual([
    'resuming a\\u001b[2J (b\\u001b[2J)',
  ]);
});

test('the list of what a target offers is wrapped at the width of the terminal', () => {
  const claims = { families: families(), how: 'auto' } as const;
  const lines = runNotice(
    { kind: 'claimed', claims, unaffordable: [], refused: null, limited: [], models: ['tiny-1'] },
    80,
  );
  expect(lines.filter((line) => line.length > 80 && line.includes(' ', 2))).toEqual([]);
  expect(lines[0]).toMatch(/^The target offers /);
});

test('if discovery found no operation, the notice says that nothing is judged', () => {
  const claims = { families: [], how: 'auto' } as const;
  const found = { unaffordable: [], refused: null, limited: [], models: null };
  expect(runNotice({ kind: 'claimed', claims, ...found })).toEqual([
    'The target offers nothing that was found (0 of 63 operations).',
    'Nothing is judged; --claim all judges everything, --claim FAMILY,… what it names.',
  ]);
});

test.for([
  ['none', 'No key was sent: put it in MY_KEY, or name its variable with --api-key-env.'],
  ['sent', 'The key in MY_KEY was sent and refused: does it belong to this target?'],
] as const)(
  'a target that refuses every request gets advice on the key, not a list of families (key: %s)',
  ([key, advice]) => {
    const claims = { families: families(), how: 'auto' } as const;
    const refused = { status: 401, families: families(), keyVariable: 'MY_KEY', key };
    const text = runNotice({
      kind: 'claimed',
      claims,
      unaffordable: [],
      refused,
      limited: [],
      models: null,
    }).join(' ');
    expect(families().filter((family) => text.includes(family))).toEqual([]);
    expect(text.replaceAll(/\s+/g, ' ')).toContain(advice);
  },
);

test('a waiting run names the request and state that it waits for, and the seconds that are left', () => {
  const wait = { scenario: 'a.b', most: 90, method: 'GET', path: '/v1/batches/b', state: 'running' };
  expect(runNotice({ kind: 'waits', wait })).toEqual([
    'a.b waits: GET /v1/batches/b still says "running" (at most 90 s more)',
  ]);
});
