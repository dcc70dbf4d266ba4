import { expect, test } from 'vitest';
import { DeferredListener } from './deferred-listener.ts';
import { NULL_LISTENER } from './exchange-listener.ts';

/** Events of the exchanges that were begun. */
function listening() {
  const events: string[] = [];
  const begin = () => {
    events.push('begin');
    return {
      ...NULL_LISTENER,
      requestBody: (bytes: Buffer) => void events.push(`body ${bytes.length}`),
      requestEnd: () => void events.push('whole'),
      response: () => void events.push('response'),
    };
  };
  return { events, listener: new DeferredListener(begin, ({ how }) => events.push(how)) };
}

test('what waited for an answer comes first, in its order', () => {
  const { events, listener } = listening();
  for (const text of ['ab', 'c']) listener.requestBody(Buffer.from(text));
  listener.requestEnd();
  expect(events).toEqual([]);
  listener.response({ status: 200, reason: 'OK', headers: [] });
  expect(events).toEqual(['begin', 'body 2', 'body 1', 'whole', 'response']);
});

test('what gets no answer is not begun', async () => {
  const { events, listener } = listening();
  listener.requestBody(Buffer.from('ab'));
  await listener.end({ how: 'upstream-reset' });
  expect(events).toEqual(['upstream-reset']);
});

test('a body that is too large to be held is written down before there is an answer', async () => {
  const { events, listener } = listening();
  const mebi = Buffer.alloc(1024 * 1024);
  for (let n = 0; n < 18; n += 1) listener.requestBody(mebi);
  expect(events.slice(0, 2)).toEqual(['begin', `body ${mebi.length}`]);
  expect(events).toHaveLength(19);
  await listener.end({ how: 'upstream-reset' });
  expect(events).toHaveLength(19);
});
