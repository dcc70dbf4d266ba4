// A service that finishes its work immediately gets every cancellation too late, which explains why there is no evidence
// of timely ones. A refusal to cancel unfinished work explains nothing.
import { expect, test } from 'vitest';
import { matchesGlob } from '../exchange/glob.ts';
import { catalogue } from './index.ts';
import { judgeServiceTraffic, type Sketch } from './testing/service-traffic.ts';

const created: Sketch = { call: 'POST /v1/batches', answer: { id: 'b-1', status: 'validating' } };
const reported = (status: string): Sketch => ({ call: 'GET /v1/batches/b-1', answer: { id: 'b-1', status } });
const refused: Sketch = { call: 'POST /v1/batches/b-1/cancel', status: 409 };
const missing: Sketch = { ...refused, status: 404 };
const cancelled = (status: string): Sketch => ({
  call: 'POST /v1/batches/b-1/cancel',
  answer: { id: 'b-1', status },
});

test.each<[string, readonly Sketch[], readonly string[]]>([
  ['is cancelled while it is in progress', [created, cancelled('cancelling')], ['in time']],
  [
    'has ended before a cancellation that is refused',
    [created, refused, reported('completed')],
    ['too late'],
  ],
  ['has ended before a cancellation that gets 404', [created, missing, reported('completed')], ['too late']],
  [
    'is still in progress after a cancellation that gets 404',
    [created, missing, reported('in_progress')],
    [],
  ],
  [
    'belongs to a service that cancels nothing',
    [created, { ...refused, status: 405 }, reported('completed')],
    [],
  ],
  [
    'has ended before two cancellations that are refused',
    [created, refused, refused, reported('completed')],
    ['too late'],
  ],
  ['has ended in the response to its cancellation', [created, cancelled('completed')], ['too late']],
  ['is still in progress after a refusal', [created, refused, reported('in_progress')], []],
  ['is cancelled in spite of a refusal', [created, refused, reported('cancelling')], []],
  ['stays in progress although its cancellation is accepted', [created, cancelled('in_progress')], []],
  [
    'is reported as ended before its cancellation',
    [created, reported('completed'), refused, reported('completed')],
    [],
  ],
  [
    'is reported as ended while the refusal is in flight',
    [created, refused, { ...reported('completed'), after: 1 }],
    [],
  ],
  ['writes its results in the response to its cancellation', [created, cancelled('finalizing')], []],
  ['writes its results after a refusal', [created, refused, reported('finalizing')], []],
  ['has an unspecified state in the response to its cancellation', [created, cancelled('pausing')], []],
  ['has an unspecified state after a refusal', [created, refused, reported('pausing')], []],
  ['has failed after a refusal', [created, refused, reported('failed')], ['too late']],
  ['has expired in the response to its cancellation', [created, cancelled('expired')], ['too late']],
  ['is not reported after a refusal', [created, refused], []],
])('a batch that %s is evidence for %j', async (_, traffic, expected) => {
  const { choices } = await judgeServiceTraffic(traffic, null);
  expect(choices.find(({ id }) => id === 'batches.cancel.in-time')?.taken ?? []).toEqual(expected);
});

test.each([
  ['batches', 'cancelBatch'],
  ['fine-tuning', 'cancelFineTuningJob'],
  ['vector-store-file-batches', 'cancelVectorStoreFileBatch'],
])(
  'a service that finishes its %s immediately is not blamed for missing evidence of timely cancellations',
  async (family, operation) => {
    const { choices } = await catalogue();
    const globs = choices.find(({ id }) => id === `${family}.cancel.in-time`)?.takesAway?.['too late'] ?? [];
    for (const id of [`${family}.cancel.accepted`, `${operation}:answer#json`])
      expect(globs.some((glob) => matchesGlob(glob, id))).toBe(true);
  },
);
