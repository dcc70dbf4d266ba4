import { expect, test } from 'vitest';
import { operation } from '../../schemas/index.ts';
import { bodyTree } from '../probe/request-constraints.ts';
import { shareOf } from '../requirements/acceptance-facts.ts';
import { SentRequests } from './sent-requests.ts';

const [variant] = operation('createChatCompletion').variants;
const tree = variant === undefined ? null : bodyTree(variant);

function createSentRequests(count: number, budget: number): SentRequests {
  const requests = new SentRequests(budget);
  for (let n = 0; n < count; n += 1) {
    const messages = [{ role: 'user', content: `text ${n}` }];
    const value = { model: 'm', messages, ...(n % 2 === 0 ? {} : { seed: 7 }) };
    requests.tally(`request ${n}`, 0, { at: n, by: n, value: `e${n}` }).accepted += 1;
    if (tree !== null)
      requests.keep(`request ${n}`, {
        subject: 'createChatCompletion',
        query: [],
        size: 500,
        body: { tree, value },
      });
  }
  return requests;
}

function countRequests(requests: SentRequests, feature: string) {
  const rows = requests.listAccepted().get('createChatCompletion') ?? [];
  return [rows, rows.filter(({ features }) => features.includes(feature))].map(
    (group) => shareOf(group).total,
  );
}

test('kept requests stay within the budget; the features of dropped ones still count', () => {
  const requests = createSentRequests(2000, 100_000);
  expect(requests.bytes).toBeLessThanOrEqual(100_000);
  expect(requests.listRequests().get('createChatCompletion')?.length).toBeLessThan(100);
  expect(countRequests(requests, 'body.seed')).toEqual([2000, 1000]);
  // Reading the result twice must not count anything twice.
  expect(countRequests(requests, 'body.seed')).toEqual([2000, 1000]);
});

test('a dropped request is still known as answered, and as accepted if it was', () => {
  const requests = new SentRequests(2000);
  const send = (fingerprint: string, n: number) =>
    requests.tally(fingerprint, 0, { at: n, by: n, value: `e${n}` });
  send('accepted', 1).accepted += 1;
  send('refused', 2).refused += 1;
  for (let n = 3; n < 20; n += 1) send(`other ${n}`, n);
  expect(
    requests
      .listRequests()
      .get('')
      ?.some(({ features }) => features.includes('accepted')),
  ).toBe(false);
  const merged = new SentRequests();
  merged.absorb(structuredClone(requests.part()));
  for (const sent of [requests, merged]) {
    expect([sent.wasAnswered('accepted'), sent.wasAccepted('accepted')]).toEqual([true, true]);
    expect([sent.wasAnswered('refused'), sent.wasAccepted('refused')]).toEqual([true, false]);
    expect([sent.wasAnswered('never'), sent.wasAccepted('never')]).toEqual([false, false]);
  }
});

test('if more requests were dropped than can be remembered, any request may have been accepted', () => {
  const requests = new SentRequests(2000);
  for (let n = 0; n < 20_100; n += 1)
    requests.tally(`request ${n}`, 0, { at: n, by: n, value: `e${n}` }).refused += 1;
  expect([requests.wasAnswered('never'), requests.wasAccepted('never')]).toEqual([true, true]);
});

test('within the budget nothing is dropped', () => {
  const requests = createSentRequests(200, 10_000_000);
  expect(requests.listRequests().get('createChatCompletion')).toHaveLength(200);
  expect(countRequests(requests, 'body.seed')).toEqual([200, 100]);
});
