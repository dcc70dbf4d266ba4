import { answersOfOthers, lastAlone } from '../../../judge/edit/between.ts';
import { inAnswer } from '../../../judge/edit/breaks.ts';
import { put, remove } from '../../../judge/edit/values.ts';
import { get, list } from '../../../judge/json.ts';
import { answers, only } from '../../../judge/selectors/answers.ts';
import { byIdentity } from '../../../judge/selectors/identity.ts';
import { requirement } from '../../../judge/write.ts';
import { operation as operationOf } from '../../../schemas/index.ts';
import { article, ownerFields, type Resource } from './resource.ts';

/** That an object is the one that was meant, and says what it hangs on. */
export function identities(resource: Resource) {
  const { create, hasBorrowedId } = resource;
  return [
    retrievedId(resource),
    ...(create === undefined || hasBorrowedId ? [] : [uniqueId(resource, create)]),
    ...ownerFields(resource).map((field) => owner(resource, field)),
  ];
}

function retrievedId({ area, noun, retrieve, variant }: Resource) {
  return requirement({
    id: `${area}.retrieve.tells-id`,
    level: 'MUST',
    basis: 'implied',
    spec: operationOf(retrieve).spec,
    says: `The ${noun} that is retrieved has the id that was asked for.`,
    on: answers(retrieve, variant === undefined ? {} : { variant }),
    check: ({ call, answer }) => {
      const [wanted, actual] = [Object.values(call.path).at(-1), get(answer, 'id')];
      return actual === wanted ? [] : [{ at: '/id', expected: `${wanted}`, actual }];
    },
    breaks: {
      'another id': inAnswer(retrieve, put('/id', 'id_of_another')),
      'that of another call': answersOfOthers(retrieve),
      'no id': inAnswer(retrieve, remove('/id')),
    },
  });
}

function uniqueId({ area, noun, spec, variant }: Resource, create: string) {
  const owners = [...operationOf(create).path.matchAll(/\{(\w+)_id\}/g)]
    .map(([, name = '']) => name.replaceAll('_', ' '))
    .join(' and ');
  return requirement({
    id: `${area}.create.id-unique`,
    level: 'MUST',
    basis: 'implied',
    spec,
    says: `No two of what is created as ${noun}${owners === '' ? '' : ` below one ${owners}`} have the same id.`,
    on: { ...byIdentity(create), variant: variant ?? null },
    check: ({ id, earlier }) =>
      earlier === null
        ? []
        : [{ at: '/id', expected: `an id that was not given out in ${earlier.id}`, actual: id }],
    breaks: {
      'one id for all': inAnswer(create, put('/id', 'id_of_all')),
      'the first again at the end': lastAlone(create, (first) => put('/id', get(first, 'id') ?? null)),
    },
  });
}

function owner(resource: Resource, field: string) {
  const { area, noun, variant, create, retrieve, modify, list: listing } = resource;
  const operations = [retrieve, create, modify, listing].filter((id) => id !== undefined);
  return requirement({
    id: `${area}.object.names-${field.replaceAll('_', '-')}`,
    level: 'MUST',
    basis: 'stated',
    spec: resource.spec,
    says: `The \`${field}\` of ${article(noun).toLowerCase()} is that of its address.`,
    on: only(answers(operations, variant === undefined ? {} : { variant }), ({ call, answer }) => {
      return call.operation.id !== listing || list(answer, 'data').length > 0;
    }),
    check: ({ call, answer }) => {
      const wanted = call.path[field];
      const objects = call.operation.id === listing ? list(answer, 'data') : [answer];
      return objects.flatMap((object, i) => {
        const actual = get(object, field);
        const at = call.operation.id === listing ? `/data/${i}/${field}` : `/${field}`;
        return actual === wanted || actual === undefined ? [] : [{ at, expected: `${wanted}`, actual }];
      });
    },
    breaks: Object.fromEntries(
      operations.map((id) => [
        `another one by ${id}`,
        inAnswer(id, put(id === listing ? `/data/*/${field}` : `/${field}`, 'id_of_another')),
      ]),
    ),
  });
}
