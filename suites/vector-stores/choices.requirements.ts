import { withoutBeta } from '../assistants/samples.ts';
import { choiceOf } from '../rows/rows.ts';
import { inResponseWhere, requestUnsets, setValue } from '../vocabulary/changes.ts';
import { fieldState, follower, outcome, refusedOr } from '../vocabulary/choice-shapes.ts';
import { keysOf, totalState, whichOf } from '../vocabulary/choice-values.ts';
import { isObject, numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import {
  idFrom,
  namesNothingIn,
  requests,
  responses,
  settled,
  showed,
  showsObject,
  successions,
  unset,
  where,
} from '../vocabulary/selectors.ts';
import { storeTallies, sumOfCounts } from './stores.ts';

const CREATE = 'createVectorStore';
const OPERATIONS = [CREATE, 'retrieveVectorStore', 'modifyVectorStore'] as const;

const stores = responses(OPERATIONS);
const moves = successions({ first: OPERATIONS, later: OPERATIONS });
const modifications = successions({ first: OPERATIONS, later: 'modifyVectorStore' });

export const vectorStoresBytesName = choiceOf('vector-stores.bytes.name', {
  selector: where(stores, ({ answer }) => named(answer, 'usage_bytes', 'bytes') !== 'none'),
  taken: ({ answer }) => named(answer, 'usage_bytes', 'bytes'),
});

export const vectorStoresLastActiveName = choiceOf('vector-stores.last-active.name', {
  selector: stores,
  taken: ({ answer }) => named(answer, 'last_active_at', 'last_used_at'),
});

export const vectorStoresNameUnset = choiceOf('vector-stores.name.unset', {
  selector: where(responses(CREATE), unset('name')),
  taken: fieldState('name', 'another name', 'empty'),
});

export const vectorStoresNameNull = choiceOf('vector-stores.name.null', {
  selector: where(
    modifications,
    ({ before, after }) =>
      valueAtPath(after.requestJson, 'name') === null && (textAt(before.responseJson, 'name') ?? '') !== '',
  ),
  taken: refusedOr(({ before, after }) => {
    const [kept, shown] = [before, after].map(({ responseJson }) => valueAtPath(responseJson, 'name'));
    return kept === shown ? 'passed over' : 'taken away';
  }),
});

export const vectorStoresPolicyUnset = choiceOf('vector-stores.policy.unset', {
  selector: where(responses(CREATE), unset('expires_after')),
  taken: fieldState('expires_after', 'a policy', 'an empty object'),
  examples: {
    'an empty object': inResponseWhere(
      CREATE,
      requestUnsets('expires_after'),
      setValue('/expires_after', {}),
    ),
  },
});

export const vectorStoresPolicyFields = choiceOf('vector-stores.policy.fields', {
  selector: where(stores, showsObject('expires_after')),
  taken: ({ answer }) => keysOf(valueAtPath(answer, 'expires_after'), 'duration') || 'none',
});

export const vectorStoresPolicyNull = choiceOf('vector-stores.policy.null', {
  selector: where(
    modifications,
    ({ before, after }) =>
      valueAtPath(after.requestJson, 'expires_after') === null &&
      isObject(valueAtPath(before.responseJson, 'expires_after')),
  ),
  taken: refusedOr(({ after }) => {
    const policy = keysOf(valueAtPath(after.responseJson, 'expires_after')) ?? '';
    return policy === '' ? 'taken away' : 'passed over';
  }),
});

export const vectorStoresPolicyCountsFrom = choiceOf('vector-stores.policy.counts-from', {
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

export const vectorStoresStatesFromInProgress = choiceOf('vector-stores.states.from-in-progress', {
  selector: moves,
  taken: follower('status', 'in_progress'),
});

export const vectorStoresStatesFromCompleted = choiceOf('vector-stores.states.from-completed', {
  selector: moves,
  taken: follower('status', 'completed'),
});

export const vectorStoresCountsSum = choiceOf('vector-stores.counts.sum', {
  selector: stores,
  taken: ({ answer }) => sumOfCounts(answer),
});

export const vectorStoresUsageSum = choiceOf('vector-stores.usage.sum', {
  selector: storeTallies({
    retrieve: 'retrieveVectorStore',
    list: 'listVectorStoreFiles',
    add: ['createVectorStoreFile', 'createVectorStoreFileBatch'],
  }),
  taken: ({ store, files }) =>
    totalState(
      numberAt(store, 'usage_bytes') ?? numberAt(store, 'bytes'),
      files.map((file) => numberAt(file, 'usage_bytes')),
    ),
});

export const vectorStoresCreateUnknownFile = choiceOf('vector-stores.create.unknown-file', {
  selector: where(requests(CREATE), namesNothingIn('body.file_ids[]'), settled),
  taken: outcome('created'),
});

export const vectorStoresExpiredTakesFiles = choiceOf('vector-stores.expired.takes-files', {
  selector: where(
    successions({
      first: OPERATIONS,
      later: 'createVectorStoreFile',
      about: idFrom('vector_store_id', 'id'),
    }),
    showed('status', 'expired'),
    settled,
  ),
  taken: outcome('accepted'),
});

export const vectorStoresHeaderMissing = choiceOf('vector-stores.header.missing', {
  selector: where(requests('retrieveVectorStore'), settled, withoutBeta),
  taken: outcome('the store'),
});

export const vectorStoresDeleteAgain = choiceOf('vector-stores.delete.again', {
  selector: where(successions({ first: 'deleteVectorStore', later: 'deleteVectorStore' }), settled),
  taken: outcome('deleted again'),
});

function named(answer: Parameters<typeof valueAtPath>[0], one: string, other: string) {
  return whichOf([one, other], (name) => valueAtPath(answer, name) !== undefined);
}
