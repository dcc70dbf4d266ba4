import { expect, test } from 'vitest';
import type { StateMachine } from '../requirements/catalogue.ts';
import { TraceBuilder } from '../testing/trace-builder.ts';
import { Call } from '../trace/call.ts';
import { StateMachineTracker } from './state-machines.ts';

const BATCH: StateMachine = {
  name: 'Batch',
  spec: '2 States and transitions',
  objects: ['batch'],
  createdBy: ['createBatch'],
  states: ['validating', 'in_progress', 'completed'],
  transitions: [
    [null, 'validating'],
    ['validating', 'in_progress'],
    ['in_progress', 'completed'],
  ],
};

const batch = (status: string) => ({ json: { id: 'batch_1', object: 'batch', status } });
const path = { path: { batch_id: 'batch_1' } };

function transitionsIn(trace: TraceBuilder): string[] {
  const tracker = new StateMachineTracker([BATCH]);
  for (const exchange of trace.exchanges) {
    const call = Call.from(exchange, 'Vendor-Beta');
    if (call !== null) tracker.call(call, call.exchange.ended);
  }
  const [verdict] = tracker.verdicts();
  return (verdict?.ways ?? []).map(({ from, to, kind, seen }) => `${from ?? 'new'} > ${to} ${kind} ${seen}`);
}

test('counts the transitions of objects, stated or not, once each', () => {
  const trace = new TraceBuilder();
  trace.add('createBatch', {}, batch('validating'));
  trace.add('retrieveBatch', path, batch('validating'));
  trace.add('listBatches', {}, { json: { object: 'list', data: [batch('in_progress').json] } });
  trace.add('retrieveBatch', path, batch('expired'));
  expect(transitionsIn(trace)).toEqual([
    'new > validating stated 1',
    'in_progress > completed stated 0',
    'in_progress > expired open 1',
    'validating > in_progress stated 1',
  ]);
});

test('a transition past a stated state that no response shows has the kind `over`', () => {
  const trace = new TraceBuilder();
  trace.add('createBatch', {}, batch('validating'));
  trace.add('retrieveBatch', path, batch('completed'));
  expect(transitionsIn(trace)).toContain('validating > completed over 1');
});

test('refusals and objects of other kinds show no transition', () => {
  const trace = new TraceBuilder();
  trace.add('createBatch', {}, { ...batch('validating'), status: 400 });
  trace.add('retrieveFile', { path: { file_id: 'f' } }, { json: { id: 'f', object: 'file', status: 'x' } });
  expect(transitionsIn(trace)).toEqual([
    'new > validating stated 0',
    'in_progress > completed stated 0',
    'validating > in_progress stated 0',
  ]);
});

test('an empty status is a state, not the absence of an earlier one', () => {
  const trace = new TraceBuilder();
  trace.add('createBatch', {}, batch(''));
  trace.add('retrieveBatch', path, batch('validating'));
  expect(transitionsIn(trace)).toEqual(
    expect.arrayContaining(['new > validating stated 0', ' > validating open 1']),
  );
});
