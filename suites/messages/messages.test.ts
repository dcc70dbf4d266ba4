import { expect, test } from 'vitest';
import { judgeRequirement, takenAlternatives } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { messagesContentOtherParts } from './choices.requirements.ts';
import { messagesModifyOnlyMetadata } from './messages.requirements.ts';

const path = { thread_id: 'thread_1', message_id: 'msg_1' };

test.each([
  ['a file that was deleted', [0, 0], true],
  ['a file that still exists', [1, 1], false],
])('a modified message that lacks %s gives %j observations and violations', (_, counts, isDeleted) => {
  const trace = new TraceBuilder();
  const created = { json: { id: 'msg_1', role: 'user', content: [], file_ids: ['file-1'] } };
  trace.add('createMessage', { path: { thread_id: 'thread_1' } }, created);
  if (isDeleted)
    trace.add('deleteFile', { path: { file_id: 'file-1' } }, { json: { id: 'file-1', deleted: true } });
  const modified = { json: { ...created.json, file_ids: [] } };
  trace.add('modifyMessage', { path, body: { role: 'user', metadata: {} } }, modified);
  const { observations, violations } = judgeRequirement(messagesModifyOnlyMetadata, trace.exchanges);
  expect([observations, violations.length]).toEqual(counts);
});

test('a modified message may show content that the response to its creation lacks', () => {
  const trace = new TraceBuilder();
  const created = { id: 'msg_1', role: 'user' };
  trace.add('createMessage', { path: { thread_id: 'thread_1' } }, { json: created });
  const content = [{ type: 'text', text: { value: 'Hello' } }];
  trace.add('modifyMessage', { path, body: { role: 'user' } }, { json: { ...created, content } });
  expect(judgeRequirement(messagesModifyOnlyMetadata, trace.exchanges)).toEqual({
    observations: 1,
    violations: [],
  });
});

test('only content parts that have a type show the form of parts other than text', () => {
  const trace = new TraceBuilder();
  const text = { type: 'text', text: { value: '', annotations: [] } };
  for (const part of [text, { image_file: {} }, { type: 'image_file', image_file: {} }])
    trace.add('retrieveMessage', { path }, { json: { id: 'msg_1', content: [part] } });
  expect(takenAlternatives(messagesContentOtherParts, trace.exchanges)).toEqual(['image_file: image_file']);
});
