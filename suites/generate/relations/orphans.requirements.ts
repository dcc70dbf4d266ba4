// Objects below a deleted owner: a path that names what is gone leads nowhere.

import { succeedInstead } from '../../vocabulary/changes.ts';
import { settled, showed, successions, where } from '../../vocabulary/selectors.ts';
import { section, violation } from '../../vocabulary/statements.ts';
import type { Exchange } from '../../vocabulary/types.ts';

/** Deletions of an owner, the look-up of what was below it, and the path parameter that names the owner. */
const OWNERS = [
  {
    id: 'threads.delete.messages-gone',
    noun: 'message of a deleted thread',
    remove: 'deleteThread',
    retrieve: 'retrieveMessage',
    owner: 'thread_id',
    spec: '1 Threads',
  },
  {
    id: 'vector-stores.delete.files-gone',
    noun: 'file of a deleted vector store',
    remove: 'deleteVectorStore',
    retrieve: 'retrieveVectorStoreFile',
    owner: 'vector_store_id',
    spec: '1 Vector stores',
  },
  {
    id: 'assistants-v1.delete.files-gone',
    noun: 'file of a deleted assistant',
    remove: 'deleteAssistant',
    retrieve: 'retrieveAssistantFile',
    owner: 'assistant_id',
    spec: '1 Assistants',
    variant: 'v1',
  },
] as const;

export const orphans = OWNERS.map(({ id, noun, remove, retrieve, owner, spec, ...form }) =>
  section(spec).implied(id, {
    says: `A ${noun} can no longer be retrieved under its path.`,
    selector: where(
      {
        ...successions({ first: remove, later: retrieve, about: ({ path }) => path[owner], ...form }),
        everyVariant: [retrieve],
      },
      showed('deleted', true),
      settled,
    ),
    check: ({ after }) =>
      after.responseClass === 'accepted' ? [violation('status', 'no 2xx', after.status)] : [],
    mutations: {
      'still there': succeedInstead(retrieve, asIfThere),
      'an empty object': succeedInstead(retrieve, () => ({})),
    },
  }),
);

function asIfThere({ request }: Exchange) {
  const [, , , owner = '', , id = ''] = request.target.split('/');
  return { id, thread_id: owner, vector_store_id: owner, assistant_id: owner };
}
