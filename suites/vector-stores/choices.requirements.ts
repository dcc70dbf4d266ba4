import { withoutBeta } from '../assistants/samples.ts';
import { keysOf, totalState } from '../rows/choice-values.ts';
import { choiceOf } from '../rows/rows.ts';
import { outcome } from '../vocabulary/choice-shapes.ts';
import { numberAt, valueAtPath } from '../vocabulary/json.ts';
import { requests, responses, settled, where } from '../vocabulary/selectors.ts';
import type { ResponseEvidence } from '../vocabulary/types.ts';
import { evidence } from './evidence.ts';
import { sumOfCounts } from './stores.ts';

const CREATE = 'createVectorStore';
const OPERATIONS = [CREATE, 'retrieveVectorStore', 'modifyVectorStore'] as const;

const stores = responses(OPERATIONS);
export const vectorStoresPolicyFields = choiceOf<ResponseEvidence>('vector-stores.policy.fields', {
  taken: ({ answer }) => keysOf(valueAtPath(answer, 'expires_after'), 'duration') || 'none',
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

export const vectorStoresCountsSum = choiceOf('vector-stores.counts.sum', {
  selector: stores,
  taken: ({ answer }) => sumOfCounts(answer),
});

export const vectorStoresUsageSum = choiceOf('vector-stores.usage.sum', {
  selector: evidence['tally of a store'],
  taken: ({ store, listed }) =>
    totalState(
      numberAt(store, 'usage_bytes') ?? numberAt(store, 'bytes'),
      listed.map((file) => numberAt(file, 'usage_bytes')),
    ),
});

export const vectorStoresHeaderMissing = choiceOf('vector-stores.header.missing', {
  selector: where(requests('retrieveVectorStore'), settled, withoutBeta),
  taken: outcome('the store'),
});
