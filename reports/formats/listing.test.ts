import { expect, test } from 'vitest';
import { catalogue } from '../../suites/index.ts';
import { listingEntries } from './listing.ts';

const entries = listingEntries(await catalogue('both'));

test.each([
  ['an operation', 'cancelBatch:accepts', ['batches']],
  ['an object', 'batch:#expired-at-set', ['batches']],
  ['an object whose name contains a full stop', 'thread.run:#failed-at-set', ['runs']],
  ['a family with two versions', 'assistants.ids.opaque', ['assistants-v1', 'assistants-v2']],
  ['clients of a family', 'client.batches.embeddings', ['batches']],
  ['a topic of no family', 'service.keys.scheme', []],
])('an exclusion about %s concerns its families', (_, id, families) => {
  expect(entries.find((one) => one.id === id)?.families.toSorted()).toEqual(families);
});

test('requirements and exclusions about clients have the side of clients', () => {
  const forClients = entries.filter(({ id }) => /^client[.:]/.test(id));
  expect(new Set(forClients.map(({ kind }) => kind))).toContain('exclusion');
  expect(forClients.filter(({ side }) => side !== 'client')).toEqual([]);
});
