import { keysOf, totalState } from '../rows/choice-values.ts';
import { choiceOf } from '../rows/rows.ts';
import { numberAt, valueAtPath } from '../vocabulary/json.ts';
import { responses } from '../vocabulary/selectors.ts';
import type { ResponseEvidence } from '../vocabulary/types.ts';
import { evidence } from './evidence.ts';
import { sumOfCounts } from './stores.ts';

const CREATE = 'createVectorStore';
const OPERATIONS = [CREATE, 'retrieveVectorStore', 'modifyVectorStore'] as const;

const stores = responses(OPERATIONS);
export const vectorStoresPolicyFields = choiceOf<ResponseEvidence>('vector-stores.policy.fields', {
  taken: ({ answer }) => keysOf(valueAtPath(answer, 'expires_after'), 'duration') || 'none',
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
