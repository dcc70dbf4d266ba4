import { expect, test } from 'vitest';
import type { Json } from '../../exchange/http/body.ts';
import { takenAlternatives } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { assistantsFunctionOmittedParts } from './choices.requirements.ts';

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
