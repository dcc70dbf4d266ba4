import { describe, expect, test } from 'vitest';
import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import type { Evidence, Selector } from '../requirements/requirement.ts';
import { TraceBuilder } from '../testing/trace-builder.ts';
import { Call } from '../trace/call.ts';
import { valueAtPath } from '../trace/json.ts';
import { requests, responses, where } from './calls.ts';
import { idReuses } from './id-reuses.ts';
import { absences, memberships } from './list-memberships.ts';
import { streamedPairs } from './streamed-pairs.ts';
import { streams } from './streams.ts';
import { MAX_HELD_PER_OBJECT, successions } from './successions.ts';

const CHAT = 'createChatCompletion';
const FILE = { id: 'file-1', object: 'file' };
const onFile = { path: { file_id: 'file-1' } };
const streamedRequest = { body: { model: 'm', stream: true } };
const listing = (...data: Json[]) => ({ json: { object: 'list', data } });

function select<E extends Evidence>(selector: Selector<E>, exchanges: readonly Exchange[]): readonly E[] {
  const collector = selector.collect();
  const calls = exchanges
    .flatMap((exchange) => Call.from(exchange, 'Vendor-Beta') ?? [])
    .filter(({ operation }) => selector.operations.includes(operation.id));
  return [...calls.flatMap((call) => [...collector.call(call)]), ...(collector.finish?.() ?? [])];
}

function idsOf(evidence: readonly Evidence[]): readonly string[] {
  return evidence.map(({ exchanges }) => exchanges.map(({ id }) => id).join(' '));
}

describe('the evidence of the calls of an operation', () => {
  const trace = new TraceBuilder();
  trace.add('listModels', {}, { json: { data: [] } });
  trace.add('listModels', {}, { status: 400, json: {} });
  trace.add('listModels', {}, { json: { data: [] }, how: 'upstream-reset' });
  trace.add('listModels', {}, { text: '{"data"' });
  trace.add('retrieveModel', {}, { json: {} });

  test('is complete, successful JSON responses for `responses`', () => {
    expect(idsOf(select(responses('listModels'), trace.exchanges))).toEqual(['e1']);
  });

  test('is every call for `requests`', () => {
    expect(idsOf(select(requests('listModels'), trace.exchanges))).toEqual(['e1', 'e2', 'e3', 'e4']);
  });
});

test('selectors with the same arguments are one object', () => {
  expect(responses('listModels')).toBe(responses('listModels'));
  expect(responses('listModels')).not.toBe(responses('listModels', { variant: 'v1' }));
});

test('a filter keeps only the evidence that meets its condition', () => {
  const trace = new TraceBuilder();
  trace.add('listModels', {}, { json: { n: 1 } });
  trace.add('listModels', {}, { json: { n: 2 } });
  const filtered = where(responses('listModels'), ({ call }) => call.exchange.id === 'e2');
  expect(idsOf(select(filtered, trace.exchanges))).toEqual(['e2']);
});

describe('streams', () => {
  const selectStream = (events: readonly Json[], how: 'complete' | 'upstream-reset' = 'complete') => {
    const trace = new TraceBuilder();
    trace.add(CHAT, streamedRequest, { events, how });
    return select(streams(CHAT), trace.exchanges)[0];
  };

  test('have numbered events, chunks for those that are JSON, and have ended if they are complete', () => {
    const evidence = selectStream([{ choices: [] }, '[DONE]']);
    expect(evidence?.events.map(({ at, text }) => [at, text])).toEqual([
      ['event 1', '{"choices":[]}'],
      ['event 2', '[DONE]'],
    ]);
    expect(evidence?.chunks.map(({ data }) => data)).toEqual([{ choices: [] }]);
    expect(evidence?.ended).toBe(true);
  });

  test('that are cut off or report an error have not ended by themselves', () => {
    expect(selectStream([{ choices: [] }], 'upstream-reset')?.ended).toBe(false);
    expect(selectStream([{ choices: [] }, { error: { message: 'no' } }])).toMatchObject({ ended: false });
  });

  test('omit events that the specification does not know', () => {
    const evidence = selectStream([{ event: 'ping', data: {} }, { choices: [] }]);
    expect(evidence?.events.map(({ n }) => n)).toEqual([2]);
  });

  test('are absent if the response was requested in one piece, or begins with an error', () => {
    const trace = new TraceBuilder();
    trace.add(CHAT, { body: { model: 'm' } }, { events: [{ choices: [] }] });
    trace.add(CHAT, streamedRequest, { events: [{ error: { message: 'no' } }] });
    expect(select(streams(CHAT), trace.exchanges)).toEqual([]);
  });
});

describe('successions', () => {
  const plan = { first: 'createFile', later: 'retrieveFile', until: ['deleteFile'] };

  test('relate what ended earlier to what began later', () => {
    const trace = new TraceBuilder();
    trace.add('createFile', {}, { json: FILE });
    trace.add('retrieveFile', onFile, { json: FILE });
    trace.add('retrieveFile', { path: { file_id: 'file-2' } }, { json: FILE });
    expect(idsOf(select(successions(plan), trace.exchanges))).toEqual(['e1 e2']);
  });

  test('do not relate what overlapped', () => {
    const trace = new TraceBuilder();
    trace.add('createFile', {}, { json: FILE });
    trace.add('retrieveFile', { ...onFile, after: 0 }, { json: FILE });
    expect(select(successions(plan), trace.exchanges)).toEqual([]);
  });

  test('end if the object may have been deleted, even by a deletion in flight', () => {
    const trace = new TraceBuilder();
    trace.add('createFile', {}, { json: FILE });
    trace.add('retrieveFile', onFile, { json: FILE });
    trace.add('retrieveFile', onFile, { status: 404 });
    trace.add('deleteFile', { ...onFile, after: 2 }, { json: { deleted: true } });
    trace.add('retrieveFile', onFile, { status: 404 });
    expect(idsOf(select(successions(plan), trace.exchanges))).toEqual(['e1 e2']);
  });

  test('do not end at a deletion that was refused', () => {
    const trace = new TraceBuilder();
    trace.add('createFile', {}, { json: FILE });
    trace.add('deleteFile', onFile, { status: 403 });
    trace.add('retrieveFile', onFile, { json: FILE });
    expect(idsOf(select(successions(plan), trace.exchanges))).toEqual(['e1 e3']);
  });
});

describe('memberships', () => {
  const plan = { create: 'createFile', remove: 'deleteFile', list: 'listFiles' };
  const membershipsIn = (trace: TraceBuilder) =>
    select(memberships(plan), trace.exchanges).map(({ id, element }) => [id, element !== undefined]);

  test('show for each object that was created before a list whether it is listed', () => {
    const trace = new TraceBuilder();
    trace.add('createFile', {}, { json: FILE });
    trace.add('createFile', {}, { json: { ...FILE, id: 'file-2' } });
    trace.add('listFiles', {}, listing(FILE));
    expect(membershipsIn(trace)).toEqual([
      ['file-1', true],
      ['file-2', false],
    ]);
  });

  test('show nothing about objects that were deleted, or being deleted, or created in the meantime', () => {
    const trace = new TraceBuilder();
    trace.add('createFile', {}, { json: FILE });
    trace.add('createFile', {}, { json: { ...FILE, id: 'file-2' } });
    trace.add('deleteFile', onFile, { json: { deleted: true } });
    trace.add('createFile', {}, { json: { ...FILE, id: 'file-3' } });
    trace.add('listFiles', { after: 3 }, listing());
    trace.add('deleteFile', { path: { file_id: 'file-2' }, after: 4 }, { status: 500 });
    expect(membershipsIn(trace)).toEqual([]);
  });

  test('keep a bounded number of lists that lack an object', () => {
    const trace = new TraceBuilder();
    trace.add('createFile', {}, { json: FILE });
    for (let n = 0; n < MAX_HELD_PER_OBJECT + 1; n += 1) trace.add('listFiles', {}, listing());
    expect(membershipsIn(trace)).toHaveLength(MAX_HELD_PER_OBJECT);
  });

  test('read a list of several pages from its first page', () => {
    const plan = { create: 'createBatch', list: 'listBatches' };
    const batch = (n: number) => ({ id: `batch_${n}`, object: 'batch' });
    const trace = new TraceBuilder();
    for (const n of [1, 2, 3]) trace.add('createBatch', {}, { json: batch(n) });
    const addPages = (...all: readonly [cursor: string | null, shown: number, more: boolean][]): void => {
      for (const [after, shown, has_more] of all)
        trace.add('listBatches', after === null ? {} : { query: { after, limit: '1' } }, {
          json: { object: 'list', data: [batch(shown)], has_more },
        });
    };
    addPages([null, 1, true], ['batch_1', 2, false], ['batch_none', 3, false]);
    const lastPages = where(
      memberships(plan),
      ({ list }) => valueAtPath(list.responseJson, 'has_more') === false,
    );
    const members = select(lastPages, trace.exchanges).map(({ id, list, element }) => [
      id,
      list.exchange.id,
      element !== undefined,
    ]);
    expect(members).toEqual([
      ['batch_1', 'e5', true],
      ['batch_2', 'e5', true],
      ['batch_3', 'e5', false],
    ]);
  });
});

test('memberships show no missing object in a list whose query may exclude it', () => {
  const trace = new TraceBuilder();
  for (const id of ['batch_1', 'batch_2']) trace.add('createBatch', {}, { json: { id } });
  trace.add('listBatches', { query: { status: 'failed' } }, listing({ id: 'batch_1' }));
  trace.add('listBatches', { query: { limit: '9' } }, listing({ id: 'batch_1' }));
  const members = select(memberships({ create: 'createBatch', list: 'listBatches' }), trace.exchanges);
  expect(idsOf(members)).toEqual(['e1 e3', 'e1 e4', 'e2 e4']);
});

test('absences show for each deleted object its position in a later list', () => {
  const trace = new TraceBuilder();
  trace.add('deleteFile', onFile, { json: { id: 'file-1', deleted: true } });
  trace.add('listFiles', {}, listing({ id: 'file-0' }, FILE));
  trace.add('listFiles', { after: 0 }, listing(FILE));
  const plan = { remove: 'deleteFile', list: 'listFiles' };
  expect(select(absences(plan), trace.exchanges).map(({ id, index }) => [id, index])).toEqual([
    ['file-1', 1],
  ]);
});

test('pairs are the responses, in sequence, to requests that differ only in `stream` and `stream_options`', () => {
  const trace = new TraceBuilder();
  trace.add(CHAT, { body: { n: 2, stream: true, model: 'm' } }, { events: [{ choices: [] }, '[DONE]'] });
  trace.add(CHAT, { body: { model: 'm', n: 2 } }, { json: { choices: [] } });
  trace.add(CHAT, { body: { model: 'm', n: 3 } }, { json: { choices: [] } });
  const options = { stream_options: { include_usage: true } };
  trace.add(CHAT, { body: { model: 'm', n: 2, stream: true, ...options } }, { events: [{ choices: [] }] });
  expect(idsOf(select(streamedPairs(CHAT), trace.exchanges))).toEqual(['e1 e2 e4']);
});

test('a repeated id is reported with the previous response that contained it', () => {
  const trace = new TraceBuilder();
  trace.add('createFile', {}, { json: FILE });
  trace.add('createFile', {}, { json: FILE });
  const reuses = select(idReuses('createFile'), trace.exchanges);
  expect(reuses.map(({ earlier }) => earlier?.id ?? null)).toEqual([null, 'e1']);
});
