import { expect, test } from 'vitest';
import { DeferredListener } from './deferred-listener.ts';
import { NULL_LISTENER } from './exchange-listener.ts';

/** What is told of exchanges that were begun. */
function listening() {
  const told: string[] = [];
  const begin = () => {
    told.push('begin');
    return {
      ...NULL_LISTENER,
      requestBody: (bytes: Buffer) => void told.push(`body ${bytes.length}`),
      requestEnd: () => void told.push('whole'),
      response: () => void told.push('response'),
    };
  };
  return { told, listener: new DeferredListener(begin, ({ how }) => told.push(how)) };
}

test('what waited for an answer comes first, in its order', () => {
  const { told, listener } = listening();
  for (const text of ['ab', 'c']) listener.requestBody(Buffer.from(text));
  listener.requestEnd();
  expect(told).toEqual([]);
  listener.response({ status: 200, reason: 'OK', headers: [] });
  expect(told).toEqual(['begin', 'body 2', 'body 1', 'whole', 'response']);
});

test('what gets no answer is not begun', async () => {
  const { told, listener } = listening();
  listener.requestBody(Buffer.from('ab'));
  await listener.end({ how: 'upstream-reset' });
  expect(told).toEqual(['upstream-reset']);
});

test('a body that is too large to be held is written down before there is an answer', async () => {
  const { told, listener } = listening();
  const mebi = Buffer.alloc(1024 * 1024);
  for (let n = 0; n < 18; n += 1) listener.requestBody(mebi);
  expect(told.slice(0, 2)).toEqual(['begin', `body ${mebi.length}`]);
  expect(told).toHaveLength(19);
  await listener.end({ how: 'upstream-reset' });
  expect(told).toHaveLength(19);
});
