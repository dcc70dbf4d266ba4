// Requirements on ids: of retrieved objects, of new objects, and of the owners that objects name.

import { operation as operationOf } from '../../../schemas/index.ts';
import { inLastResponse, removeIn, setIn, setValue, swapResponses } from '../../vocabulary/changes.ts';
import { arrayAt, valueAtPath } from '../../vocabulary/json.ts';
import { idReuses, responses, that, where } from '../../vocabulary/selectors.ts';
import { fieldIs, section, violation } from '../../vocabulary/statements.ts';
import type { Mutation } from '../../vocabulary/types.ts';
import { ownerFields, type Resource, withArticle } from './resource.ts';

/** That an object is the one that was meant, and says what it hangs on. */
export function identityRequirements(resource: Resource) {
  const { create, hasBorrowedId } = resource;
  return [
    retrievedId(resource),
    ...(create === undefined || hasBorrowedId ? [] : [uniqueId(resource, create)]),
    ...ownerFields(resource).map((field) => owner(resource, field)),
  ];
}

/** A retrieved object has the id of the request's path. */
function retrievedId({ area, noun, retrieve, variant }: Resource) {
  return section(operationOf(retrieve).spec).implied(`${area}.retrieve.tells-id`, {
    says: `A retrieved ${noun} has the id in the path of its request.`,
    selector: responses(retrieve, variant === undefined ? {} : { variant }),
    check: ({ call, answer }) => fieldIs(answer, 'id', Object.values(call.path).at(-1)),
    mutations: {
      'another id': setIn(retrieve, '/id', 'id_of_another'),
      'that of another call': swapResponses(retrieve),
      'no id': removeIn(retrieve, '/id'),
    },
  });
}

/** A creation returns an id that no earlier creation below the same owner returned. */
function uniqueId({ area, noun, spec, variant }: Resource, create: string) {
  const owners = [...operationOf(create).path.matchAll(/\{(\w+)_id\}/g)]
    .map(([, name = '']) => name.replaceAll('_', ' '))
    .join(' and ');
  return section(spec).implied(`${area}.create.id-unique`, {
    says: `Each ${noun}${owners === '' ? '' : ` of a ${owners}`} has a unique id.`,
    selector: { ...idReuses(create), variant: variant ?? null },
    check: ({ id, earlier }) =>
      earlier === null ? [] : [violation('/id', `an id that was not given out in ${earlier.id}`, id)],
    mutations: {
      'one id for all': setIn(create, '/id', 'id_of_all'),
      'the first again at the end': inLastResponse(create, (first) =>
        setValue('/id', valueAtPath(first, 'id') ?? null),
      ),
    },
  });
}

/** An object contains the id of the owner in the path of its request. */
function owner(resource: Resource, field: string) {
  const { area, noun, variant, create, retrieve, modify, list: listing } = resource;
  const operations = [retrieve, create, modify, listing].filter((id) => id !== undefined);
  const mutations: Readonly<Record<string, Mutation>> = Object.fromEntries(
    operations.map((id) => [
      `another one by ${id}`,
      setIn(id, id === listing ? `/data/*/${field}` : `/${field}`, 'id_of_another'),
    ]),
  );
  return section(resource.spec).stated(`${area}.object.names-${field.replaceAll('_', '-')}`, {
    says: `The \`${field}\` of ${withArticle(noun).toLowerCase()} is the id in the path of its request.`,
    selector: where(
      responses(operations, variant === undefined ? {} : { variant }),
      that(
        'that is an object or a list with elements',
        ({ call, answer }) => call.operation.id !== listing || arrayAt(answer, 'data').length > 0,
      ),
    ),
    check: ({ call, answer }) => {
      const wanted = call.path[field];
      const objects = call.operation.id === listing ? arrayAt(answer, 'data') : [answer];
      return objects.flatMap((object, i) => {
        const actual = valueAtPath(object, field);
        const at = call.operation.id === listing ? `/data/${i}/${field}` : `/${field}`;
        return actual === wanted || actual === undefined ? [] : [violation(at, `${wanted}`, actual)];
      });
    },
    mutations,
  });
}
