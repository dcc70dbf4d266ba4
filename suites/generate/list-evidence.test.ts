import { expect, test } from 'vitest';
import { judgeRequirement } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { Call } from '../../judge/trace/call.ts';
import { pageRequirements } from './lists.requirements.ts';
import { isWholeList } from './lists.ts';

test.each<[Readonly<Record<string, string>>, boolean]>([
  [{}, true],
  [{ limit: '1' }, true],
  [{ limit: '0' }, false],
  [{ limit: '-1' }, false],
  [{ after: 'file-a' }, false],
  [{ filter: 'failed' }, false],
])('whether a page that nothing follows is the whole list, with the query %j: %s', (query, isWhole) => {
  const trace = new TraceBuilder();
  trace.add('listVectorStoreFiles', { query }, { json: { data: [], has_more: false } });
  const calls = trace.exchanges.flatMap((exchange) => Call.from(exchange, 'Vendor-Beta') ?? []);
  expect(calls.map(isWholeList)).toEqual([isWhole]);
});

test('a page shows its order only if two elements have different creation times', () => {
  const rule = pageRequirements.find(({ id }) => id === 'listVectorStoreFiles.page.order-asc');
  const observations = [
    [1, 2],
    [1, 1],
    [1, null],
  ].map((times) => {
    const trace = new TraceBuilder();
    const data = times.map((created_at, i) => ({ id: `file-${i}`, created_at }));
    trace.add('listVectorStoreFiles', { query: { order: 'asc' } }, { json: { data, has_more: false } });
    return rule && judgeRequirement(rule, trace.exchanges).observations;
  });
  expect(observations).toEqual([1, 0, 0]);
});
