import { expect, test } from 'vitest';
import { TraceBuilder } from '../testing/trace-builder.ts';
import { readRequestJson } from './call.ts';

function readForm(...fields: readonly (readonly [name: string, value: string])[]) {
  const trace = new TraceBuilder();
  trace.add('createTranscription', { form: fields.map(([name, value]) => ({ name, value })) });
  const [exchange] = trace.exchanges;
  return exchange && readRequestJson(exchange.request);
}

test('the fields of a form are read by name, a repeated one as a list', () => {
  expect(readForm(['model', 'm'], ['kinds[]', 'word'], ['kinds[]', 'segment'])).toEqual({
    model: 'm',
    'kinds[]': ['word', 'segment'],
  });
});

test('a form field that is named like a property of every object is a field like any other', () => {
  expect(Object.entries(readForm(['constructor', 'a'], ['__proto__', 'b']) ?? {})).toEqual([
    ['constructor', 'a'],
    ['__proto__', 'b'],
  ]);
});
