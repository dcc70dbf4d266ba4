import { bodyTree } from '../../judge/probe/constraints.ts';
import { violationsOf } from '../../judge/probe/unlabelled-violations.ts';
import { operation as operationOf } from '../../schemas/index.ts';
import { pointerTokens } from '../../schemas/pointer.ts';
import { isSameModel } from '../rows/model-names.ts';
import {
  callsOperation,
  inLastResponse,
  inResponse,
  inResponseWhere,
  removeIn,
  requestLeavesOut,
  requestSets,
  setIn,
  setValue,
  succeedInstead,
  swapResponses,
  removeValue as without,
} from '../vocabulary/changes.ts';
import {
  anotherValue,
  briefValue,
  containsRequested,
  extendedValue,
  isEmpty,
  reducedValue,
} from '../vocabulary/compare.ts';
import { withResponseJson } from '../vocabulary/exchanges.ts';
import { arrayAt, deepEqual, isObject, textAt, valueAtPath } from '../vocabulary/json.ts';
import {
  idReuses,
  leavesOut,
  responses,
  settled,
  showed,
  successions,
  that,
  where,
} from '../vocabulary/selectors.ts';
import { fieldIs, requirement, section, violation } from '../vocabulary/statements.ts';
import type {
  BehaviourRequirement,
  Call,
  Exchange,
  Json,
  Mutation,
  ResponseEvidence,
  Selector,
  Violation,
} from '../vocabulary/types.ts';
import {
  type EchoedField,
  echoedFields,
  keptContentRequirements,
  lastingFields,
  type ObjectObservation,
  type ObservationKind,
  objectObservations,
  ownerFields,
  pagesAfterDeletion,
  restoredIds,
  restoringOperations,
  withArticle,
} from './objects.ts';
import { type Resource, resources } from './resources.ts';

/** The relations between the operations of each kind of object. */
export const related = resources().flatMap(relationRequirements);

/**
 * The relations between the operations of one kind of object: what was created is retrieved and listed unchanged, a modification
 * changes only what it names, and what was deleted is gone.
 */
export function relationRequirements(resource: Resource) {
  const shown = objectObservations(resource);
  const { create, list, modify, cancel } = resource;
  return [
    ...(create === undefined ? [] : echoRequirements(resource, create, 'create')),
    ...(modify === undefined ? [] : echoRequirements(resource, modify, 'modify')),
    ...identityRequirements(resource),
    ...again(resource, shown),
    ...(modify === undefined ? [] : [keepsTheRest(resource, shown, modify)]),
    ...(list === undefined ? [] : [asListed(resource, shown, list)]),
    ...(cancel === undefined ? [] : [asCancelled(resource, shown, cancel)]),
    ...keptContentRequirements(resource),
    ...deletionRequirements(resource),
  ];
}

function again(
  resource: Resource,
  shown: Selector<ObjectObservation>,
): BehaviourRequirement<ObjectObservation>[] {
  const { create, modify, isFixed, noun } = resource;
  return [
    ...(create === undefined
      ? []
      : [retrieved(resource, shown, 'created', 'the one in the response to its creation')]),
    ...(modify === undefined
      ? []
      : [retrieved(resource, shown, 'modified', 'the one in the response to its modification')]),
    ...(isFixed && create === undefined ? [retrieved(resource, shown, 'listed', 'the one in the list')] : []),
  ].map((literal) => requirement({ ...literal, says: `A retrieved ${noun} equals ${literal.says}.` }));
}

function retrieved(
  resource: Resource,
  shown: Selector<ObjectObservation>,
  since: ObservationKind,
  says: string,
): BehaviourRequirement<ObjectObservation> {
  const { area, retrieve } = resource;
  return {
    id: `${area}.retrieve.as-${since}`,
    level: 'MUST',
    basis: 'implied',
    spec: operationOf(retrieve).spec,
    says,
    selector: where(
      shown,
      that(
        `the later a retrieval after it was ${since}`,
        (observation) => observation.how === 'retrieved' && observation.since === since,
      ),
    ),
    check: ({ differences }) => differences,
    mutations: changes(resource, retrieve, ''),
  };
}

function keepsTheRest(resource: Resource, shown: Selector<ObjectObservation>, modify: string) {
  const { area } = resource;
  const free = lastingFields(resource).filter((field) => !['id', 'object'].includes(field));
  return section(operationOf(modify).spec).implied(`${area}.modify.keeps-the-rest`, {
    says: 'A modification changes only the fields that its request names.',
    selector: where(
      shown,
      that('the later its modification', ({ how }) => how === 'modified'),
    ),
    check: ({ differences }) => differences,
    mutations: Object.fromEntries(free.map((field) => [`another ${field}`, unnamed(modify, field)])),
  });
}

function asListed(resource: Resource, shown: Selector<ObjectObservation>, list: string) {
  const { area, noun, create, isFixed } = resource;
  const since = create === undefined && isFixed ? 'retrieved' : 'made';
  return section(operationOf(list).spec).implied(`${area}.list.as-${since}`, {
    says: `In a list, ${withArticle(noun).toLowerCase()} equals ${since === 'made' ? 'the one in the response to its creation or modification' : 'the retrieved one'}.`,
    selector: where(
      shown,
      that(
        'the later a list',
        (observation) =>
          observation.how === 'listed' && (observation.since === 'retrieved') === (since === 'retrieved'),
      ),
    ),
    check: ({ differences }) => differences,
    mutations: changes(resource, list, '/data/*'),
  });
}

function asCancelled(resource: Resource, shown: Selector<ObjectObservation>, cancel: string) {
  const { area, noun } = resource;
  return section(operationOf(cancel).spec).implied(`${area}.cancel.as-created`, {
    says: `In the response to its cancellation, ${withArticle(noun).toLowerCase()} equals the one that was created.`,
    selector: where(
      shown,
      that('the later its cancellation', ({ how }) => how === 'cancelled'),
    ),
    check: ({ differences }) => differences,
    mutations: changes(resource, cancel, ''),
  });
}

function changes(resource: Resource, operation: string, at: string): Record<string, Mutation> {
  const fields = lastingFields(resource).filter((field) => field !== 'id');
  return Object.fromEntries(
    fields.map((field) => [`another ${field}`, setIn(operation, `${at}/${field}`, anotherValue)]),
  );
}

function unnamed(modify: string, field: string): Mutation {
  return inResponseWhere(modify, requestLeavesOut(field), setValue(`/${field}`, anotherValue));
}

/** One requirement per field: the response repeats the requested value or, after a creation, has the default. */
export function echoRequirements(resource: Resource, operation: string, verb: 'create' | 'modify') {
  const fields = echoedFields(resource, operation, verb);
  return [
    ...fields.map((field) => keptField(resource, operation, verb, field)),
    ...(verb === 'create'
      ? fields.filter(hasDefault).map((member) => defaultField(resource, operation, member))
      : []),
  ];
}

function keptField(resource: Resource, operation: string, verb: 'create' | 'modify', echoed: EchoedField) {
  const { area } = resource;
  const { name: field, isOptional } = echoed;
  return section(operationOf(operation).spec).implied(`${area}.${verb}.keeps-${field.replaceAll('_', '-')}`, {
    says: `The response to a ${verb === 'create' ? 'creation' : 'modification'} has the \`${field}\` of its request.`,
    selector: where(
      answersOf(resource, operation),
      // The schema of a field states the effect of null.
      that(
        `whose request sets ${field}`,
        ({ asked, call }) => (valueAtPath(asked, field) ?? null) !== null && hasField(call, field),
      ),
      that(`with ${field}`, ({ answer }) => !isOptional || valueAtPath(answer, field) !== undefined),
    ),
    check: (evidence) => unkept(evidence, field, verb),
    mutations: mutationsOfEchoed(operation, echoed),
  });
}

/** Whether the version of a request has a field: the other one may pass over it. */
function hasField({ variant }: Call, field: string): boolean {
  const members = variant === null ? undefined : bodyTree(variant)?.members;
  return members === undefined || members.some(({ name }) => name === field);
}

function unkept(
  { asked, answer, call }: ResponseEvidence,
  field: string,
  verb: 'create' | 'modify',
): Violation[] {
  const [wanted, actual] = [valueAtPath(asked, field), valueAtPath(answer, field)];
  // A response may name the model behind an alias.
  if (field === 'model' && isSameModel(wanted, actual)) return [];
  // Whether a modification removes pairs that it does not name is left open.
  const agree = field === 'metadata' && verb === 'create' ? deepEqual : containsRequested;
  if (isKept(wanted, actual, agree)) return [];
  // The effect of a value that should have been rejected is not stated; in metadata it concerns one pair only.
  const rejected = violationsOf(call)
    .map(({ at }) => pointerTokens(at))
    .filter(([name]) => name === field);
  const keys = field === 'metadata' ? rejected.map(([, key]) => key) : [];
  if (keys.length < rejected.length || keys.includes(undefined)) return [];
  if (isKept(withoutKeys(wanted, keys), withoutKeys(actual, keys), agree)) return [];
  return [violation(`/${field}`, `${briefValue(wanted ?? null)}, as asked for`, actual)];
}

function isKept(
  wanted: Json | undefined,
  actual: Json | undefined,
  agree: typeof containsRequested,
): boolean {
  // No pairs may read as null.
  if (actual === null && wanted !== undefined && isEmpty(wanted)) return true;
  return agree(wanted, actual);
}

function withoutKeys(map: Json | undefined, keys: readonly (string | undefined)[]): Json | undefined {
  if (keys.length === 0 || !isObject(map)) return map;
  return Object.fromEntries(Object.entries(map).filter(([key]) => !keys.includes(key)));
}

function mutationsOfEchoed(operation: string, { name: field, isOptional }: EchoedField) {
  const ofRequested = (edit: (value: Json | undefined) => Json): Mutation =>
    inResponseWhere(operation, requestSets(field), setValue(`/${field}`, edit));
  return {
    'another one': ofRequested(anotherValue),
    'cut short': ofRequested(reducedValue),
    ...(isOptional ? {} : { 'left out': removeIn(operation, `/${field}`) }),
  };
}

function defaultField(resource: Resource, operation: string, { name: field, node }: EchoedField) {
  const { area, spec, noun } = resource;
  // as: defaults are written in our schemas as JSON
  const wanted = node.notes['default'] as Json;
  const isUnnamed = requestLeavesOut(field);
  const mutations: Readonly<Record<string, Mutation>> = {
    'another one': inResponseWhere(operation, isUnnamed, setValue(`/${field}`, anotherValue)),
    'one more': inResponseWhere(operation, isUnnamed, setValue(`/${field}`, extendedValue)),
  };
  return section(spec).stated(`${area}.create.default-${field.replaceAll('_', '-')}`, {
    says: `The \`${field}\` of a new ${noun} is ${JSON.stringify(wanted)} unless its request sets it.`,
    selector: where(
      answersOf(resource, operation),
      leavesOut(field),
      // Null may mean the default, where the schema allows it.
      that(`with ${field} other than null`, ({ answer }) => (valueAtPath(answer, field) ?? null) !== null),
    ),
    check: ({ answer }) => {
      const actual = valueAtPath(answer, field);
      return deepEqual(actual, wanted) ? [] : [violation(`/${field}`, JSON.stringify(wanted), actual)];
    },
    mutations,
  });
}

function answersOf({ variant }: Resource, operation: string) {
  return responses(operation, variant === undefined ? {} : { variant });
}

/** A default of null only says that the field is optional. */
function hasDefault({ node }: EchoedField): boolean {
  return (node.notes['default'] ?? null) !== null;
}

export function identityRequirements(resource: Resource) {
  const { create, hasBorrowedId } = resource;
  return [
    retrievedId(resource),
    ...(create === undefined || hasBorrowedId ? [] : [uniqueId(resource, create)]),
    ...ownerFields(resource).map((field) => owner(resource, field)),
  ];
}

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

export function deletionRequirements(resource: Resource) {
  const { remove, list: listing } = resource;
  if (remove === undefined) return [];
  return [
    tellsId(resource, remove),
    goneFromRetrieve(resource, remove),
    ...(listing === undefined ? [] : [goneFromList(resource, remove, listing)]),
  ];
}

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

function about({ path }: Call): string {
  return JSON.stringify(Object.values(path));
}

/** Keys of the objects that a call restores, which ends their deletion. */
function ending(call: Call): readonly string[] {
  return restoredIds(call).map((id) => JSON.stringify([...Object.values(call.path), id]));
}

function asIfThere({ request }: Exchange): { readonly id: string } {
  return { id: request.target.split('/').at(-1) ?? '' };
}

// Mutations that put deleted objects back into later pages of their list.

type Back = { readonly id: string } & Readonly<Record<string, Json>>;
type Joined = (data: readonly Json[], back: readonly Back[]) => readonly Json[];

export function stillListedMutations(
  remove: string,
  listing: string,
  asIfThere: (deletion: Exchange) => Back,
): Readonly<Record<string, Mutation>> {
  const back = (joined: Joined) => putBack(remove, listing, asIfThere, joined);
  return {
    'still there': back((data, deleted) => [...data, ...deleted]),
    'in front of the others': back((data, deleted) => [...deleted, ...data]),
    'marked as deleted': back((data, deleted) => [
      ...data,
      ...deleted.map((one) => ({ ...one, deleted: true })),
    ]),
  };
}

function putBack(
  remove: string,
  listing: string,
  asIfThere: (deletion: Exchange) => Back,
  joined: Joined,
): Mutation {
  return (trace) => {
    const deletions = trace.filter((exchange) => callsOperation(exchange, remove));
    const changed = trace.map((exchange) => {
      if (!callsOperation(exchange, listing)) return exchange;
      const [path] = exchange.request.target.split('?');
      const back = deletions.filter(({ request }) => request.target.startsWith(`${path}/`)).map(asIfThere);
      const add = setValue('/data', (data) => joined(arrayAt(data), back));
      return back.length === 0 ? exchange : withResponseJson(exchange, add);
    });
    return changed.some((exchange, i) => exchange !== trace[i]) ? changed : null;
  };
}

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
      'still there': succeedInstead(retrieve, orphan),
      'an empty object': succeedInstead(retrieve, () => ({})),
    },
  }),
);

function orphan({ request }: Exchange) {
  const [, , , owner = '', , id = ''] = request.target.split('/');
  return { id, thread_id: owner, vector_store_id: owner, assistant_id: owner };
}
