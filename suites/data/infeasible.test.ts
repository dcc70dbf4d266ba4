import { expect, test } from 'vitest';
import type { Exchange } from '../../exchange/exchange.ts';
import type { ResultSink } from '../../judge/requirements/evaluator.ts';
import { withoutResultsOf } from './infeasible.ts';

/** The arguments of a call of each method of a sink; the type makes the list complete. */
const CALLS: Record<Exclude<keyof ResultSink, 'header'>, readonly unknown[]> = {
  observe: ['a', 1, [{ id: 'e1' }]],
  report: ['a', {}, []],
  block: ['a', 'e1', 'refused'],
  recordMiss: ['a', [], 1],
  recordTrial: ['a', 'POST /v1/files', 'met'],
  showCompliance: ['a'],
  suppose: ['a', { holds: true, holdsHere: false }, []],
  explainRefusals: [{}],
  recordVocabulary: [{}, ['kept'], 'server'],
  excuse: [['e1']],
  fail: ['a', new Error('a defect')],
};

function createRecordingSink(): { sink: ResultSink; calls: [string, unknown[]][] } {
  const calls: [string, unknown[]][] = [];
  const sink: Record<string, unknown> = {};
  for (const name of Object.keys(CALLS))
    sink[name] = (...args: unknown[]) => {
      calls.push([name, args]);
      return name === 'suppose' ? sink : undefined;
    };
  return { sink: sink as unknown as ResultSink, calls }; // as: it has all members but the header, which no test reads
}

function callMember(sink: ResultSink, name: string, args: readonly unknown[]): unknown {
  const member: unknown = Reflect.get(sink, name);
  if (typeof member !== 'function') throw new Error(`the sink has no method ${name}`);
  return Reflect.apply(member, sink, args);
}

test.each(Object.entries(CALLS))('a call of %s about another requirement reaches the sink', (name, args) => {
  const { sink, calls } = createRecordingSink();
  callMember(withoutResultsOf(sink, new Set(['hidden'])), name, args);
  expect(calls).toEqual([[name, args]]);
});

test('results of the hidden requirements do not reach the sink', () => {
  const { sink, calls } = createRecordingSink();
  const narrowed = withoutResultsOf(sink, new Set(['a']));
  for (const [name, args] of Object.entries(CALLS))
    if (args[0] === 'a' && name !== 'suppose') callMember(narrowed, name, args);
  expect(calls).toEqual([]);
});

test('a result that depends on a supposition reaches the sink unless its requirement is hidden', () => {
  const { sink, calls } = createRecordingSink();
  const narrowed = withoutResultsOf(sink, new Set(['a']));
  const evidence: readonly Exchange[] = [];
  const supposing = narrowed.suppose?.('b', { holds: true, holdsHere: true }, evidence);
  supposing?.observe('b', 1, evidence);
  supposing?.observe('a', 1, evidence);
  expect(calls.map(([name, [id]]) => [name, id])).toEqual([
    ['suppose', 'b'],
    ['observe', 'b'],
  ]);
});

test('a narrowed sink has suppositions only if the sink has them', () => {
  const { sink } = createRecordingSink();
  expect(withoutResultsOf(sink, new Set()).suppose).toBeDefined();
  const { suppose: _, ...others } = sink;
  expect(withoutResultsOf(others, new Set()).suppose).toBeUndefined();
});
