import { expect, test } from 'vitest';
import { NULL_LISTENER, RecordingListener } from './recording-listener.ts';

function createListener() {
  const events: string[] = [];
  const begin = () => {
    events.push('begin');
    return {
      ...NULL_LISTENER,
      requestBody: (bytes: Uint8Array) => void events.push(`body ${bytes.length}`),
      requestEnd: async () => void events.push('request end'),
      response: () => void events.push('response'),
      end: async () => null,
    };
  };
  const listener = new RecordingListener(begin, {
    isOpen: true,
    options: { answeredOnly: true, onError: 'refuse', onItem: null },
    recordStatus: () => {},
    recordUpstreamFailure: (why, isRecorded) => void events.push(isRecorded ? 'recorded failure' : why),
    recordLoss: () => void events.push('lost'),
  });
  return { events, listener };
}

test('with `answeredOnly`, the parts of a request are recorded in order once there is a response, before it', () => {
  const { events, listener } = createListener();
  for (const text of ['ab', 'c']) listener.requestBody(Buffer.from(text));
  listener.requestEnd();
  expect(events).toEqual([]);
  listener.response({ status: 200, reason: 'OK', headers: [] });
  expect(events).toEqual(['begin', 'body 2', 'body 1', 'request end', 'response']);
});

test('with `answeredOnly`, an exchange without a response is not recorded if its body is small enough to hold', async () => {
  const { events, listener } = createListener();
  listener.requestBody(Buffer.from('ab'));
  await listener.end({ how: 'upstream-reset' });
  expect(events).toEqual(['upstream-reset']);
});

test('with `answeredOnly`, a body that is too large to hold is recorded before there is a response', async () => {
  const { events, listener } = createListener();
  const mebibyte = Buffer.alloc(1024 * 1024);
  for (let n = 0; n < 18; n += 1) listener.requestBody(mebibyte);
  expect(events.slice(0, 2)).toEqual(['begin', `body ${mebibyte.length}`]);
  expect(events).toHaveLength(19);
  await listener.end({ how: 'upstream-reset' });
  expect(events.at(-1)).toBe('recorded failure');
});
