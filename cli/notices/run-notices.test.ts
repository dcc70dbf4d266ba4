import { expect, test } from 'vitest';
import { runNotice } from './run-notices.ts';

test.for([
  [
    { baseUrl: 'http://127.0.0.1:1/v1', objects: 1 },
    /up to 1 object on .*\n.*cleanup --ledger report\/ledger-1/,
  ],
  [null, /cannot be read .*; it is kept as report\/ledger-1\.jsonl\.$/],
] as const)('an earlier ledger that was put aside is announced: %o', ([left, says]) => {
  const earlier = { file: 'report/ledger.jsonl', aside: 'report/ledger-1.jsonl', left };
  expect(runNotice({ kind: 'earlier-ledger', earlier }).join('\n')).toMatch(says);
});
