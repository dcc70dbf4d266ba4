import { expect, test } from 'vitest';
import { judgeRequirement } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { assistantFilesCreateAtMost20 } from './attachments.requirements.ts';

const ids = Array.from({ length: 20 }, (_, i) => `file-${i}`);
const request = { beta: 'assistants=v1', path: { assistant_id: 'asst_1' } };
const fullAssistant = { json: { id: 'asst_1', object: 'assistant', file_ids: ids } };

test('a twenty-first file must be refused', () => {
  for (const status of [200, 400]) {
    const trace = new TraceBuilder();
    trace.add('retrieveAssistant', request, fullAssistant);
    const answer = status === 200 ? { json: { id: 'file-20' } } : { status, json: { error: {} } };
    trace.add('createAssistantFile', { ...request, body: { file_id: 'file-20' } }, answer);
    const { observations, violations } = judgeRequirement(assistantFilesCreateAtMost20, trace.exchanges);
    expect([observations, violations.length]).toEqual([1, status === 200 ? 1 : 0]);
  }
});

test('a further file is not judged after a deletion, because a deleted file need not count towards the limit of twenty', () => {
  const trace = new TraceBuilder();
  trace.add('retrieveAssistant', request, fullAssistant);
  trace.add('deleteFile', { path: { file_id: 'file-1' } }, { json: { id: 'file-1', deleted: true } });
  trace.add('createAssistantFile', { ...request, body: { file_id: 'file-20' } }, { json: { id: 'file-20' } });
  expect(judgeRequirement(assistantFilesCreateAtMost20, trace.exchanges)).toEqual({
    observations: 0,
    violations: [],
  });
});
