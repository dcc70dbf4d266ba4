import { expect, test } from 'vitest';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { type CallDialect, operationOf } from '../../judge/trace/call.ts';
import { measureExchange } from './exchange-measure.ts';

test('an exchange counts for the operation that the dialect assigns, or else for the one that the specification defines', () => {
  const trace = new TraceBuilder();
  const chat = trace.add('createChatCompletion', {}, { json: {} });
  const models = trace.add('listModels', {}, { json: {} });
  const dialect: CallDialect = {
    match: (method) => (method === 'GET' ? operationOf(chat.request) : null),
    modeOf: () => null,
    refusalOf: () => null,
  };
  const operationsIn = (used: CallDialect | null) =>
    [models, chat].map((exchange) => measureExchange(exchange, used).operation);
  expect(operationsIn(null)).toEqual(['listModels', 'createChatCompletion']);
  expect(operationsIn(dialect)).toEqual(['createChatCompletion', 'createChatCompletion']);
});
