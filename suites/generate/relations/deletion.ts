// Requirements of a deletion: its response names the object, which is neither retrieved nor listed afterwards.

import { operation as operationOf } from '../../../schemas/index.ts';
import {
  inResponse,
  setIn,
  succeedInstead,
  swapResponses,
  removeValue as without,
} from '../../vocabulary/changes.ts';
import { arrayAt, textAt } from '../../vocabulary/json.ts';
import { responses, settled, showed, successions, where } from '../../vocabulary/selectors.ts';
import { fieldIs, section, violation } from '../../vocabulary/statements.ts';
import type { Call, Exchange, Mutation } from '../../vocabulary/types.ts';
import { pagesAfterDeletion } from './deletions.ts';
import { type Resource, restoredIds, restoringOperations } from './resource.ts';
import { stillListedMutations } from './still-listed.ts';

/** That what was deleted is gone. */
export function deletionRequirements(resource: Resource) {
  const { remove, list: listing } = resource;
  if (remove === undefined) return [];
  return [
    tellsId(resource, remove),
    goneFromRetrieve(resource, remove),
    ...(listing === undefined ? [] : [goneFromList(resource, remove, listing)]),
  ];
}

/** The response of a deletion contains the id of the request. */
function tellsId({ area, noun, variant }: Resource, remove: string) {
  return section(operationOf(remove).spec).implied(`${area}.delete.tells-id`, {
    says: `The response to a deletion has the id of the ${noun} in its request.`,
    selector: responses(remove, variant === undefined ? {} : { variant }),
    check: ({ call, answer }) => fieldIs(answer, 'id', Object.values(call.path).at(-1)),
    mutations: {
      'another id': setIn(remove, '/id', 'id_of_another'),
      'that of another deletion': swapResponses(remove),
      'no id': inResponse(remove, without('/id')),
    },
  });
}

/** A deleted object cannot be retrieved afterwards. */
function goneFromRetrieve(resource: Resource, remove: string) {
  const { area, noun, retrieve, variant } = resource;
  const form = variant === undefined ? {} : { variant };
  const mutations: Readonly<Record<string, Mutation>> = {
    'still there': succeedInstead(retrieve, asIfThere),
    'marked as deleted': succeedInstead(retrieve, (exchange) => ({ ...asIfThere(exchange), deleted: true })),
    'an empty answer': succeedInstead(retrieve, () => ({})),
  };
  return section(operationOf(remove).spec).implied(`${area}.delete.gone-from-retrieve`, {
    says: `A deleted ${noun} can no longer be retrieved.`,
    selector: where(
      successions({
        first: remove,
        later: retrieve,
        until: restoringOperations(resource),
        about,
        ending,
        ...form,
      }),
      showed('deleted', true),
      settled,
    ),
    check: ({ after }) =>
      after.responseClass === 'accepted' ? [violation('status', 'no 2xx', after.status)] : [],
    mutations,
  });
}

/** A deleted object is not listed afterwards. */
function goneFromList(resource: Resource, remove: string, listing: string) {
  const { area, noun } = resource;
  return section(operationOf(remove).spec).implied(`${area}.delete.gone-from-list`, {
    says: `A deleted ${noun} is not in any list.`,
    selector: pagesAfterDeletion(resource, remove, listing),
    check: ({ deleted, page }) =>
      arrayAt(page.responseJson, 'data').flatMap((element, i) => {
        const id = textAt(element, 'id') ?? '';
        const by = deleted.get(id);
        return by === undefined ? [] : [violation(`/data/${i}`, `no ${id}, deleted by ${by}`, id)];
      }),
    mutations: stillListedMutations(remove, listing, asIfThere),
  });
}

/** The object of a call, with its owners: a file may hang on several of them. */
function about({ path }: Call): string {
  return JSON.stringify(Object.values(path));
}

/** Keys of the objects that a call restores, since that ends their deletion. */
function ending(call: Call): readonly string[] {
  return restoredIds(call).map((id) => JSON.stringify([...Object.values(call.path), id]));
}

/** A response that shows the object of a call, whatever the trace says of it. */
function asIfThere({ request }: Exchange): { readonly id: string } {
  return { id: request.target.split('/').at(-1) ?? '' };
}
