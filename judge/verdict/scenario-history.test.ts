import { expect, test } from 'vitest';
import type { Stop } from '../../exchange/note.ts';
import { ScenarioHistory } from './scenario-history.ts';

const TARGET_DIED = { reason: 'target-died', detail: 'ECONNREFUSED', underWay: [] } as const;
const createStopNote = (stop: Stop) => ({ after: 0, note: 'stopped', ...stop }) as const;
const RESUME_NOTE = { after: 0, note: 'resumed', scenarios: ['batches.life'] } as const;

test('resuming a run again clears the stop of the earlier resumption, but never that of the run itself', () => {
  const history = new ScenarioHistory([]);
  history.note(RESUME_NOTE);
  history.note(createStopNote({ reason: 'interrupted' }));
  expect(history.stopReason).toBe('interrupted');
  history.note(RESUME_NOTE);
  expect(history.stopReason).toBe('completed');
  const stopped = new ScenarioHistory([]);
  stopped.note(createStopNote({ reason: 'interrupted' }));
  stopped.note(RESUME_NOTE);
  expect(stopped.stopReason).toBe('interrupted');
});

test('the stop of a shard is reported, whatever the outcome of the other shards', () => {
  const history = new ScenarioHistory([]);
  history.note(RESUME_NOTE);
  history.next();
  history.note(createStopNote(TARGET_DIED));
  history.next();
  history.note(RESUME_NOTE);
  expect([history.stopReason, history.stop]).toEqual(['target-died', TARGET_DIED]);
});

const HINT = {
  kind: 'models-not-listed',
  models: [{ role: 'chat', id: 'x' }],
  listed: ['y'],
  total: 1,
} as const;

test('a remark of the recorder is not a hint about the target', () => {
  const history = new ScenarioHistory([]);
  history.note({ after: 0, note: 'remark', message: 'A secret that was given is short.' });
  expect(history.hints).toEqual([]);
});

test('a hint that occurs twice is kept once', () => {
  const history = new ScenarioHistory([]);
  for (const after of [0, 1]) history.note({ after, note: 'hint', hint: structuredClone(HINT) });
  expect(history.hints).toEqual([HINT]);
});

test('a requirement is unclaimed if scenarios show it and none is claimed; filtered ones count as claimed', () => {
  const history = new ScenarioHistory([
    { name: 'models.delete', shows: new Set(['gone', 'both']) },
    { name: 'models.list', shows: new Set(['both', 'listed']) },
  ]);
  const skip = { reason: 'not-claimed', family: 'models' } as const;
  history.note({ after: 0, note: 'scenario-skipped', scenario: 'models.delete', ...skip });
  const filter = { reason: 'filtered', option: 'only', globs: ['x'] } as const;
  history.note({ after: 0, note: 'scenario-skipped', scenario: 'models.list', ...filter });
  expect(['gone', 'both', 'listed', 'unknown'].map((id) => history.isUnclaimed(id))).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

test.each(['only', 'skip', 'scenario'] as const)('--%s leaves scenarios out, claims do not', (option) => {
  const history = new ScenarioHistory([]);
  const skipped = { after: 0, note: 'scenario-skipped', scenario: 'models.list' } as const;
  history.note({ ...skipped, scenario: 'models.delete', reason: 'not-claimed', family: 'models' });
  expect(history.hasLeftOutScenarios).toBe(false);
  history.note({ ...skipped, reason: 'filtered', option, globs: ['x'] });
  expect(history.hasLeftOutScenarios).toBe(true);
});

test('a scenario that the run did not reach explains missing evidence before one that was left out', () => {
  const shows = new Set(['file:id#type']);
  const explainAbsence = (...ended: readonly string[]) => {
    const history = new ScenarioHistory([
      { name: 'files.large', shows },
      { name: 'files.life', shows },
    ]);
    const skipped = { after: 0, note: 'scenario-skipped', scenario: 'files.large' } as const;
    history.note({ ...skipped, reason: 'not-allowed', cost: 'large' });
    for (const scenario of ended) history.note({ after: 1, note: 'scenario-ended', scenario });
    history.note(createStopNote(TARGET_DIED));
    history.note({ after: 1, note: 'scenario-ended', scenario: 'files.life' });
    return history.absence('file:id#type');
  };
  expect(explainAbsence()).toEqual({ kind: 'stopped', reason: 'target-died' });
  expect(explainAbsence('files.life')).toEqual({ kind: 'not-allowed', cost: 'large' });
});

test('if a run stops before its first scenario, the stop explains missing evidence that a scenario would show', () => {
  const history = new ScenarioHistory([{ name: 'files.life', shows: new Set(['file:id#type']) }]);
  history.note(createStopNote({ reason: 'interrupted' }));
  expect(history.absence('file:id#type')).toEqual({ kind: 'stopped', reason: 'interrupted' });
  expect(history.absence('of no scenario')).toBeNull();
});

test('a scenario that crashed with an empty message counts as crashed', () => {
  const history = new ScenarioHistory([{ name: 'files.life', shows: new Set(['file:id#type']) }]);
  history.note({ after: 0, note: 'scenario-crashed', scenario: 'files.life', message: '' });
  const crash = { kind: 'scenario-crashed', scenario: 'files.life', message: '' };
  expect(history.absence('file:id#type')).toEqual(crash);
});
