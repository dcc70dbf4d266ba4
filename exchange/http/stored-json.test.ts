import { expect, test } from 'vitest';
import { Body } from './body.ts';
import { eventsOf } from './event-stream.ts';

test('checking whether a body stored as JSON is a stream does not serialise it', () => {
  let made = 0;
  const load = () => {
    made += 1;
    return Buffer.from('{"object":"list"}');
  };
  const body = Body.stored(null, 17, load, { json: { value: { object: 'list' } } });
  const headers = [['Content-Type', 'application/json']] as const;
  const response = { status: 200, reason: 'OK', headers, body, trailers: [], pieces: [] };
  expect([eventsOf(response), made]).toEqual([null, 0]);
});
