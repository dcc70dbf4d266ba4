import { expect, test } from 'vitest';
import { judgeTrace } from '../../explain/judge.ts';
import { catalogueOfSets } from '../testing/catalogue-of-sets.ts';
import { type RequestSketch, TraceBuilder, testTraceHeader } from '../testing/trace-builder.ts';
import { requestRequirements } from './request-evaluator.ts';

const form = [{ name: 'purpose', value: 'batch' }];
const formHeaders = [['Content-Type', 'multipart/form-data; boundary=b']] as const;

test.each<[string, string, RequestSketch]>([
  ['a form', 'pass', { form }],
  ['text that is no form', 'fail', { text: 'purpose=batch', headers: formHeaders }],
  ['a form that was not recorded', 'untested', { form, size: 100_000_000 }],
])('%s gives the requirement of a readable form the verdict %s', (_, verdict, request) => {
  const trace = new TraceBuilder();
  trace.add('createFile', request, { json: {} });
  const { requirements } = judgeTrace(
    catalogueOfSets([requestRequirements()]),
    testTraceHeader(),
    trace.exchanges,
  );
  expect(requirements.find(({ id }) => id === 'client:createFile:body#readable')?.verdict).toBe(verdict);
});
