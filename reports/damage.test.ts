import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { RequirementKind } from '../judge/requirements/requirement.ts';
import { sortByDamage } from './damage.ts';

const ledger: readonly { readonly id: string; readonly kind: RequirementKind }[] = JSON.parse(
  readFileSync('suites/ledger.json', 'utf8'),
);

function createFailures(ids: readonly string[]) {
  return ids.map((id) => {
    const row = ledger.find((one) => one.id === id);
    if (row === undefined) throw new Error(`${id} is not in the ledger`);
    return { ...row, findings: [] };
  });
}

function orderIfProvoked(ids: readonly string[], provoked: number) {
  const failures = createFailures(ids).map((one, n) =>
    n === provoked ? { ...one, provoked: true as const } : one,
  );
  return sortByDamage(failures).map(({ id }) => ids.indexOf(id));
}

test('unreadable responses come first, then wrong ones, refusals, missing fields and, last, accepted invalid requests', () => {
  const ids = [
    'createChatCompletion:body.temperature#maximum.rejected',
    'chat.completion:system_fingerprint#required',
    'createChatCompletion:body.stop#type.accepted',
    'usage:total_tokens#type',
    'chat.stream.done-ends-stream',
    'createChatCompletion:answer#json',
    'createChatCompletion:stream#contentType',
  ];
  const order = sortByDamage(createFailures(ids)).map(({ id }) => ids.indexOf(id));
  expect(order).toEqual([4, 5, 6, 3, 2, 1, 0]);
});

test('wrong responses come before features that the service lacks', () => {
  const ids = ['chat.reply.json-mode-is-json', 'chat.reply.logprobs-when-asked', 'chat.usage.total-is-sum'];
  const order = sortByDamage(createFailures(ids)).map(({ id }) => ids.indexOf(id));
  expect(order).toEqual([2, 0, 1]);
});

test('failures that only responses to accepted invalid requests show come after wrong responses and missing fields, and before accepted invalid requests', () => {
  const ids = [
    'createChatCompletion:body.temperature#maximum.rejected',
    'assistant.v2:temperature#maximum',
    'chat.completion:system_fingerprint#required',
    'usage:total_tokens#type',
  ];
  expect(orderIfProvoked(ids, 1)).toEqual([3, 2, 1, 0]);
});

test('an unreadable response to an accepted invalid request ranks with refusals', () => {
  const ids = [
    'chat.completion:system_fingerprint#required',
    'createChatCompletion:body.stop#type.accepted',
    'chat.stream.done-ends-stream',
    'usage:total_tokens#type',
  ];
  expect(orderIfProvoked(ids, 2)).toEqual([3, 1, 2, 0]);
});

test('a wrongly ordered list comes before its consequences', () => {
  const ids = [
    'listMessages.page.after',
    'chat.stream.same-id',
    'listMessages.page.has-more',
    'listMessages.page.order-asc',
    'listVectorStores.page.after',
  ];
  const order = sortByDamage(createFailures(ids)).map(({ id }) => ids.indexOf(id));
  expect(order).toEqual([3, 0, 2, 1, 4]);
});

test('wrong contents of files come before the results of batches, which are read from them', () => {
  const ids = ['batches.results.lines-are-json', 'chat.stream.same-id', 'files.content.as-sent'];
  const order = sortByDamage(createFailures(ids)).map(({ id }) => ids.indexOf(id));
  expect(order).toEqual([2, 0, 1]);
  const orderWithoutFile = sortByDamage(createFailures(ids.slice(0, 2))).map(({ id }) => ids.indexOf(id));
  expect(orderWithoutFile).toEqual([0, 1]);
});
