import { expect, test } from 'vitest';
import type { Probe } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { type RequestSketch, TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { Call } from '../../judge/trace/call.ts';
import { knownFilesInBatches } from './known-files.ts';

const store = { beta: 'assistants=v2', path: { vector_store_id: 'vs_1' } };
const batch = { ...store, path: { ...store.path, batch_id: 'vsfb_1' } };
const file = (created_at: number, id = 'file-1') => ({ id, object: 'vector_store.file', created_at });
const page = (...data: readonly Json[]) => ({ json: { object: 'list', data, has_more: false } });

function listOutcomes(trace: TraceBuilder): readonly string[] {
  const collector = knownFilesInBatches.collect();
  return trace.exchanges
    .flatMap((exchange) => Call.from(exchange, 'Vendor-Beta') ?? [])
    .filter(({ operation }) => knownFilesInBatches.operations.includes(operation.id))
    .flatMap((call) => [...collector.call(call)])
    .map(({ outcome }) => outcome);
}

function addKnownFile(created_at = 2): TraceBuilder {
  const trace = new TraceBuilder();
  trace.add('createVectorStoreFile', { ...store, body: { file_id: 'file-1' } }, { json: file(1) });
  const body = { file_ids: ['file-1', 'file-2'] };
  trace.add('createVectorStoreFileBatch', { ...store, body }, { json: { id: 'vsfb_1', created_at } });
  return trace;
}

test.each([
  ['keeps its time', page(file(2, 'file-2'), file(1))],
  ['gets another time', page(file(2, 'file-2'), file(2))],
  ['left out', page(file(2, 'file-2'))],
])('a file that the store had before a batch has the outcome "%s"', (outcome, listed) => {
  const trace = addKnownFile();
  trace.add('listVectorStoreFileBatchFiles', batch, listed);
  expect(listOutcomes(trace)).toEqual([outcome]);
});

test.each([400, 404, 409])(
  'a batch with a file that is already in the store may be refused with %i',
  (status) => {
    const trace = addKnownFile();
    trace.add('createVectorStoreFileBatch', { ...store, body: { file_ids: ['file-1'] } }, { status });
    expect(listOutcomes(trace)).toEqual(['refused']);
  },
);

test.each<[string, number, RequestSketch]>([
  ['of the same second', 1, batch],
  ['on another page', 2, { ...batch, query: { after: 'file-1' } }],
  ['in another state', 2, { ...batch, query: { filter: 'failed' } }],
])('a file %s shows nothing', (_, created_at, request) => {
  const trace = addKnownFile(created_at);
  trace.add('listVectorStoreFileBatchFiles', request, page());
  expect(listOutcomes(trace)).toEqual([]);
});

test.each<[string, Readonly<Record<string, string>>]>([
  ['deleteFile', { file_id: 'file-1' }],
  ['deleteVectorStoreFile', { vector_store_id: 'vs_1', file_id: 'file-1' }],
  ['deleteVectorStore', { vector_store_id: 'vs_1' }],
])('after %s, neither the list of a batch nor a refused one shows anything', (operation, path) => {
  const trace = addKnownFile();
  trace.add(operation, { path }, { json: { deleted: true } });
  trace.add('listVectorStoreFileBatchFiles', batch, page());
  trace.add('createVectorStoreFileBatch', { ...store, body: { file_ids: ['file-1'] } }, { status: 404 });
  expect(listOutcomes(trace)).toEqual([]);
});

test('a file that was removed and added again is known from its last addition', () => {
  const trace = addKnownFile();
  const inStore = { path: { ...store.path, file_id: 'file-1' } };
  trace.add('deleteVectorStoreFile', inStore, { json: { deleted: true } });
  trace.add('createVectorStoreFile', { ...store, body: { file_id: 'file-1' } }, { json: file(3) });
  trace.add('createVectorStoreFileBatch', { ...store, body: { file_ids: ['file-1'] } }, { status: 409 });
  expect(listOutcomes(trace)).toEqual(['refused']);
});

test('the refusal of an invalid request shows nothing', () => {
  const trace = addKnownFile();
  const probe: Probe = {
    id: 'p1',
    operation: 'createVectorStoreFileBatch',
    pointer: 'body.file_ids[]',
    keyword: 'type',
    side: 'violation',
    control: null,
  };
  const request = { ...store, body: { file_ids: ['file-1', 5] }, probe };
  trace.add('createVectorStoreFileBatch', request, { status: 400 });
  expect(listOutcomes(trace)).toEqual([]);
});
