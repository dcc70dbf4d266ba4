import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { matchesGlob } from '../../exchange/glob.ts';
import { alternativeNamed, requirementsOf } from '../../judge/requirements/catalogue.ts';
import { choiceTable, equalChoices } from '../../reference/choices/table.ts';
import { catalogue } from '../../suites/index.ts';

/** Choices of the ledger for which the service implements only one alternative, with the reason. */
const { invariable } = createRequire(import.meta.url)('#reference/choices/choices.json');
const suites = await catalogue();
const { choices } = suites;
const alternatives = new Map(choices.map((choice) => [choice.id, choice.alternatives]));

test('the service has alternatives, or a reason for having none, for exactly the choices of the ledger', () => {
  const ids = [...Object.keys(choiceTable), ...Object.keys(invariable)];
  expect(ids.toSorted()).toEqual([...alternatives.keys()].toSorted());
});

test('every alternative of the service is in the ledger', () => {
  const unknown = Object.entries(choiceTable).flatMap(([id, { usual, others }]) =>
    [usual, ...Object.keys(others)].filter((name) => alternatives.get(id)?.includes(name) !== true),
  );
  expect(unknown).toEqual([]);
});

test('every choice of the service has an alternative other than the usual one', () => {
  expect(Object.values(choiceTable).filter(({ others }) => Object.keys(others).length === 0)).toEqual([]);
});

test('the choices that an alternative hides, and those that report the behaviour of another, exist', () => {
  const hidden = Object.values(choiceTable).flatMap(({ others }) =>
    Object.values(others).flatMap(({ hides = [] }) => hides),
  );
  const namedIds = [...hidden, ...Object.entries(equalChoices).flat()];
  expect(namedIds.filter((id) => choiceTable[id] === undefined)).toEqual([]);
});

test('every alternative that takes evidence away is in the ledger', () => {
  const unknown = choices.flatMap(({ id, takesAway = {} }) =>
    Object.keys(takesAway)
      .filter((name) => alternatives.get(id)?.includes(name) !== true)
      .map((name) => `${id}: ${name}`),
  );
  expect(unknown).toEqual([]);
});

test('the reported name of an alternative counts as that alternative', () => {
  const unmatched = choices.flatMap((choice) =>
    Object.entries(choiceTable[choice.id]?.others ?? {})
      .filter(([name, { reported = name }]) => alternativeNamed(choice, reported) !== name)
      .map(([name]) => `${choice.id}: ${name}`),
  );
  expect(unmatched).toEqual([]);
});

test('the evidence that an alternative takes away belongs to requirements', () => {
  const ids = [...requirementsOf(suites).keys()];
  const globs = choices.flatMap(({ takesAway = {} }) => Object.values(takesAway).flat());
  expect(globs.filter((glob) => !ids.some((id) => matchesGlob(glob, id)))).toEqual([]);
});
