import { expect, test } from 'vitest';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { FindingObserver } from './observed-finding.ts';

const REQUIREMENT = { id: 'model:id#type', level: 'MUST', says: '', spec: '2 Models' } as never; // as: what is read

test('a finding has the exchange that the violation names, even outside the evidence, or else the last of the evidence', () => {
  const trace = new TraceBuilder();
  const evidence = [trace.add('listModels', {}, { json: {} }), trace.add('listModels', {}, { json: {} })];
  const exchangeOf = (exchange?: string, exchanges = evidence) => {
    const violation = {
      at: '',
      expected: '',
      actual: undefined,
      ...(exchange !== undefined && { exchange }),
    };
    return new FindingObserver(null).describe(violation, REQUIREMENT, exchanges).exchange;
  };
  expect([exchangeOf('e1'), exchangeOf('e9'), exchangeOf(), exchangeOf(undefined, [])]).toEqual([
    'e1',
    'e9',
    'e2',
    null,
  ]);
});

test('`isFirst` is true only for the first violation of a requirement at a place, ignoring indexes in the place', () => {
  const observer = new FindingObserver(null);
  const isFirst = (at: string) =>
    observer.describe({ at, expected: '', actual: undefined }, REQUIREMENT, []).isFirst;
  expect(['/data/0/id', '/data/12/id', '/data/0/object'].map(isFirst)).toEqual([true, false, true]);
});
