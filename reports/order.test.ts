import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { RequirementKind } from '../judge/requirements/requirement.ts';
import { byDamage } from './report.ts';

const ledger: readonly { readonly id: string; readonly kind: RequirementKind }[] = JSON.parse(
  readFileSync('suites/ledger.json', 'utf8'),
);

test('what breaks a client comes before a field that few clients read, and invalid requests come last', () => {
  const ids = [
    'createChatCompletion:body.temperature#maximum.rejected',
    'chat.completion:system_fingerprint#required',
    'usage:total_tokens#type',
    'chat.stream.done-ends-stream',
    'createChatCompletion:answer#json',
    'createChatCompletion:stream#contentType',
  ];
  // In the order of the ledger, which is independent of damage.
  const broken = ids.map((id) => {
    const found = ledger.find((one) => one.id === id);
    if (found === undefined) throw new Error(`${id} is not in the ledger`);
    return found;
  });
  expect(byDamage(broken).map(({ id }) => id)).toEqual([ids[3], ids[4], ids[5], ids[2], ids[1], ids[0]]);
});
