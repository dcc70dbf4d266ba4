import { expect, test } from 'vitest';
import { History } from './history.ts';

const stopped = (reason: 'target-died' | 'interrupted') =>
  ({ after: 0, note: 'stopped', reason, message: reason }) as const;
const resumed = { after: 0, note: 'resumed', scenarios: ['batches.life'] } as const;

test('a run that was gone on with came to its end, unless going on broke off, too', () => {
  const history = new History([]);
  history.note(resumed);
  history.note(stopped('interrupted'));
  expect(history.stopReason).toBe('interrupted');
  history.note(resumed);
  expect(history.stopReason).toBe('completed');
});

test('that one shard broke off is known, whatever became of the others', () => {
  const history = new History([]);
  history.note(resumed);
  history.next();
  history.note(stopped('target-died'));
  history.next();
  history.note(resumed);
  expect([history.stopReason, history.stopMessage]).toEqual(['target-died', 'target-died']);
});

test('what the recorder remarks is no hint on the target', () => {
  const history = new History([]);
  history.note({ after: 0, note: 'remark', message: 'A secret that was given is short.' });
  history.note({ after: 0, note: 'hint', message: 'the target does not list the model' });
  expect(history.remarks).toEqual(['the target does not list the model']);
});
