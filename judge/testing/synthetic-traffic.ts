// Traffic that no scenario sends: many concurrent resources, duplicate requests, faulty responses, overlaps.
import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { numberOf } from '../trace/timed.ts';
import { type RequestSketch, type ResponseSketch, TraceBuilder } from './trace-builder.ts';

/** One exchange; `overlaps`: how many of the exchanges that ended before it had not ended when it began. */
export interface SyntheticCall {
  readonly act: SyntheticAct;
  readonly resource: number;
  readonly answer: 'right' | 'wrong' | 'refused' | 'failed';
  readonly overlaps: number;
}

const BETA = 'assistants=v2';
const ERROR = { message: 'no', type: 'invalid_request_error' };

type Sketch = readonly [operation: string, request: RequestSketch, right: Json, wrong: Json];

/** `n`: number of the resource, if the call concerns one; `at`: position of the call in the traffic. */
const ACTS = {
  ask: (n: number, at: number): Sketch => {
    const message = { role: 'assistant', content: 'Yes.' };
    const count = n % 3 === 0 ? 2 : 1;
    const choices = Array.from({ length: count }, (_, index) => ({ index, message, finish_reason: 'stop' }));
    const answer = { object: 'chat.completion', created: 1_700_000_000, model: 'm', choices };
    const messages = [{ role: 'user', content: `${n}` }];
    return [
      'createChatCompletion',
      { body: { model: 'm', messages, ...(count > 1 && { n: count }) } },
      { id: `c-${at}`, ...answer },
      { id: `c-${n}`, ...answer },
    ];
  },
  createThread: (n: number): Sketch => {
    const thread = threadOf(n);
    return ['createThread', { beta: BETA, body: {} }, thread, { ...thread, object: 'tread' }];
  },
  retrieveThread: (n: number): Sketch => {
    return ['retrieveThread', onThread(n), threadOf(n), { ...threadOf(n), created_at: 2 }];
  },
  modifyThread: (n: number): Sketch => {
    const metadata = { n: `${n}` };
    const request = { ...onThread(n), body: { metadata } };
    return ['modifyThread', request, { ...threadOf(n), metadata }, threadOf(n)];
  },
  deleteThread: (n: number): Sketch => {
    const deleted = { id: `thread_${n}`, object: 'thread.deleted', deleted: true };
    return ['deleteThread', onThread(n), deleted, { ...deleted, deleted: false }];
  },
  createStore: (n: number): Sketch => {
    const body = { file_ids: [`file-${n % 2}`] };
    return ['createVectorStore', { beta: BETA, body }, storeOf(n), { ...storeOf(n), status: 'odd' }];
  },
  retrieveStore: (n: number): Sketch => {
    const path = { vector_store_id: `vs_${n}` };
    return ['retrieveVectorStore', { beta: BETA, path }, storeOf(n), { ...storeOf(n), name: null }];
  },
  listModels: (n: number): Sketch => {
    const model = { id: 'm', object: 'model', created: 1, owned_by: 'x' };
    return [
      'listModels',
      {},
      { object: 'list', data: [model] },
      { object: 'list', data: [{ ...model, id: `${n}` }] },
    ];
  },
} satisfies Readonly<Record<string, (n: number, at: number) => Sketch>>;

export type SyntheticAct = keyof typeof ACTS;
// as: the keys of a literal
export const SYNTHETIC_ACTS = Object.keys(ACTS) as SyntheticAct[];

function threadOf(n: number) {
  return { id: `thread_${n}`, object: 'thread', created_at: 1, metadata: {}, tool_resources: null };
}

function onThread(n: number): RequestSketch {
  return { beta: BETA, path: { thread_id: `thread_${n}` } };
}

function storeOf(n: number) {
  const file_counts = { in_progress: 0, completed: 1, failed: 0, cancelled: 0, total: 1 };
  const facts = {
    object: 'vector_store',
    created_at: 1,
    name: `${n}`,
    usage_bytes: 1,
    file_counts,
    metadata: {},
  };
  return { id: `vs_${n}`, ...facts, status: 'completed', last_active_at: 1 };
}

/** The traffic of these calls, in the order in which they end; numbers follow the order in which they begin. */
export function syntheticTraffic(calls: readonly SyntheticCall[]): readonly Exchange[] {
  const trace = new TraceBuilder();
  for (const [at, { act, resource, answer, overlaps }] of calls.entries()) {
    const [operation, request, right, wrong] = ACTS[act](resource, at);
    const after = Math.max(0, at - overlaps);
    trace.add(operation, { ...request, after }, responseOf(answer, right, wrong));
  }
  const byBegin = trace.exchanges.toSorted((a, b) => a.after - b.after || numberOf(a.id) - numberOf(b.id));
  const numbers = new Map(byBegin.map(({ id }, n) => [id, n + 1]));
  return trace.exchanges.map((exchange) => ({ ...exchange, id: `e${numbers.get(exchange.id)}` }));
}

function responseOf(answer: SyntheticCall['answer'], right: Json, wrong: Json): ResponseSketch {
  if (answer === 'failed') return { status: 500, json: { error: { message: 'x' } } };
  if (answer === 'refused') return { status: 400, json: { error: ERROR } };
  return { json: answer === 'right' ? right : wrong };
}
