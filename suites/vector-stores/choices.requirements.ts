import { showsExistence } from '../files/file.ts';
import { inResponseWhere, setValue } from '../vocabulary/changes.ts';
import { fieldState, follower, outcome } from '../vocabulary/choice-shapes.ts';
import { isObject, numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { requests, responses, successions, where } from '../vocabulary/selectors.ts';
import { section } from '../vocabulary/statements.ts';
import { sumOfCounts } from './selectors/counts.ts';
import { storeTallies } from './selectors/store-tallies.ts';

const { choice } = section('1 Vector store');
const vectorStores = section('1 Vector stores');
const OPERATIONS = ['createVectorStore', 'retrieveVectorStore', 'modifyVectorStore'] as const;

const stores = responses(OPERATIONS);

export const vectorStoresBytesName = choice('vector-stores.bytes.name', {
  says: 'Which field shows how many bytes the files of a store take.',
  places: ['vector_store:usage_bytes'],
  alternatives: ['usage_bytes', 'bytes', 'both'],
  selector: where(stores, ({ answer }) => named(answer, 'usage_bytes', 'bytes') !== 'none'),
  taken: ({ answer }) => named(answer, 'usage_bytes', 'bytes'),
  takesAway: { bytes: ['vector_store:usage_bytes#*'] },
});

export const vectorStoresLastActiveName = choice('vector-stores.last-active.name', {
  says: 'Which field shows when a store was last in use.',
  places: ['vector_store:last_active_at'],
  alternatives: ['last_active_at', 'last_used_at', 'both'],
  selector: stores,
  taken: ({ answer }) => named(answer, 'last_active_at', 'last_used_at'),
  takesAway: { last_used_at: ['vector_store:last_active_at#type'] },
});

export const vectorStoresNameUnset = vectorStores.choice('vector-stores.name.unset', {
  says: 'The name of a store whose request has none.',
  places: ['vector_store:name'],
  alternatives: ['null', 'empty', 'absent'],
  selector: where(
    responses('createVectorStore'),
    ({ asked }) => (valueAtPath(asked, 'name') ?? null) === null,
  ),
  taken: fieldState('name', 'another name', 'empty'),
});

export const vectorStoresNameNull = vectorStores.choice('vector-stores.name.null', {
  says: 'Whether a name is taken away by modifying it to null.',
  alternatives: ['taken away', 'passed over'],
  selector: where(
    successions({ first: OPERATIONS, later: 'modifyVectorStore' }),
    ({ before, after }) =>
      valueAtPath(after.requestJson, 'name') === null && (textAt(before.responseJson, 'name') ?? '') !== '',
  ),
  taken: ({ before, after }) => {
    if (after.responseJson === undefined) return after.responseClass === 'rejected' ? 'refused' : null;
    return valueAtPath(after.responseJson, 'name') === valueAtPath(before.responseJson, 'name')
      ? 'passed over'
      : 'taken away';
  },
});

export const vectorStoresPolicyUnset = choice('vector-stores.policy.unset', {
  says: 'The expires_after of a store whose request has no policy.',
  places: ['vector_store:expires_after'],
  alternatives: ['null', 'absent', 'an empty object', 'a policy'],
  selector: where(
    responses('createVectorStore'),
    ({ asked }) => (valueAtPath(asked, 'expires_after') ?? null) === null,
  ),
  taken: fieldState('expires_after', 'a policy', 'an empty object'),
  examples: {
    'an empty object': inResponseWhere(
      'createVectorStore',
      ({ request }) => (valueAtPath(request.body.json?.value, 'expires_after') ?? null) === null,
      setValue('/expires_after', {}),
    ),
  },
});

export const vectorStoresPolicyFields = choice('vector-stores.policy.fields', {
  says: 'Which fields a policy has beside its duration.',
  alternatives: ['none', 'anchor', 'anchor, days'],
  selector: where(stores, ({ answer }) => isObject(valueAtPath(answer, 'expires_after'))),
  taken: ({ answer }) => {
    const policy = valueAtPath(answer, 'expires_after');
    const fields = isObject(policy) ? Object.keys(policy).filter((name) => name !== 'duration') : [];
    return fields.length === 0 ? 'none' : fields.sort().join(', ');
  },
});

export const vectorStoresPolicyNull = vectorStores.choice('vector-stores.policy.null', {
  says: 'Whether a policy is taken away by modifying it to null.',
  alternatives: ['taken away', 'passed over', 'refused'],
  selector: where(
    successions({ first: OPERATIONS, later: 'modifyVectorStore' }),
    ({ before, after }) =>
      valueAtPath(after.requestJson, 'expires_after') === null &&
      isObject(valueAtPath(before.responseJson, 'expires_after')),
  ),
  taken: ({ after }) => {
    if (after.responseJson === undefined) return after.responseClass === 'rejected' ? 'refused' : null;
    const policy = valueAtPath(after.responseJson, 'expires_after');
    return isObject(policy) && Object.keys(policy).length > 0 ? 'passed over' : 'taken away';
  },
});

export const vectorStoresPolicyCountsFrom = choice('vector-stores.policy.counts-from', {
  says: 'From which moment the duration of a policy counts.',
  alternatives: ['creation', 'last activity', 'creation or last activity, in the same second'],
  selector: where(stores, ({ answer }) => numberAt(answer, 'expires_at') !== undefined),
  taken: ({ answer }) => {
    const [at, duration] = [numberAt(answer, 'expires_at'), numberAt(answer, 'expires_after', 'duration')];
    if (at === undefined || duration === undefined) return null;
    const isCreation = numberAt(answer, 'created_at') === at - duration;
    const isActivity =
      (numberAt(answer, 'last_active_at') ?? numberAt(answer, 'last_used_at')) === at - duration;
    if (isCreation && isActivity) return 'creation or last activity, in the same second';
    return isCreation ? 'creation' : isActivity ? 'last activity' : 'another moment';
  },
});

export const vectorStoresStatesFromInProgress = choice('vector-stores.states.from-in-progress', {
  says: 'Which state of a store follows in_progress.',
  alternatives: ['completed', 'expired'],
  selector: moves(),
  taken: follower('status', 'in_progress'),
});

export const vectorStoresStatesFromCompleted = choice('vector-stores.states.from-completed', {
  says: 'Which state of a store follows completed.',
  alternatives: ['expired', 'in_progress'],
  selector: moves(),
  taken: follower('status', 'completed'),
});

export const vectorStoresCountsSum = choice('vector-stores.counts.sum', {
  says: 'Whether the total of a store’s files is the sum of the other counts.',
  alternatives: ['the sum', 'another number'],
  selector: stores,
  taken: ({ answer }) => sumOfCounts(answer),
});

export const vectorStoresUsageSum = choice('vector-stores.usage.sum', {
  says: 'Whether the bytes that a store uses are the sum of what its files use.',
  alternatives: ['the sum', 'another number'],
  selector: storeTallies({
    retrieve: 'retrieveVectorStore',
    list: 'listVectorStoreFiles',
    add: ['createVectorStoreFile', 'createVectorStoreFileBatch'],
  }),
  taken: ({ store, files }) => {
    const used = numberAt(store, 'usage_bytes') ?? numberAt(store, 'bytes');
    const each = files.map((file) => numberAt(file, 'usage_bytes'));
    if (used === undefined || each.includes(undefined)) return null;
    return each.reduce<number>((sum, one) => sum + (one ?? 0), 0) === used ? 'the sum' : 'another number';
  },
});

export const vectorStoresCreateUnknownFile = vectorStores.choice('vector-stores.create.unknown-file', {
  says: 'Whether a store is created with a file that does not exist.',
  alternatives: ['refused', 'created'],
  selector: where(requests('createVectorStore'), ({ call }) => {
    const { probe } = call.exchange;
    return probe?.pointer === 'body.file_ids[]' && probe.keyword === 'unknown' && showsExistence(call);
  }),
  taken: outcome('created'),
});

export const vectorStoresExpiredTakesFiles = choice('vector-stores.expired.takes-files', {
  says: 'Whether a store that is expired takes further files.',
  alternatives: ['refused', 'accepted'],
  selector: where(
    successions({
      first: OPERATIONS,
      later: 'createVectorStoreFile',
      about: ({ path, responseJson: answer }) => path['vector_store_id'] ?? textAt(answer, 'id'),
    }),
    ({ before, after }) => textAt(before.responseJson, 'status') === 'expired' && showsExistence(after),
  ),
  taken: outcome('accepted'),
});

export const vectorStoresHeaderMissing = choice('vector-stores.header.missing', {
  spec: '1 Versioning',
  says: 'Response to a request for a store without a beta header.',
  alternatives: ['the store', 'refused'],
  selector: where(requests('retrieveVectorStore'), ({ call }) => {
    const { headers } = call.exchange.request;
    return showsExistence(call) && !headers.some(([, value]) => value.includes('assistants='));
  }),
  taken: outcome('the store'),
});

export const vectorStoresDeleteAgain = vectorStores.choice('vector-stores.delete.again', {
  says: 'The response to the deletion of a store that was deleted before.',
  alternatives: ['refused', 'deleted again'],
  selector: where(successions({ first: 'deleteVectorStore', later: 'deleteVectorStore' }), ({ after }) =>
    showsExistence(after),
  ),
  taken: outcome('deleted again'),
});

function moves() {
  return successions({ first: OPERATIONS, later: OPERATIONS });
}

function named(answer: Parameters<typeof valueAtPath>[0], one: string, other: string): string {
  const [first, second] = [valueAtPath(answer, one) !== undefined, valueAtPath(answer, other) !== undefined];
  if (first && second) return 'both';
  return first ? one : second ? other : 'none';
}
