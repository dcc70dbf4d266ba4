import { expect, test } from 'vitest';
import { operation } from '../../schemas/index.ts';
import { bodyTree } from '../probe/constraints.ts';
import { shareOf } from '../requirements/refusals.ts';
import { SentRequests } from './sent-requests.ts';

const [variant] = operation('createChatCompletion').variants;
const tree = variant === undefined ? null : bodyTree(variant);

/** Distinct requests, every second one with `seed`, all accepted. */
function sent(count: number, budget: number): SentRequests {
  const requests = new SentRequests(budget);
  for (let n = 0; n < count; n += 1) {
    const messages = [{ role: 'user', content: `text ${n}` }];
    const value = { model: 'm', messages, ...(n % 2 === 0 ? {} : { seed: 7 }) };
    requests.tally(`request ${n}`, 0, { at: n, by: n, value: `e${n}` }).accepted += 1;
    if (tree !== null)
      requests.keep(
        `request ${n}`,
        { subject: 'createChatCompletion', query: [], size: 0, body: { tree, value } },
        500,
      );
  }
  return requests;
}

function counted(requests: SentRequests, feature: string) {
  const rows = requests.accepted().get('createChatCompletion') ?? [];
  return [rows, rows.filter(({ features }) => features.includes(feature))].map((some) => shareOf(some).total);
}

test('what is kept stays within the budget; features of what is dropped still count', () => {
  const requests = sent(2000, 100_000);
  expect(requests.bytes).toBeLessThanOrEqual(100_000);
  expect(requests.repeats().get('createChatCompletion')?.length).toBeLessThan(100);
  expect(counted(requests, 'body.seed')).toEqual([2000, 1000]);
  // Asking twice counts nothing twice.
  expect(counted(requests, 'body.seed')).toEqual([2000, 1000]);
});

test('within the budget nothing is dropped', () => {
  const requests = sent(200, 10_000_000);
  expect(requests.repeats().get('createChatCompletion')).toHaveLength(200);
  expect(counted(requests, 'body.seed')).toEqual([200, 100]);
});
