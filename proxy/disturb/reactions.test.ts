import { expect, test } from 'vitest';
import { readDisturbances } from './disturbances.ts';
import { Reactions, type SeenRequest } from './reactions.ts';
import type { ServiceAnswer } from './send-disturbed.ts';

const answerCreation = (id: string): ServiceAnswer => ({
  status: 200,
  headers: [],
  body: Buffer.from(JSON.stringify({ id })),
});
const creation = (at: number, body = '{}', headers: readonly string[] = []): SeenRequest => ({
  ...{ method: 'POST', target: '/v1/threads', headers },
  ...{ body: Buffer.from(body), at },
});
const listRequest = (at: number): SeenRequest => ({
  ...creation(at, ''),
  method: 'GET',
  target: '/v1/models',
});

function loseCreation(name = 'reset', request = creation(0), answer = answerCreation('a')): Reactions {
  const reactions = new Reactions();
  const [disturbance] = readDisturbances(name);
  if (disturbance === undefined) throw new Error('no disturbance');
  reactions.recordRequest(request);
  reactions.recordDisturbance(disturbance, request, answer)(10);
  return reactions;
}

function sendRequest(reactions: Reactions, request: SeenRequest, answer: ServiceAnswer): string | null {
  return reactions.recordResponse(reactions.recordRequest(request), request, { answer, isDisturbed: false });
}

test('the same creation right after the loss is a repetition, once', () => {
  const reactions = loseCreation();
  expect(sendRequest(reactions, creation(20), answerCreation('b'))).toBe('a');
  // The response has arrived, so the next request is a new one.
  expect(sendRequest(reactions, creation(30), answerCreation('c'))).toBeNull();
  expect(reactions.report()).toMatchObject([{ retries: 1, retriedAfter: 10, createdTwice: ['a', 'b'] }]);
});

test('equal creations that were in flight when the response was lost are not repetitions', () => {
  const reactions = loseCreation();
  expect(sendRequest(reactions, creation(1), answerCreation('b'))).toBeNull();
  expect(sendRequest(reactions, creation(2), answerCreation('c'))).toBeNull();
  expect(reactions.report()).toMatchObject([{ retries: 0, wentOn: false, createdTwice: [] }]);
});

test('an equal creation after other requests may be intended', () => {
  const reactions = loseCreation();
  sendRequest(reactions, listRequest(20), answerCreation('m'));
  expect(sendRequest(reactions, creation(30), answerCreation('b'))).toBeNull();
  expect(reactions.report()).toMatchObject([{ retries: 0, wentOn: true, createdTwice: [] }]);
});

test('a slow response was not lost, unless the client gave up', () => {
  const reactions = new Reactions();
  const [slow] = readDisturbances('slow-first-byte');
  if (slow === undefined) throw new Error('no disturbance');
  const first = creation(0);
  const reportLoss = reactions.recordDisturbance(slow, first, answerCreation('a'));
  expect(sendRequest(reactions, creation(600), answerCreation('b'))).toBeNull();
  expect(reactions.report()).toMatchObject([{ retries: 0, createdTwice: [] }]);
  reportLoss(700);
  expect(sendRequest(reactions, creation(800), answerCreation('c'))).toBe('a');
});

test('an upload is the same with another boundary', () => {
  const form = (at: number, boundary: string, text = 'hello') =>
    creation(
      at,
      `--${boundary}\r\ncontent-disposition: form-data; name="file"\r\n\r\n${text}\r\n--${boundary}--\r\n`,
      ['Content-Type', `multipart/form-data; boundary=${boundary}`],
    );
  const reactions = loseCreation('reset', form(0, '----form-1'));
  expect(sendRequest(reactions, form(20, '----other-form-22'), answerCreation('b'))).toBe('a');
  expect(
    sendRequest(
      loseCreation('reset', form(0, '----form-1')),
      form(20, '----form-2', 'other'),
      answerCreation('b'),
    ),
  ).toBeNull();
});

const WORDS = ['Here ', 'is ', 'what ', 'I ', 'make ', 'of ', 'it, ', 'and ', 'more.'];

/** Whether a client that sends `content` after a disturbed stream of `WORDS` counts as using half of it. */
function findUsedHalf(disturbance: string, content: string, field = 'data: '): boolean | undefined {
  const events = WORDS.map(
    (word) => `${field}${JSON.stringify({ choices: [{ delta: { content: word } }] })}\n\n`,
  );
  const stream = { status: 200, headers: [], body: Buffer.from([...events, 'data: [DONE]\n\n'].join('')) };
  const chat = { ...creation(0, '{"stream":true}'), target: '/v1/chat/completions' };
  const reactions = loseCreation(disturbance, chat, stream);
  reactions.recordRequest({
    ...chat,
    at: 20,
    body: Buffer.from(JSON.stringify({ messages: [{ content }] })),
  });
  return reactions.report()[0]?.usedHalf;
}

test.each(['data: ', 'data:'])(
  'half of an ordinary stream of "%s" lines is recognised if no number of events is given',
  (field) => {
    expect(findUsedHalf('cut-stream', WORDS.slice(0, 5).join(''), field)).toBe(true);
  },
);

test('the text of a stream that ends before the cut is not half of it', () => {
  const plan = (after: number) => JSON.stringify([{ name: 'cut-stream', after }]);
  expect(findUsedHalf(plan(8), WORDS.slice(0, 8).join(''))).toBe(true);
  expect(findUsedHalf(plan(1000), WORDS.join(''))).toBe(false);
});
