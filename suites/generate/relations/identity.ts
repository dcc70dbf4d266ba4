// Requirements on ids: of retrieved objects, of new objects, and of the owners that objects name.
import { arrayAt, valueAtPath } from '../../../judge/evidence/json.ts';
import { responses, where } from '../../../judge/evidence/selectors/answers.ts';
import { idReuses } from '../../../judge/evidence/selectors/identity.ts';
import { inLastResponse, swapResponses } from '../../../judge/mutations/across-exchanges.ts';
import { inResponse } from '../../../judge/mutations/mutations.ts';
import { removeValue, setValue } from '../../../judge/mutations/values.ts';
import { requirement } from '../../../judge/requirements/define.ts';
import { operation as operationOf } from '../../../schemas/index.ts';
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
  return requirement({
    id: `${area}.retrieve.tells-id`,
    level: 'MUST',
    basis: 'implied',
    spec: operationOf(retrieve).spec,
    says: `A retrieved ${noun} has the id in the path of its request.`,
    selector: responses(retrieve, variant === undefined ? {} : { variant }),
    check: ({ call, json: answer }) => {
      const [wanted, actual] = [Object.values(call.path).at(-1), valueAtPath(answer, 'id')];
      return actual === wanted ? [] : [{ at: '/id', expected: `${wanted}`, actual }];
    },
    mutations: {
      'another id': inResponse(retrieve, setValue('/id', 'id_of_another')),
      'that of another call': swapResponses(retrieve),
      'no id': inResponse(retrieve, removeValue('/id')),
    },
  });
}

/** A creation returns an id that no earlier creation below the same owner returned. */
function uniqueId({ area, noun, spec, variant }: Resource, create: string) {
  const owners = [...operationOf(create).path.matchAll(/\{(\w+)_id\}/g)]
    .map(([, name = '']) => name.replaceAll('_', ' '))
    .join(' and ');
  return requirement({
    id: `${area}.create.id-unique`,
    level: 'MUST',
    basis: 'implied',
    spec,
    says: `Each ${noun}${owners === '' ? '' : ` of a ${owners}`} has an id of its own.`,
    selector: { ...idReuses(create), variant: variant ?? null },
    check: ({ id, earlier }) =>
      earlier === null
        ? []
        : [{ at: '/id', expected: `an id that was not given out in ${earlier.id}`, actual: id }],
    mutations: {
      'one id for all': inResponse(create, setValue('/id', 'id_of_all')),
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
  return requirement({
    id: `${area}.object.names-${field.replaceAll('_', '-')}`,
    level: 'MUST',
    basis: 'stated',
    spec: resource.spec,
    says: `The \`${field}\` of ${withArticle(noun).toLowerCase()} is the id in the path of its request.`,
    selector: where(
      responses(operations, variant === undefined ? {} : { variant }),
      ({ call, json: answer }) => {
        return call.operation.id !== listing || arrayAt(answer, 'data').length > 0;
      },
    ),
    check: ({ call, json: answer }) => {
      const wanted = call.path[field];
      const objects = call.operation.id === listing ? arrayAt(answer, 'data') : [answer];
      return objects.flatMap((object, i) => {
        const actual = valueAtPath(object, field);
        const at = call.operation.id === listing ? `/data/${i}/${field}` : `/${field}`;
        return actual === wanted || actual === undefined ? [] : [{ at, expected: `${wanted}`, actual }];
      });
    },
    mutations: Object.fromEntries(
      operations.map((id) => [
        `another one by ${id}`,
        inResponse(id, setValue(id === listing ? `/data/*/${field}` : `/${field}`, 'id_of_another')),
      ]),
    ),
  });
}
