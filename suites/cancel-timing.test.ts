// A service that finishes its work immediately receives each cancellation too late, so there is no evidence of timely
// ones; refusing to cancel unfinished work is different.
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
  ['cancelled while it went on', [created, cancelled('cancelling')], ['in time']],
  ['over when a refused cancellation came', [created, refused, reported('completed')], ['too late']],
  ['over when a cancellation was answered 404', [created, missing, reported('completed')], ['too late']],
  ['still going on after 404', [created, missing, reported('in_progress')], []],
  ['where nothing can be cancelled', [created, { ...refused, status: 405 }, reported('completed')], []],
  ['refused twice', [created, refused, refused, reported('completed')], ['too late']],
  ['over in the response', [created, cancelled('completed')], ['too late']],
  ['still going on after a refusal', [created, refused, reported('in_progress')], []],
  ['cancelled in spite of a refusal', [created, refused, reported('cancelling')], []],
  ['not cancelled though it was accepted', [created, cancelled('in_progress')], []],
  ['over before it was cancelled', [created, reported('completed'), refused, reported('completed')], []],
  [
    'reported while the refusal was under way',
    [created, refused, { ...reported('completed'), after: 1 }],
    [],
  ],
  ['writing its results in the response', [created, cancelled('finalizing')], []],
  ['writing its results after a refusal', [created, refused, reported('finalizing')], []],
  ['in a state of its own', [created, cancelled('pausing')], []],
  ['in a state of its own after a refusal', [created, refused, reported('pausing')], []],
  ['failed', [created, refused, reported('failed')], ['too late']],
  ['expired', [created, cancelled('expired')], ['too late']],
  ['not reported again', [created, refused], []],
])('%s', async (_, traffic, expected) => {
  const { choices } = await judgeServiceTraffic(traffic, null);
  expect(choices.find(({ id }) => id === 'batches.cancel.in-time')?.taken ?? []).toEqual(expected);
});

test.each([
  ['batches', 'cancelBatch'],
  ['fine-tuning', 'cancelFineTuningJob'],
  ['vector-store-file-batches', 'cancelVectorStoreFileBatch'],
])(
  'a service whose %s end at once does not lack evidence of cancellations in time',
  async (family, operation) => {
    const { choices } = await catalogue();
    const globs = choices.find(({ id }) => id === `${family}.cancel.in-time`)?.takesAway?.['too late'] ?? [];
    for (const id of [`${family}.cancel.accepted`, `${operation}:answer#json`])
      expect(globs.some((glob) => matchesGlob(glob, id))).toBe(true);
  },
);
