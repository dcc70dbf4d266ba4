import { expect, test } from 'vitest';
import type { WatchResult } from '../../pipeline/watch.ts';
import { unreachableWords } from '../../reports/words/stop.ts';
import { isWatchWhole, watchNotices } from './watch-notices.ts';

const watchResult: WatchResult = {
  recorded: 4,
  exchanges: 4,
  replayed: 0,
  missed: 0,
  unrecorded: 0,
  unanswered: 0,
  isDenied: false,
  aside: null,
  beyondLimit: 0,
  diskFailed: 0,
  upgraded: 0,
  starved: 0,
  forgotten: 0,
  learnedLate: false,
  quarantined: null,
  unreachable: null,
  upstream: 'http://127.0.0.1:1/v1',
  keptFolder: null,
};

test.each<[change: Partial<WatchResult>, text: string]>([
  [
    { beyondLimit: 5 },
    'the first 4 exchanges are stored; 5 more, beyond --max-disk, were judged but not stored\n',
  ],
  [
    { beyondLimit: 5, learnedLate: true },
    'the first 4 exchanges are stored; 5 more, beyond --max-disk, were not judged, because a secret became known late\n',
  ],
  [{ diskFailed: 1 }, '1 exchange passed unrecorded: the cassette could not be written\n'],
  [{ upgraded: 2 }, '2 connections (upgrade or CONNECT) neither recorded nor judged\n'],
  [
    { starved: 2 },
    '2 requests not forwarded, and more may have been refused, as too many files are open: raise ulimit -n\n',
  ],
  [
    { recorded: 0, exchanges: 0 },
    'The proxy received no request: does the client take its base URL from OPENAI_BASE_URL or ASSAY_BASE_URL?\n',
  ],
  [
    { recorded: 0, exchanges: 0, unanswered: 1, unreachable: 'ECONNREFUSED' },
    `${unreachableWords(watchResult.upstream, 'ECONNREFUSED')}\n`,
  ],
  [{}, ''],
])('the notice on %j is %j', (change, text) => {
  expect(watchNotices({ ...watchResult, ...change })).toBe(text);
});

test.each<Partial<WatchResult>>([{}, { beyondLimit: 5 }])('a watch with %j is whole', (change) => {
  expect(isWatchWhole({ ...watchResult, ...change })).toBe(true);
});

test.each<Partial<WatchResult>>([
  { diskFailed: 1 },
  { upgraded: 2 },
  { starved: 2 },
  { quarantined: { exchanges: 1, notes: 0, aside: 'c.quarantine', place: 'e1' } },
])('a watch with %j is not whole', (change) => {
  expect(isWatchWhole({ ...watchResult, ...change })).toBe(false);
});
