import { expect, test } from 'vitest';
import { judgeRequirement } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { cursorsGiven } from './ids.client.ts';

test.each([
  ['file-1', 1, 0],
  ['file-2', 1, 1],
  ['', 0, 0],
])('after a page with file-1, the cursor %j gives %i observations and %i violations', (after, ...counts) => {
  const trace = new TraceBuilder();
  const page = { json: { object: 'list', data: [{ id: 'file-1' }], has_more: true } };
  const request = { path: { assistant_id: 'asst-1' }, beta: 'assistants=v1' };
  trace.add('listAssistantFiles', request, page);
  trace.add('listAssistantFiles', { ...request, query: { after } }, page);
  const { observations, violations } = judgeRequirement(cursorsGiven, trace.exchanges);
  expect([observations, violations.length]).toEqual(counts);
});
