import { expect, test } from 'vitest';
import { type Scenario, scenario } from './scenario/scenario.ts';
import { groupIntoSequences, listsSharedObjects } from './scenario-order.ts';

const createScenario = (name: string, family: Scenario['family'], operations: readonly string[]): Scenario =>
  scenario({ name, family, operations, cost: [], roles: [], run: async () => {} });

test('scenarios that list different kinds of objects run concurrently, after those that create', () => {
  const scenarios = [
    createScenario('assistants.life', 'assistants-v2', ['createAssistant', 'listAssistants']),
    createScenario('assistants.list', 'assistants-v2', ['listAssistants']),
    createScenario('stores.list', 'vector-stores', ['listVectorStores']),
    createScenario('files.list', 'files', ['listFiles']),
    createScenario('old-assistants.list', 'assistants-v1', ['listAssistants']),
    createScenario('batches.list', 'batches', ['listBatches']),
  ];
  const groups = groupIntoSequences(scenarios).map((sequences) =>
    sequences.map((sequence) => sequence.map(({ name }) => name)),
  );
  expect(groups).toEqual([
    [['assistants.life']],
    [['assistants.list', 'old-assistants.list'], ['stores.list'], ['files.list', 'batches.list']],
  ]);
});

test('no scenarios give no groups', () => expect(groupIntoSequences([])).toEqual([]));

test('a scenario lists shared objects if its list covers the organization rather than one parent object', () => {
  expect(listsSharedObjects(createScenario('a', 'messages', ['createMessage', 'listMessages']))).toBe(false);
  expect(listsSharedObjects(createScenario('b', 'files', ['createFile', 'listFiles']))).toBe(true);
});
