import { expect, test } from 'vitest';
import { judgeRequirement } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { Call } from '../../judge/trace/call.ts';
import { requirementFromRow } from '../testing/row.ts';
import { evidence } from './evidence.ts';

/** The default capacity of an `LruMap`, and so the number of lists that are followed. */
const MAX_LISTS = 10_000;

function collectLastPages(trace: TraceBuilder) {
  const collector = evidence['last page of a list'].collect();
  for (const exchange of trace.exchanges) {
    const call = Call.from(exchange, 'Vendor-Beta');
    if (call !== null) for (const _ of collector.call(call)) expect.fail('a list is shown before the end');
  }
  return [...(collector.finish?.() ?? [])];
}

test('a further page belongs to its list even if the maximum number of lists is followed', () => {
  const trace = new TraceBuilder();
  const page = (has_more: boolean) => ({ json: { object: 'list', data: [], has_more } });
  for (let n = 1; n <= MAX_LISTS; n += 1) trace.add('listFiles', { query: { purpose: `${n}` } }, page(true));
  trace.add('listFiles', { query: { purpose: `${MAX_LISTS}`, after: 'file-1' } }, page(false));
  const lists = collectLastPages(trace);
  expect(lists).toHaveLength(MAX_LISTS);
  expect(lists.at(-1)).toMatchObject({ pages: 2, answer: { has_more: false } });
});

test('a page that is requested with empty cursors is the first of its list', () => {
  const trace = new TraceBuilder();
  const query = { after: '', before: '' };
  for (const _ of [1, 2]) trace.add('listFiles', { query }, { json: { object: 'list', data: [] } });
  expect(collectLastPages(trace)).toMatchObject([{ pages: 1 }]);
});

test('a file without an id is not the file of a request that names none', () => {
  const trace = new TraceBuilder();
  trace.add('createFile', {}, { json: { object: 'file', purpose: 'assistants' } });
  trace.add('createBatch', { body: { endpoint: '/v1/chat/completions' } }, { json: {} });
  const filePurpose = requirementFromRow('client.batches.file-purpose');
  expect(judgeRequirement(filePurpose, trace.exchanges).observations).toBe(0);
});
