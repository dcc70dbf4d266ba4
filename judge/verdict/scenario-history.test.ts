import { expect, test } from 'vitest';
import { ScenarioHistory, type Stopped } from './scenario-history.ts';

const died = { reason: 'target-died', detail: 'ECONNREFUSED' } as const;
const stopped = (stop: Stopped) => ({ after: 0, note: 'stopped', ...stop }) as const;
const resumed = { after: 0, note: 'resumed', scenarios: ['batches.life'] } as const;

test('a resumed run is complete, unless it was interrupted again', () => {
  const history = new ScenarioHistory([]);
  history.note(resumed);
  history.note(stopped({ reason: 'interrupted' }));
  expect(history.stopReason).toBe('interrupted');
  history.note(resumed);
  expect(history.stopReason).toBe('completed');
});

test('an interrupted shard is reported, whatever the outcome of the others', () => {
  const history = new ScenarioHistory([]);
  history.note(resumed);
  history.next();
  history.note(stopped(died));
  history.next();
  history.note(resumed);
  expect([history.stopReason, history.stop]).toEqual(['target-died', died]);
});

const HINT = {
  kind: 'models-not-listed',
  models: [{ role: 'chat', id: 'x' }],
  listed: ['y'],
  total: 1,
} as const;

test('a remark of the recorder is not a hint on the target, and a hint is kept once', () => {
  const history = new ScenarioHistory([]);
  history.note({ after: 0, note: 'remark', message: 'A secret that was given is short.' });
  for (const after of [0, 1]) history.note({ after, note: 'hint', hint: structuredClone(HINT) });
  expect(history.hints).toEqual([HINT]);
});

test('notes of earlier cassettes keep their text', () => {
  const history = new ScenarioHistory([
    { name: 'chat.a', shows: new Set(['a']) },
    { name: 'chat.b', shows: new Set(['b']) },
  ]);
  history.note({ after: 0, note: 'hint', message: 'look here' });
  history.note({ after: 0, note: 'stopped', reason: 'budget', message: '--max-requests 5 is spent' });
  history.note({ after: 0, note: 'blocked', scenario: 'chat.a', by: 'e1', message: 'it answered 500' });
  const skip = { reason: 'not-configured', detail: 'model role vision' } as const;
  history.note({ after: 0, note: 'scenario-skipped', scenario: 'chat.b', ...skip });
  expect(history.hints).toEqual([{ kind: 'text', message: 'look here' }]);
  expect(history.stop).toEqual({ reason: 'budget', message: '--max-requests 5 is spent' });
  expect(history.absence('a')).toEqual({
    kind: 'blocked',
    exchange: 'e1',
    obstacle: { kind: 'text', message: 'it answered 500' },
  });
  expect(history.absence('b')).toEqual({ kind: 'not-configured', detail: 'model role vision' });
});

test('a requirement that no claimed scenario shows is not claimed, with any filter', () => {
  const history = new ScenarioHistory([
    { name: 'models.delete', shows: new Set(['gone', 'both']) },
    { name: 'models.list', shows: new Set(['both', 'listed']) },
  ]);
  const skip = { reason: 'not-claimed', family: 'models' } as const;
  history.note({ after: 0, note: 'scenario-skipped', scenario: 'models.delete', ...skip });
  const filter = { reason: 'filtered', option: 'only', globs: ['x'] } as const;
  history.note({ after: 0, note: 'scenario-skipped', scenario: 'models.list', ...filter });
  expect(['gone', 'both', 'listed', 'unknown'].map((id) => history.isUnclaimed(id))).toEqual([
    ...[true, false, false, false],
  ]);
});
