import { expect, test } from 'vitest';
import type { Exchange } from '../../exchange/exchange.ts';
import { Body } from '../../exchange/http/body.ts';
import { operation, operations } from '../../schemas/index.ts';
import { createdId, deletionPlanOf } from './deletion-plan.ts';

test('operations that create a resource are paired with those that delete or cancel it', () => {
  const plans = operations().flatMap((creation) => {
    const plan = deletionPlanOf(creation);
    return plan === null ? [] : [`${creation.id}: ${plan.operation}`];
  });
  expect(plans.toSorted()).toEqual([
    'createAssistant: deleteAssistant',
    'createBatch: cancelBatch',
    'createFile: deleteFile',
    'createFineTuningJob: cancelFineTuningJob',
    'createThread: deleteThread',
    'createThreadAndRun: deleteThread',
    'createVectorStore: deleteVectorStore',
  ]);
});

test('an operation below a resource is not taken for one that creates it', () => {
  expect(deletionPlanOf({ ...operation('createThreadAndRun'), path: '/models/load' })).toBeNull();
});

function readCreatedId(operationId: string, type: string, body: string, status = 200): string | null {
  const response = {
    status,
    reason: '',
    headers: [['Content-Type', type]] as const,
    trailers: [],
    pieces: [],
    body: Body.from(body),
  };
  const request = { method: 'POST', target: '/v1', headers: [], body: Body.empty };
  const end = { how: 'complete', detail: null, at: 0 } as const;
  const exchange: Exchange = {
    id: 'e1',
    after: 0,
    ended: 1,
    scenario: null,
    probe: null,
    request,
    response,
    end,
  };
  return createdId(operation(operationId), exchange);
}

test('no id is read from a rejection, from HTML, or from an object that no operation deletes or cancels', () => {
  expect(readCreatedId('createFile', 'application/json', '{"id":"file-1"}', 400)).toBeNull();
  expect(readCreatedId('createFile', 'text/html', '<html>')).toBeNull();
  expect(readCreatedId('createChatCompletion', 'application/json', '{"id":"chatcmpl-1"}')).toBeNull();
});

test('the id of a created resource, or of the thread created with a run, is read from an object or a stream', () => {
  expect(readCreatedId('createFile', 'application/json', '{"id":"file-1"}')).toBe('file-1');
  expect(
    readCreatedId('createThreadAndRun', 'application/json', '{"id":"run_1","thread_id":"thread_1"}'),
  ).toBe('thread_1');
  const stream = 'event: thread.created\ndata: {"id":"thread_2","object":"thread"}\n\nevent: thr';
  expect(readCreatedId('createThreadAndRun', 'text/event-stream', stream)).toBe('thread_2');
});
