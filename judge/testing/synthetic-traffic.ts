// Traffic that no scenario sends: many concurrent resources, duplicate requests, faulty responses, overlaps.
import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { numberOf } from '../trace/timed.ts';
import { type RequestSketch, type ResponseSketch, TraceBuilder } from './trace-builder.ts';

/** One exchange: its action, resource, response, and the number of exchanges concurrent with it. */
export interface SyntheticCall {
  readonly act: SyntheticAct;
  readonly resource: number;
  readonly answer: 'right' | 'wrong' | 'refused' | 'failed';
  readonly beside: number;
}

const BETA = 'assistants=v2';
const NO: ResponseSketch = { status: 400, json: { error: { message: 'no', type: 'invalid_request_error' } } };

type Sketch = readonly [operation: string, asked: RequestSketch, right: Json, wrong: Json];

/** By name: an exchange about a resource, with a correct response and a faulty one. */
const ACTS = {
  ask: (n: number, at: number): Sketch => {
    const message = { role: 'assistant', content: 'Yes.' };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    const answer = { object: 'chat.completion', created: 1_700_000_000, model: 'm', choices };
    const asked = { model: 'm', messages: [{ role: 'user', content: `${n}` }], ...(n % 3 === 0 && { n: 2 }) };
    return [
      'createChatCompletion',
      { body: asked },
      { id: `c-${at}`, ...answer },
      { id: `c-${n}`, ...answer },
    ];
  },
  createThread: (n: number): Sketch => {
    const thread = { id: `thread_${n}`, object: 'thread', created_at: 1, metadata: {}, tool_resources: null };
    return ['createThread', { beta: BETA, body: {} }, thread, { ...thread, object: 'tread' }];
  },
  retrieveThread: (n: number): Sketch => {
    const thread = { id: `thread_${n}`, object: 'thread', created_at: 1, metadata: {}, tool_resources: null };
    return ['retrieveThread', onThread(n), thread, { ...thread, created_at: 2 }];
  },
  modifyThread: (n: number): Sketch => {
    const thread = {
      id: `thread_${n}`,
      object: 'thread',
      created_at: 1,
      metadata: { n: `${n}` },
      tool_resources: null,
    };
    const asked = { ...onThread(n), body: { metadata: { n: `${n}` } } };
    return ['modifyThread', asked, thread, { ...thread, metadata: {} }];
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
  for (const [at, { act, resource, answer, beside }] of calls.entries()) {
    const [operation, asked, right, wrong] = ACTS[act](resource, at);
    const after = Math.max(0, at - beside);
    trace.add(operation, { ...asked, after }, responseOf(answer, right, wrong));
  }
  const byBegin = trace.exchanges.toSorted((a, b) => a.after - b.after || numberOf(a.id) - numberOf(b.id));
  const numbers = new Map(byBegin.map(({ id }, n) => [id, n + 1]));
  return trace.exchanges.map((exchange) => ({ ...exchange, id: `e${numbers.get(exchange.id)}` }));
}

function responseOf(answer: SyntheticCall['answer'], right: Json, wrong: Json): ResponseSketch {
  if (answer === 'failed') return { status: 500, json: { error: { message: 'x' } } };
  return answer === 'refused' ? NO : { json: answer === 'right' ? right : wrong };
}
