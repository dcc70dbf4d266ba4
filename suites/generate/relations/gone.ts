import type { Exchange } from '../../../exchange/exchange.ts';
import type { Call } from '../../../judge/call.ts';
import { answersOfOthers } from '../../../judge/edit/between.ts';
import { inAnswer, succeedAnyway } from '../../../judge/edit/breaks.ts';
import { put, remove as without } from '../../../judge/edit/values.ts';
import { get, list, text } from '../../../judge/json.ts';
import { answers, only } from '../../../judge/selectors/answers.ts';
import { successions } from '../../../judge/selectors/relations.ts';
import { requirement } from '../../../judge/write.ts';
import { operation as operationOf } from '../../../schemas/index.ts';
import { afterDeletions } from './deletions.ts';
import { type Resource, restored, restoring } from './resource.ts';
import { stillListed } from './still-listed.ts';

/** That what was deleted is gone. */
export function gone(resource: Resource) {
  const { remove, list: listing } = resource;
  if (remove === undefined) return [];
  return [
    tellsId(resource, remove),
    goneFromRetrieve(resource, remove),
    ...(listing === undefined ? [] : [goneFromList(resource, remove, listing)]),
  ];
}

function tellsId({ area, noun, variant }: Resource, remove: string) {
  return requirement({
    id: `${area}.delete.tells-id`,
    level: 'MUST',
    basis: 'implied',
    spec: operationOf(remove).spec,
    says: `The answer to a deletion names the ${noun} that was to be deleted.`,
    on: answers(remove, variant === undefined ? {} : { variant }),
    check: ({ call, answer }) => {
      const [wanted, actual] = [Object.values(call.path).at(-1), get(answer, 'id')];
      return actual === wanted ? [] : [{ at: '/id', expected: `${wanted}`, actual }];
    },
    breaks: {
      'another id': inAnswer(remove, put('/id', 'id_of_another')),
      'that of another deletion': answersOfOthers(remove),
      'no id': inAnswer(remove, without('/id')),
    },
  });
}

function goneFromRetrieve(resource: Resource, remove: string) {
  const { area, noun, retrieve, variant } = resource;
  const form = variant === undefined ? {} : { variant };
  return requirement({
    id: `${area}.delete.gone-from-retrieve`,
    level: 'MUST',
    basis: 'implied',
    spec: operationOf(remove).spec,
    says: `A deleted ${noun} is not retrieved any more.`,
    on: only(
      successions({ first: remove, later: retrieve, until: restoring(resource), about, ending, ...form }),
      ({ before, after }) => get(before.answer, 'deleted') === true && tells(after),
    ),
    check: ({ after }) =>
      after.outcome === 'accepted' ? [{ at: 'status', expected: 'no 2xx', actual: after.status }] : [],
    breaks: {
      'still there': succeedAnyway(retrieve, asIfThere),
      'marked as deleted': succeedAnyway(retrieve, (exchange) => ({ ...asIfThere(exchange), deleted: true })),
      'an empty answer': succeedAnyway(retrieve, () => ({})),
    },
  });
}

function goneFromList(resource: Resource, remove: string, listing: string) {
  const { area, noun } = resource;
  return requirement({
    id: `${area}.delete.gone-from-list`,
    level: 'MUST',
    basis: 'implied',
    spec: operationOf(remove).spec,
    says: `A deleted ${noun} is in no list any more.`,
    on: afterDeletions(resource, remove, listing),
    check: ({ deleted, page }) =>
      list(page.answer, 'data').flatMap((element, i) => {
        const id = text(element, 'id') ?? '';
        const by = deleted.get(id);
        return by === undefined
          ? []
          : [{ at: `/data/${i}`, expected: `no ${id}, deleted by ${by}`, actual: id }];
      }),
    breaks: stillListed(remove, listing, asIfThere),
  });
}

/** Whether an answer tells that something is there, or is not. */
export function tells({ outcome }: Call): boolean {
  return outcome === 'accepted' || outcome === 'absent' || outcome === 'rejected';
}

/** The object of a call, with its owners: a file may hang on several of them. */
function about({ path }: Call): string {
  return JSON.stringify(Object.values(path));
}

function ending(call: Call): readonly string[] {
  return restored(call).map((id) => JSON.stringify([...Object.values(call.path), id]));
}

function asIfThere({ request }: Exchange): { readonly id: string } {
  return { id: request.target.split('/').at(-1) ?? '' };
}
