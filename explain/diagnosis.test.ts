import { expect, test } from 'vitest';
import type { RequestRow } from '../judge/requirements/acceptance-facts.ts';
import { explainRefusals } from './diagnosis.ts';
import { createRow } from './testing/request-row.ts';

function diagnose(requests: Readonly<Record<string, readonly RequestRow[]>>, repeated: readonly string[]) {
  const rowsWith = (count: 'accepted' | 'refused') =>
    new Map(
      Object.entries(requests).map(([subject, rows]) => [subject, rows.filter((row) => row[count] > 0)]),
    );
  const { diagnoses } = explainRefusals({
    accepted: new Map(Object.keys(requests).map((subject) => [subject, 1])),
    refusedRows: rowsWith('refused'),
    acceptedRows: () => rowsWith('accepted'),
    repeatedRows: () => new Map(repeated.map((subject) => [subject, requests[subject] ?? []])),
    unprovenRows: new Map(),
    open: {},
    excused: [],
    unanswered: [],
    undecided: [],
    failed: [],
    acceptedTimes: [],
    lost: [],
    wasAnswered: () => true,
    areProven: () => true,
  });
  return diagnoses.map(({ feature, operations }) => [feature, operations.map(({ subject }) => subject)]);
}

const REFUSED_UNDER_LOAD = [
  ...[createRow('x', 20, 0), createRow('x', 0, 1), createRow('y', 20, 0)],
  ...[createRow('context.beside>=1 x', 6, 0), createRow('context.beside>=1 x', 0, 20)],
  ...[createRow('context.beside>=1 y', 4, 0), createRow('context.beside>=1 y', 0, 20)],
];

test('an operation that refuses requests, but none under load, has a cause of its own if load is the cause of others', () => {
  const refusedAlone = [createRow('p', 3, 0), createRow('q', 2, 0), createRow('q', 0, 1)];
  expect(diagnose({ busy: REFUSED_UNDER_LOAD, other: refusedAlone }, ['busy'])).toEqual([
    ['context.beside>=1', ['busy']],
    ['at-random', ['other']],
  ]);
});
