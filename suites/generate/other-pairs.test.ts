import { expect, test } from 'vitest';
import type { CallResult } from '../../drive/scenario/scenario.ts';
import type { Json } from '../vocabulary/types.ts';
import { renewAfterPairs } from './requests.ts';

const fresh = { thread_id: 'thread_new' };
const renew = renewAfterPairs(async () => fresh);
// as: only these members are read
const result = (ok: boolean, json: Json) => ({ ok, json }) as unknown as CallResult;

test.each<[string, boolean, Json, object | undefined]>([
  ['pairs of a modification', true, { metadata: { made_by: 'a', key_1: 'b' } }, fresh],
  ['its own pair', true, { metadata: { made_by: 'a' } }, undefined],
  ['no pair', true, { metadata: {} }, undefined],
  ['no map', true, { metadata: null }, undefined],
  ['a refusal', false, { metadata: { key_1: 'b' } }, undefined],
])('after %s', async (_, ok, json, expected) => {
  expect(await renew(result(ok, json))).toEqual(expected);
});
