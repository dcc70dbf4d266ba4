import { expect, test } from 'vitest';
import type { Json } from '../../exchange/http/body.ts';
import { judgeRequirement, takenAlternatives } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { catalogue } from '../index.ts';
import { requirementFromRow } from '../testing/row.ts';
import {
  runsAdditionalMessagesBeforeTheRun,
  runsAdditionalMessagesInThread,
  runsNewThreadHasMessages,
  runsStoredDeltasAreMessage,
  runsStoredMessagesListed,
} from './messages.requirements.ts';
import { messageObject, messageRun, runObject, streamedTrace } from './testing/run-events.ts';

const { choices } = await catalogue();
const runsStoredMessageAsStreamed = requirementFromRow('runs.stored.message-as-streamed');
const thread = { path: { thread_id: 'thread_1' } };
const beta = 'assistants=v2';

function page(...data: readonly Json[]): { readonly json: Json } {
  return { json: { object: 'list', data, has_more: false } };
}

function messageOf(id: string, role: string, value: string, created_at = 100): Json {
  return {
    ...Object(messageObject('completed', value)),
    id,
    role,
    created_at,
    run_id: null,
    assistant_id: null,
  };
}

const stored = messageObject('completed', 'Hello.');

test('a later response shows a message as it was streamed', () => {
  const trace = streamedTrace(messageRun);
  trace.add('listMessages', thread, page(stored));
  trace.add('retrieveMessage', { path: { thread_id: 'thread_1', message_id: 'msg_1' } }, { json: stored });
  for (const one of [runsStoredMessageAsStreamed, runsStoredDeltasAreMessage]) {
    expect(judgeRequirement(one, trace.exchanges)).toEqual({ observations: 2, violations: [] });
  }
  expect(judgeRequirement(runsStoredMessagesListed, trace.exchanges)).toEqual({
    observations: 1,
    violations: [],
  });
});

test('a request that began before the stream ended proves nothing', () => {
  const trace = streamedTrace(messageRun);
  trace.add('listMessages', { ...thread, after: 0 }, page());
  expect(judgeRequirement(runsStoredMessagesListed, trace.exchanges).observations).toBe(0);
});

test.each([
  ['a page before further ones', { limit: '1' }, true],
  ['a page behind a cursor', { after: 'msg_9' }, false],
  ['the list of another run', { run_id: 'run_2' }, false],
])('%s need not contain the message of a run', (_, query, has_more) => {
  const trace = streamedTrace(messageRun);
  trace.add('listMessages', { ...thread, query }, { json: { data: [], has_more } });
  expect(judgeRequirement(runsStoredMessagesListed, trace.exchanges).observations).toBe(0);
});

test('a message that a truncated stream does not complete is no evidence', () => {
  const trace = streamedTrace(messageRun.slice(0, 10), 'client-abort');
  trace.add('listMessages', thread, page(messageObject('in_progress', 'Hel')));
  for (const one of [runsStoredMessagesListed, runsStoredMessageAsStreamed, runsStoredDeltasAreMessage]) {
    expect(judgeRequirement(one, trace.exchanges).observations).toBe(0);
  }
});

test('a new thread has all its messages, duplicates included', () => {
  const messages = ['hello', 'hello'].map((content) => ({ role: 'user', content }));
  const trace = streamedTrace(messageRun, 'complete', { thread: { messages } });
  trace.add('listMessages', thread, page(stored, messageOf('msg_2', 'user', 'hello')));
  expect(judgeRequirement(runsNewThreadHasMessages, trace.exchanges).violations).toMatchObject([
    { expected: 'a message of user: "hello"' },
  ]);
  trace.add(
    'listMessages',
    thread,
    page(messageOf('msg_3', 'user', 'hello'), messageOf('msg_2', 'user', 'hello')),
  );
  expect(judgeRequirement(runsNewThreadHasMessages, trace.exchanges).violations).toHaveLength(1);
});

test('an additional message precedes the run, and may be listed again after it', () => {
  const trace = new TraceBuilder();
  const body = { assistant_id: 'asst_1', additional_messages: [{ role: 'user', content: 'hello' }] };
  trace.add('createRun', { ...thread, body, beta }, { json: runObject('queued') });
  const again = messageOf('msg_3', 'user', 'hello', 900);
  trace.add('listMessages', thread, page(again, stored, messageOf('msg_2', 'user', 'hello')));
  expect(judgeRequirement(runsAdditionalMessagesBeforeTheRun, trace.exchanges)).toEqual({
    observations: 1,
    violations: [],
  });
  expect(judgeRequirement(runsAdditionalMessagesInThread, trace.exchanges)).toEqual({
    observations: 1,
    violations: [],
  });
  trace.add('listMessages', thread, page(again, stored));
  expect(judgeRequirement(runsAdditionalMessagesBeforeTheRun, trace.exchanges).violations).toMatchObject([
    { at: '/data/0/created_at' },
  ]);
});

test('additional messages with the id of the run need not be as old as the first of them', () => {
  const trace = new TraceBuilder();
  const contents = ['one', 'two'];
  const additional_messages = contents.map((content) => ({ role: 'user', content }));
  const body = { assistant_id: 'asst_1', additional_messages };
  trace.add('createRun', { ...thread, body, beta }, { json: runObject('queued') });
  const listed = contents.map((content, i) => ({
    ...Object(messageOf(`msg_${i + 2}`, 'user', content, 100 + i)),
    run_id: 'run_1',
  }));
  trace.add('listMessages', thread, page(stored, ...listed));
  expect(judgeRequirement(runsAdditionalMessagesBeforeTheRun, trace.exchanges)).toEqual({
    observations: 1,
    violations: [],
  });
});

test('a message of the run without a time does not show that additional messages are late', () => {
  const trace = new TraceBuilder();
  const body = { assistant_id: 'asst_1', additional_messages: [{ role: 'user', content: 'hello' }] };
  trace.add('createRun', { ...thread, body, beta }, { json: runObject('queued') });
  const { created_at: _, ...untimed } = Object(stored);
  trace.add('listMessages', thread, page(untimed, messageOf('msg_2', 'user', 'hello')));
  expect(judgeRequirement(runsAdditionalMessagesBeforeTheRun, trace.exchanges)).toEqual({
    observations: 1,
    violations: [],
  });
});

test('additional messages of an unknown form are not searched for', () => {
  const trace = new TraceBuilder();
  const body = {
    assistant_id: 'asst_1',
    additional_messages: [{ role: 'user', content: [{ type: 'text' }] }],
  };
  trace.add('createRun', { ...thread, body, beta }, { json: runObject('queued') });
  trace.add('listMessages', thread, page());
  expect(judgeRequirement(runsAdditionalMessagesInThread, trace.exchanges).observations).toBe(0);
});

test.each([
  [null, 'null'],
  ['run_1', 'set'],
])('a message of the caller with the run_id %j shows the alternative %s', (run_id, alternative) => {
  const choice = choices.find(({ id }) => id === 'runs.caller-messages.run-id');
  if (choice === undefined) throw new Error('There is no choice on the run_id of messages of the caller.');
  const trace = new TraceBuilder();
  const body = { assistant_id: 'asst_1', additional_messages: [{ role: 'user', content: 'hello' }] };
  trace.add('createRun', { ...thread, body, beta }, { json: runObject('queued') });
  const message = { ...Object(messageOf('msg_2', 'user', 'hello')), run_id };
  trace.add('listMessages', thread, page(stored, message));
  expect(takenAlternatives(choice, trace.exchanges)).toEqual([alternative]);
});
