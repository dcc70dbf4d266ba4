import { expect, test } from 'vitest';
import { choiceTable, equalChoices, invariableChoices } from '../../reference/choices/table.ts';
import { catalogue } from '../../suites/index.ts';

const { choices } = await catalogue();
const alternatives = new Map(choices.map((choice) => [choice.id, choice.alternatives]));

test('the service takes every choice of the ledger in another way, or a reason says why not', () => {
  const known = [...Object.keys(choiceTable), ...Object.keys(invariableChoices)];
  expect(known.toSorted()).toEqual([...alternatives.keys()].toSorted());
});

test('every alternative of the service is one of the ledger', () => {
  const unknown = Object.entries(choiceTable).flatMap(([id, { usual, others }]) =>
    [usual, ...Object.keys(others)].filter((name) => alternatives.get(id)?.includes(name) !== true),
  );
  expect(unknown).toEqual([]);
  expect(Object.values(choiceTable).filter(({ others }) => Object.keys(others).length === 0)).toEqual([]);
});

test('choices that are hidden or reported twice exist', () => {
  const hidden = Object.values(choiceTable).flatMap(({ others }) =>
    Object.values(others).flatMap(({ hides = [] }) => hides),
  );
  const named = [...hidden, ...Object.entries(equalChoices).flat()];
  expect(named.filter((id) => choiceTable[id] === undefined)).toEqual([]);
});
