import { expect, test } from 'vitest';
import type { Exchange } from '../../exchange/exchange.ts';
import { catalogueOf } from '../testing/catalogue-of-sets.ts';
import { cutInTime, judgeOneByOne, judgeWhole } from '../testing/cut-trace.ts';
import { type ResponseSketch, TraceBuilder, testTraceHeader } from '../testing/trace-builder.ts';
import { acceptanceRequirements } from './acceptance.ts';

const NO: ResponseSketch = { status: 400, json: { error: { message: 'no' } } };
const JUDGE_OPTIONS = {
  catalogue: { ...catalogueOf(), requirementSets: [acceptanceRequirements()] },
  header: testTraceHeader(),
};

/** One call of a trace: its kind, its thread, its metadata, and the number of exchanges that ended before it. */
type SentCall = readonly [
  'create' | 'delete' | 'modify',
  thread: number,
  metadata?: Readonly<Record<string, string>>,
  after?: number,
];

function traceOf(calls: readonly SentCall[]): readonly Exchange[] {
  const trace = new TraceBuilder();
  for (const [kind, thread, metadata, after] of calls) {
    const options = { beta: 'assistants=v2', ...(after !== undefined && { after }) };
    const path = { thread_id: `thread_${thread}` };
    if (kind === 'create')
      trace.add(
        'createThread',
        { ...options, body: {} },
        { json: { id: `thread_${thread}`, object: 'thread' } },
      );
    else if (kind === 'delete') trace.add('deleteThread', { ...options, path }, { json: { deleted: true } });
    else trace.add('modifyThread', { ...options, path, body: { metadata: metadata ?? {} } }, NO);
  }
  return trace.exchanges;
}

function listRefusals(first: readonly SentCall[], second: readonly SentCall[]) {
  const traces = cutInTime(traceOf([...first, ...second]), first.length);
  const judgement = judgeWhole(JUDGE_OPTIONS, traces);
  expect(judgeOneByOne(JUDGE_OPTIONS, traces)).toEqual(judgement);
  return (judgement.diagnoses ?? []).flatMap(({ operations }) =>
    operations.map(({ exchanges }) => exchanges.join(' ')),
  );
}

test('a refusal that was withdrawn does not decide the order in which others are named', () => {
  const diagnosed = listRefusals(
    [
      ['create', 1],
      ['modify', 1, {}],
    ],
    [
      ['create', 1],
      ['create', 2],
      ['create', 3],
      ['create', 4],
      ['modify', 1, {}],
      ['delete', 1, {}, 4],
      ['modify', 2, { a: 'b' }],
      ['modify', 3, {}],
      ['modify', 3, {}],
      ['modify', 4, { a: 'b' }],
    ],
  );
  expect(diagnosed).toEqual(['e2 e9 e10 e11 e12']);
});

test('a call explains no refusal of an earlier trace', () => {
  const diagnosed = listRefusals(
    [
      ['create', 1],
      ['create', 2],
      ['modify', 1, {}],
    ],
    [
      ['create', 1],
      ['delete', 1],
    ],
  );
  expect(diagnosed).toEqual(['e3']);
});
