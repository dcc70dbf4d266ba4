import { expect, test } from 'vitest';
import { UNSTATED_CHECKS } from '../judge/acceptance/unstated-requests.ts';
import { requirementsOf } from '../judge/requirements/catalogue.ts';
import { mutationKindsOf } from '../proof/mutants/mutants.ts';
import { catalogue } from './index.ts';

test('the catalogue finds everything by file name, and no two entries have the same id', async () => {
  const all = await catalogue();
  const requirements = requirementsOf(all);
  for (const id of ['file:bytes#type', 'createFile:body.purpose#enum.rejected', 'files.content.as-sent']) {
    expect(requirements.has(id)).toBe(true);
  }
  const ids = [...all.choices, ...all.exclusions].map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => requirements.has(id))).toEqual([]);
});

/** Behaviours that can be violated in only one way, with the reason. */
const ONE_WAY: Readonly<Record<string, string>> = {
  'audio.speech.takes-time': 'no length is less than none',
  'chat.stream.call-ids-differ': 'the ids of two calls can only be equal',
  'vector-store-file-batches.cancel.leaves-in-progress': 'there is one state that is to be left',
  'vector-store-file-batches.completed.none-in-progress': 'there is one count that must be 0',
};

test('every behaviour is broken in several ways, and every requirement in at least one', async () => {
  const { requirementSets: sections } = await catalogue();
  const few = sections.flatMap((set) =>
    set.requirements
      .filter(({ id, kind }) => mutationKindsOf(set, id).length < (kind === 'behaviour' ? 2 : 1))
      .map(({ id }) => id),
  );
  expect(few.toSorted()).toEqual(Object.keys(ONE_WAY).toSorted());
});

test('every kind of request that a target may refuse without a stated reason is an exclusion', async () => {
  const ids = (await catalogue()).exclusions.map(({ id }) => id);
  expect(Object.keys(UNSTATED_CHECKS).filter((id) => !ids.includes(id))).toEqual([]);
});
