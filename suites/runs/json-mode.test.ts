import { expect, test } from 'vitest';
import { judgeRequirement } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { runsJsonModeStoredIsJson } from './messages.requirements.ts';

const path = { thread_id: 'thread_1' };
const run = { id: 'run_1', object: 'thread.run', thread_id: 'thread_1', status: 'queued' };

function judgeMessage(value: string, { request = {}, message = {} }: Readonly<Record<string, object>> = {}) {
  const trace = new TraceBuilder();
  const body = { assistant_id: 'asst_1', response_format: { type: 'json_object' }, ...request };
  trace.add('createRun', { path, body, beta: 'assistants=v2' }, { json: run });
  const content = [{ type: 'text', text: { value, annotations: [] } }];
  const written = {
    id: 'msg_1',
    run_id: 'run_1',
    role: 'assistant',
    status: 'completed',
    content,
    ...message,
  };
  const json = { object: 'list', data: [written], has_more: false };
  trace.add('listMessages', { path, beta: 'assistants=v2' }, { json });
  const { observations, violations } = judgeRequirement(runsJsonModeStoredIsJson, trace.exchanges);
  return [observations, violations.length];
}

test('the stored message of a run in JSON mode is JSON', () => {
  expect(judgeMessage('{"word": "assay"}')).toEqual([1, 0]);
  expect(judgeMessage('Here you are.')).toEqual([1, 1]);
});

test('a message that may be truncated, or that the run did not write, is not judged', () => {
  expect(judgeMessage('{"wo', { message: { status: 'incomplete' } })).toEqual([0, 0]);
  expect(judgeMessage('{"wo', { request: { max_completion_tokens: 8 } })).toEqual([0, 0]);
  expect(judgeMessage('Hello.', { message: { run_id: null } })).toEqual([0, 0]);
});

test('the message of a run without JSON mode is not judged', () => {
  expect(judgeMessage('Hello.', { request: { response_format: 'auto' } })).toEqual([0, 0]);
});
