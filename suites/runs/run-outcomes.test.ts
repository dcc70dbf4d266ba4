import { expect, test } from 'vitest';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { textsOf } from './pairs.ts';

function message(role: string, value: string, status = 'completed') {
  return { role, status, content: [{ type: 'text', text: { value, annotations: [] } }] };
}

test('the texts of a run are those that it wrote, in whatever order the messages of its callers are listed', () => {
  const trace = new TraceBuilder();
  trace.add('listMessages', {}, { json: { data: [] } });
  const [exchange] = trace.exchanges;
  if (exchange === undefined) throw new Error('the trace is empty');
  const texts = (...elements: ReturnType<typeof message>[]) => textsOf({ messages: { exchange, elements } });
  expect(texts(message('assistant', '1, 2'), message('user', 'Count.'))).toBe('1, 2');
  expect(texts(message('user', 'Count.', 'in_progress'), message('assistant', '1, 2'))).toBe('1, 2');
  expect(texts(message('assistant', '1,', 'in_progress'))).toBeNull();
  expect(texts(message('user', 'Count.'))).toBeNull();
});
