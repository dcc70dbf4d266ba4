import { expect, test } from 'vitest';
import type { Json } from '../../exchange/http/body.ts';
import { judgeRequirement } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { assistantFilesCreateInFileIds } from './attachments.requirements.ts';

test.each<[Json, number]>([
  [{ file_id: 'file-1' }, 1],
  [{}, 0],
])('file_ids without the file of the accepted request %j: %i violations', (body, count) => {
  const trace = new TraceBuilder();
  const request = { beta: 'assistants=v1', path: { assistant_id: 'asst_1' } };
  trace.add('createAssistantFile', { ...request, body }, { json: { id: 'file-1' } });
  trace.add('retrieveAssistant', request, { json: { id: 'asst_1', object: 'assistant', file_ids: [] } });
  expect(judgeRequirement(assistantFilesCreateInFileIds, trace.exchanges).violations).toHaveLength(count);
});
