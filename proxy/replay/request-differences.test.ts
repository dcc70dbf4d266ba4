import { expect, test } from 'vitest';
import type { Json } from '../../exchange/http/body.ts';
import type { CanonicalRequest } from '../../exchange/matching/request-key.ts';
import { compareRequests } from './request-differences.ts';

const REQUEST: CanonicalRequest = {
  method: 'POST',
  path: '/v1/threads',
  query: [],
  beta: null,
  credentials: true,
  body: null,
};

test('a body that is null differs from none', () => {
  const body: Json = { json: null };
  expect(compareRequests(REQUEST, { ...REQUEST, body })).toEqual([
    { at: 'body', recorded: 'none', asked: 'JSON' },
  ]);
});

test('a repeated query parameter differs from one with the same text', () => {
  const repeated: CanonicalRequest['query'] = [
    ['a', '1'],
    ['a', '2'],
  ];
  expect(compareRequests({ ...REQUEST, query: repeated }, { ...REQUEST, query: [['a', '1, 2']] })).toEqual([
    { at: 'query a', recorded: ['1', '2'], asked: '1, 2' },
  ]);
});

test('different aliases of secrets are not a difference', () => {
  const recorded = { path: '/v1/redacted_1_xx', body: { json: { token: 'redacted_1_xx', n: 1 } } };
  const asked = { path: '/v1/redacted_2_xxxx', body: { json: { token: 'redacted_2_xxxx', n: 2 } } };
  expect(compareRequests({ ...REQUEST, ...recorded }, { ...REQUEST, ...asked })).toEqual([
    { at: 'body /n', recorded: 1, asked: 2 },
  ]);
});
