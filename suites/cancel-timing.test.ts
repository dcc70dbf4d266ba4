// A service that finishes its work immediately gets every cancellation too late, which explains why there is no
// evidence of timely ones. A refusal to cancel unfinished work explains nothing.
import { expect, test } from 'vitest';
import { matchesAnyGlob } from '../exchange/glob.ts';
import { catalogue } from './index.ts';
import { judgeServiceTraffic, type Sketch } from './testing/service-traffic.ts';

const creation: Sketch = { call: 'POST /v1/batches', answer: { id: 'b-1', status: 'validating' } };
const retrieval = (status: string): Sketch => ({
  call: 'GET /v1/batches/b-1',
  answer: { id: 'b-1', status },
});
const refusal: Sketch = { call: 'POST /v1/batches/b-1/cancel', status: 409 };
const notFound: Sketch = { ...refusal, status: 404 };
const cancellation = (status: string): Sketch => ({
  call: 'POST /v1/batches/b-1/cancel',
  answer: { id: 'b-1', status },
});

test.each<[string, readonly string[], readonly Sketch[]]>([
  ['is cancelled while it is in progress', ['in time'], [creation, cancellation('cancelling')]],
  [
    'has ended before a cancellation that is refused',
    ['too late'],
    [creation, refusal, retrieval('completed')],
  ],
  [
    'has ended before a cancellation that gets 404',
    ['too late'],
    [creation, notFound, retrieval('completed')],
  ],
  [
    'is still in progress after a cancellation that gets 404',
    [],
    [creation, notFound, retrieval('in_progress')],
  ],
  [
    'belongs to a service that cancels nothing',
    [],
    [creation, { ...refusal, status: 405 }, retrieval('completed')],
  ],
  [
    'has ended before two cancellations that are refused',
    ['too late'],
    [creation, refusal, refusal, retrieval('completed')],
  ],
  ['has ended in the response to its cancellation', ['too late'], [creation, cancellation('completed')]],
  ['is still in progress after a refusal', [], [creation, refusal, retrieval('in_progress')]],
  ['is cancelled in spite of a refusal', [], [creation, refusal, retrieval('cancelling')]],
  ['stays in progress although its cancellation is accepted', [], [creation, cancellation('in_progress')]],
  [
    'is reported as ended before its cancellation',
    [],
    [creation, retrieval('completed'), refusal, retrieval('completed')],
  ],
  [
    'is reported as ended while the refusal is in flight',
    [],
    [creation, refusal, { ...retrieval('completed'), after: 1 }],
  ],
  ['writes its results in the response to its cancellation', [], [creation, cancellation('finalizing')]],
  ['writes its results after a refusal', [], [creation, refusal, retrieval('finalizing')]],
  ['has an unspecified state in the response to its cancellation', [], [creation, cancellation('pausing')]],
  ['has an unspecified state after a refusal', [], [creation, refusal, retrieval('pausing')]],
  ['has failed after a refusal', ['too late'], [creation, refusal, retrieval('failed')]],
  ['has expired in the response to its cancellation', ['too late'], [creation, cancellation('expired')]],
  ['is not reported after a refusal', [], [creation, refusal]],
])('a batch that %s is evidence for %j', async (_, expected, traffic) => {
  const { choices } = await judgeServiceTraffic(traffic, null);
  expect(choices.find(({ id }) => id === 'batches.cancel.in-time')?.taken ?? []).toEqual(expected);
});

test.each([
  ['batches', 'cancelBatch'],
  ['fine-tuning', 'cancelFineTuningJob'],
  ['vector-store-file-batches', 'cancelVectorStoreFileBatch'],
])('late cancellations of %s explain missing evidence of accepted ones', async (family, operation) => {
  const { choices } = await catalogue();
  const globs = choices.find(({ id }) => id === `${family}.cancel.in-time`)?.takesAway?.['too late'] ?? [];
  const ids = [`${family}.cancel.accepted`, `${operation}:answer#json`];
  expect(ids.filter((id) => matchesAnyGlob(globs, id))).toEqual(ids);
});
