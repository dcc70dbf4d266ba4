import { expect, test } from 'vitest';
import { type Scenario, scenario } from './scenario/scenario.ts';
import { listsSharedObjects, sequencesOf } from './scenario-order.ts';

const one = (name: string, family: Scenario['family'], operations: readonly string[]): Scenario =>
  scenario({ name, family, operations, cost: [], roles: [], run: async () => {} });

test('scenarios that list different objects run concurrently, after those that create', () => {
  const scenarios = [
    one('assistants.life', 'assistants-v2', ['createAssistant', 'listAssistants']),
    one('assistants.list', 'assistants-v2', ['listAssistants']),
    one('stores.list', 'vector-stores', ['listVectorStores']),
    one('files.list', 'files', ['listFiles']),
    one('old-assistants.list', 'assistants-v1', ['listAssistants']),
    one('batches.list', 'batches', ['listBatches']),
  ];
  const groups = sequencesOf(scenarios).map((sequences) =>
    sequences.map((sequence) => sequence.map(({ name }) => name)),
  );
  expect(groups).toEqual([
    [['assistants.life']],
    [['assistants.list', 'old-assistants.list'], ['stores.list'], ['files.list', 'batches.list']],
  ]);
});

test('no scenarios give no groups', () => expect(sequencesOf([])).toEqual([]));

test('a list below one owner does not list objects of other owners', () => {
  expect(listsSharedObjects(one('a', 'messages', ['createMessage', 'listMessages']))).toBe(false);
  expect(listsSharedObjects(one('b', 'files', ['createFile', 'listFiles']))).toBe(true);
});
