import { expect, test } from 'vitest';
import { requestConstraints } from '../../judge/probe/request-constraints.ts';
import { pathCases } from './probes.ts';

const path = { thread_id: 't-1', message_id: 'm-1', file_id: 'f-1' };
const elsewhere = { thread_id: 't-2', message_id: 'm-2', file_id: 'f-2' };
const unknown = { unknownId: (prefix: string) => `${prefix}unknown` };

function findPathConstraint(name: string) {
  const constraint = requestConstraints().find(
    ({ operation, pointer }) => operation === 'retrieveMessageFile' && pointer === `path.${name}`,
  );
  if (constraint === undefined) throw new Error(`There is no constraint on ${name} in the path.`);
  return constraint;
}

const listWrongPaths = (name: string) =>
  pathCases(findPathConstraint(name), { path, elsewhere }, unknown).breaking.map(({ request }) => request);

test('an unknown id is requested, and the id itself below owners that it does not belong to', () => {
  expect(listWrongPaths('file_id')).toEqual([
    { ...path, file_id: 'f-unknown' },
    { thread_id: 't-2', message_id: 'm-2', file_id: 'f-1' },
  ]);
  expect(listWrongPaths('message_id')).toEqual([
    { ...path, message_id: 'm-unknown' },
    { thread_id: 't-2', message_id: 'm-1', file_id: 'f-1' },
  ]);
});

test('without an owner, or without an object elsewhere, only an unknown id is requested', () => {
  expect(listWrongPaths('thread_id')).toEqual([{ ...path, thread_id: 't-unknown' }]);
  const { breaking } = pathCases(findPathConstraint('file_id'), { path }, unknown);
  expect(breaking.map(({ request }) => request)).toEqual([{ ...path, file_id: 'f-unknown' }]);
});
