import { expect, test } from 'vitest';
import type { CallResult } from '../../drive/scenario/scenario.ts';
import type { Json } from '../vocabulary/types.ts';
import { renewAfterPairs } from './requests.ts';

const fresh = { thread_id: 'thread_new' };
const renew = renewAfterPairs(async () => fresh);
// as: only these members are read
const result = (ok: boolean, json: Json) => ({ ok, json }) as unknown as CallResult;

test.each<[string, boolean, Json, object | undefined]>([
  ['adds pairs of its own', true, { metadata: { made_by: 'a', key_1: 'b' } }, fresh],
  ['shows only the pair of its creation', true, { metadata: { made_by: 'a' } }, undefined],
  ['shows no pairs', true, { metadata: {} }, undefined],
  ['shows no metadata', true, { metadata: null }, undefined],
  ['is refused', false, { metadata: { key_1: 'b' } }, undefined],
])(
  'an object is renewed only if its metadata has other pairs: the response %s',
  async (_, ok, json, expected) => {
    expect(await renew(result(ok, json))).toEqual(expected);
  },
);
