import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { Body } from '../../exchange/http/body.ts';
import { tokensUsed } from './tokens-used.ts';

const usageEvent = (tokens: number) => `data: {"usage":{"total_tokens":${tokens}}}\n\n`;

test('a compressed stream that reports its usage in more events than fit on the stack is counted', () => {
  const body = Body.from(gzipSync(`${usageEvent(7)}${usageEvent(3).repeat(150_000)}`));
  const fields = { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' };
  const response = { status: 200, reason: 'OK', headers: Object.entries(fields), body };
  expect(tokensUsed({ ...response, trailers: [], pieces: [] })).toBe(7);
});
