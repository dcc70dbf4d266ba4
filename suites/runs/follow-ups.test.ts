import { expect, test } from 'vitest';
import type { Json } from '../../exchange/http/body.ts';
import { judgeRequirement } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { requirementFromRow } from '../testing/row.ts';
import {
  runsAdditionalMessagesBeforeTheRun,
  runsAdditionalMessagesInThread,
  runsNewThreadHasMessages,
  runsStoredDeltasAreMessage,
  runsStoredMessagesListed,
} from './messages.requirements.ts';
import { runsPairSameText } from './pairs.requirements.ts';
import { messageObject, messageRun, runObject, streamedTrace } from './testing/run-events.ts';
import { runsAdditionalInstructionsAppended } from './tools.requirements.ts';

const runsStoredMessageAsStreamed = requirementFromRow('runs.stored.message-as-streamed');

const runsPairSameSettings = requirementFromRow('runs.pair.same-settings');
const toolsKept = requirementFromRow('runs.overrides.tools');
const temperatureDefault = requirementFromRow('runs.defaults.temperature');
const modelInherited = requirementFromRow('runs.assistant.model');
const metadataKept = requirementFromRow('runs.overrides.metadata');
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
  ['a further page', { limit: '1' }, true],
  ['what a cursor cuts off', { after: 'msg_9' }, false],
  ['the messages of another run', { run_id: 'run_2' }, false],
])('%s need not have a message', (_, query, has_more) => {
  const trace = streamedTrace(messageRun);
  trace.add('listMessages', { ...thread, query }, { json: { data: [], has_more } });
  expect(judgeRequirement(runsStoredMessagesListed, trace.exchanges).observations).toBe(0);
});

test('only the completed part of a truncated stream counts', () => {
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

test('an additional message may be listed again after the run', () => {
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

function assistant(fields: Readonly<Record<string, Json>> = {}): TraceBuilder {
  const trace = new TraceBuilder();
  const json = { id: 'asst_1', model: 'chat-1', instructions: 'Be brief.', temperature: 1, ...fields };
  trace.add('createAssistant', { body: { model: 'chat-1' }, beta }, { json });
  return trace;
}

const bare = { ...thread, body: { assistant_id: 'asst_1' }, beta };

test('a run inherits from its assistant what its request does not set', () => {
  const trace = assistant();
  trace.add('createRun', bare, { json: runObject('queued', { model: 'other' }) });
  expect(judgeRequirement(modelInherited, trace.exchanges).violations).toMatchObject([
    { at: '/model', actual: 'other' },
  ]);
  const own = { ...thread, body: { assistant_id: 'asst_1', model: 'other' }, beta };
  trace.add('createRun', own, { json: runObject('queued', { model: 'other' }) });
  expect(judgeRequirement(modelInherited, trace.exchanges).observations).toBe(1);
});

test('an assistant that is modified in the meantime says nothing about a run', () => {
  const trace = assistant();
  trace.add('createRun', bare, { json: runObject('queued', { model: 'other' }) });
  const change = { path: { assistant_id: 'asst_1' }, body: { model: 'other' }, beta, after: 1 };
  trace.add('modifyAssistant', change, { json: { id: 'asst_1', model: 'other' } });
  expect(judgeRequirement(modelInherited, trace.exchanges).observations).toBe(0);
});

test('a run of an assistant with its own temperature may have that one, or the default', () => {
  const trace = assistant({ temperature: 0.5 });
  trace.add('createRun', bare, { json: runObject('queued', { temperature: 0.5 }) });
  trace.add('createRun', bare, { json: runObject('queued', { temperature: 1 }) });
  expect(judgeRequirement(temperatureDefault, trace.exchanges).observations).toBe(0);
});

test.each([
  ['Be brief.\nUse capitals.', 1, 0],
  ['Be brief. Use capitals.', 1, 0],
  ['Be brief.', 0, 0],
  ['Use capitals.', 1, 1],
  ['Use capitals.\nBe brief.', 1, 1],
])(
  'additional instructions reported as %j give %i observations and %i violations',
  (instructions, seen, violations) => {
    const trace = assistant();
    const body = { assistant_id: 'asst_1', additional_instructions: 'Use capitals.' };
    trace.add('createRun', { ...thread, body, beta }, { json: runObject('queued', { instructions }) });
    const { observations, violations: complaints } = judgeRequirement(
      runsAdditionalInstructionsAppended,
      trace.exchanges,
    );
    expect([observations, complaints.length]).toEqual([seen, violations]);
  },
);

test('a run may show more of a tool than its request, but not less', () => {
  const trace = new TraceBuilder();
  const tool = { type: 'function', function: { name: 'look', description: null } };
  const more = { type: 'function', function: { name: 'look', strict: false, parameters: {} } };
  const asked = { ...thread, body: { assistant_id: 'asst_1', tools: [tool, { type: 'file_search' }] }, beta };
  const search = { type: 'file_search', file_search: { max_num_results: 20 } };
  trace.add('createRun', asked, { json: runObject('queued', { tools: [more, search] }) });
  expect(judgeRequirement(toolsKept, trace.exchanges)).toEqual({ observations: 1, violations: [] });
  trace.add('createRun', asked, { json: runObject('queued', { tools: [more] }) });
  expect(judgeRequirement(toolsKept, trace.exchanges).violations).toHaveLength(1);
});

test('metadata of a run may be changed by others while it is in progress', () => {
  const trace = new TraceBuilder();
  const metadata_ = { made_by: 'me' };
  const events = messageRun
    .slice(1)
    .map(({ event, data }, i) =>
      event.startsWith('thread.run.') && !event.includes('step')
        ? { event, data: { ...Object(data), metadata: i < 2 ? metadata_ : {} } }
        : { event, data },
    );
  const body = { assistant_id: 'asst_1', metadata: metadata_, stream: true };
  trace.add('createRun', { ...thread, body, beta }, { events });
  expect(judgeRequirement(metadataKept, trace.exchanges)).toEqual({ observations: 1, violations: [] });
});

/** Runs of one request, complete and streamed, each with the text that it produced. */
function runsOf(plain: readonly string[], streamed: readonly string[]): TraceBuilder {
  const trace = new TraceBuilder();
  const runs = [
    ...plain.map((text) => ({ text, stream: false })),
    ...streamed.map((text) => ({ text, stream: true })),
  ];
  for (const [i, { text, stream }] of runs.entries()) {
    const ids = { id: `run_${i}`, thread_id: `thread_${i}` };
    const created = { event: 'thread.run.created', data: runObject('queued', ids) };
    const ended = { event: 'thread.run.completed', data: runObject('completed', ids) };
    const answer = stream ? { events: [created, ended] } : { json: runObject('queued', ids) };
    trace.add('createThreadAndRun', { body: { assistant_id: 'asst_1', stream }, beta }, answer);
    const query = { run_id: ids.id };
    trace.add(
      'listMessages',
      { path: { thread_id: ids.thread_id }, query },
      page(messageObject('completed', text)),
    );
  }
  return trace;
}

test.each([
  ['in the same way', ['a'], ['a'], []],
  ['differently, once each', ['a'], ['b'], ['model']],
  ['in several ways', ['a', 'b'], ['c', 'c'], ['model']],
  ['at least once in the same way', ['a', 'b'], ['c', 'b'], []],
  ['always one way, and in streams always another', ['a', 'a'], ['b', 'b'], [undefined]],
])('a model that answers %s has the right violations', (_, plain, streamed, inconclusive) => {
  const { exchanges } = runsOf(plain, streamed);
  expect(judgeRequirement(runsPairSameText, exchanges).violations.map((one) => one.inconclusive)).toEqual(
    inconclusive,
  );
  expect(judgeRequirement(runsPairSameSettings, exchanges).violations).toEqual([]);
});

test('runs whose assistant is modified in between are not compared', () => {
  const trace = runsOf(['a', 'a'], ['b', 'b']);
  const change = { path: { assistant_id: 'asst_1' }, body: { instructions: 'Say b.' }, beta };
  trace.add('modifyAssistant', change, { json: { id: 'asst_1' } });
  for (const one of [runsPairSameText, runsPairSameSettings])
    expect(judgeRequirement(one, trace.exchanges).observations).toBe(0);
});
