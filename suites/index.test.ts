import { expect, test } from 'vitest';
import { matchesGlob } from '../exchange/glob.ts';
import { UNSTATED_CHECKS } from '../judge/acceptance/unstated-requests.ts';
import { requirementsOf } from '../judge/requirements/catalogue.ts';
import { mutationKindsOf } from '../proof/mutants/mutants.ts';
import { catalogue } from './index.ts';

test('the catalogue contains requirements of responses, of probes and of behaviour', async () => {
  const requirements = requirementsOf(await catalogue());
  for (const id of ['file:bytes#type', 'createFile:body.purpose#enum.rejected', 'files.content.as-sent'])
    expect(requirements.has(id)).toBe(true);
});

test('no two entries of the catalogue of both sides have the same id', async () => {
  const { requirementSets, choices, exclusions } = await catalogue('both');
  const requirements = requirementSets.flatMap((set) => set.requirements);
  const ids = [...requirements, ...choices, ...exclusions].map(({ id }) => id);
  expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([]);
});

/** Behaviours that can be violated in only one way, with the reason. */
const ONE_WAY: Readonly<Record<string, string>> = {
  'audio.speech.takes-time': 'no length is less than none',
  'chat.stream.call-ids-differ': 'the ids of two calls can only be equal',
  'vector-store-file-batches.cancel.leaves-in-progress': 'there is one state that is to be left',
  'vector-store-file-batches.completed.none-in-progress': 'there is one count that must be 0',
};

test('every requirement has a mutation, and every behaviour has two unless one is listed as the only one', async () => {
  const { requirementSets } = await catalogue();
  const tooFew = requirementSets.flatMap((set) =>
    set.requirements
      .map(({ id, kind }) => ({ id, kind, count: mutationKindsOf(set, id).length }))
      .filter(({ kind, count }) => count < (kind === 'behaviour' ? 2 : 1)),
  );
  const counts = Object.fromEntries(tooFew.map(({ id, count }) => [id, count]));
  expect(counts).toEqual(Object.fromEntries(Object.keys(ONE_WAY).map((id) => [id, 1])));
});

test('each requirement that no derived probe can show is shown by a scenario', async () => {
  // Results that need half a gigabyte come from a separate scenario, where --allow large permits it.
  const { infeasible, requirementSets, scenarios } = await catalogue();
  const ids = requirementSets
    .flatMap(({ requirements }) => requirements.map(({ id }) => id))
    .filter((id) => infeasible.some(({ id: glob }) => matchesGlob(glob, id)));
  expect(ids.length).toBeGreaterThan(0);
  expect(ids.filter((id) => !scenarios.some(({ shows }) => shows?.has(id)))).toEqual([]);
});

test('every kind of request that a target may refuse without a stated reason is an exclusion', async () => {
  const ids = (await catalogue()).exclusions.map(({ id }) => id);
  expect(Object.keys(UNSTATED_CHECKS).filter((id) => !ids.includes(id))).toEqual([]);
});
