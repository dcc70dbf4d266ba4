import { expect, test } from 'vitest';
import { judgeRequirement } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { ownVersion, sameEndpoint } from './requests.client.ts';

test('an upload without an id is not the input of a batch that names none', () => {
  const trace = new TraceBuilder();
  const line = JSON.stringify({ custom_id: 'a', method: 'POST', url: '/v1/completions', body: {} });
  const form = [
    { name: 'purpose', value: 'batch' },
    { name: 'file', filename: 'a.jsonl', value: line },
  ];
  trace.add('createFile', { form }, { json: { object: 'file', purpose: 'batch' } });
  trace.add('createBatch', { body: { endpoint: '/v1/chat/completions' } }, { json: {} });
  expect(judgeRequirement(sameEndpoint, trace.exchanges).observations).toBe(0);
});

test('an assistant without a version has no field of another version', () => {
  const trace = new TraceBuilder();
  trace.add('createAssistant', { headers: [], body: { model: 'any', '': 1 } }, { json: {} });
  expect(judgeRequirement(ownVersion, trace.exchanges)).toEqual({ observations: 1, violations: [] });
});
