import { expect, test } from 'vitest';
import type { Json } from '../../exchange/http/body.ts';
import { takenAlternatives } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { assistantsFunctionOmittedParts } from './choices.requirements.ts';
import { assistantsFilesOfOneRequest } from './files.requirements.ts';

test.each<[Json, readonly string[]]>([
  [{ function: { name: 'f' } }, ['left out']],
  [{ function: { name: 'f', description: '', parameters: {} } }, ['empty']],
  [{ function: { name: 'f', description: 'f' } }, ['something else']],
  [{ function: { name: 'f', description: null } }, []],
  [{}, []],
])('a function without description and parameters is shown as %j: %j', (tool, alternatives) => {
  const trace = new TraceBuilder();
  const tools = [{ type: 'function', function: { name: 'f' } }];
  trace.add('createAssistant', { body: { model: 'any', tools } }, { json: { id: 'asst_1', tools: [tool] } });
  expect(takenAlternatives(assistantsFunctionOmittedParts, trace.exchanges)).toEqual(alternatives);
});

test.each([
  [['file-2', 'file-1', 'file-3'], ['another order']],
  [['file-3', 'file-2'], []],
])('file_ids shown as %j for a request with the newest upload first: %j', (file_ids, alternatives) => {
  const trace = new TraceBuilder();
  for (const n of [1, 2, 3])
    trace.add('createFile', { form: [] }, { json: { id: `file-${n}`, created_at: n } });
  const body = { model: 'any', file_ids: ['file-3', 'file-2', 'file-1'] };
  trace.add('createAssistant', { beta: 'assistants=v1', body }, { json: { id: 'asst_1', file_ids } });
  expect(takenAlternatives(assistantsFilesOfOneRequest, trace.exchanges)).toEqual(alternatives);
});
