import { keysOf, totalState } from '../rows/choice-values.ts';
import { choiceOf } from '../rows/rows.ts';
import { numberAt, valueAtPath } from '../vocabulary/json.ts';
import type { ResponseEvidence } from '../vocabulary/types.ts';
import { evidence } from './evidence.ts';

export const vectorStoresPolicyFields = choiceOf<ResponseEvidence>('vector-stores.policy.fields', {
  taken: ({ answer }) => keysOf(valueAtPath(answer, 'expires_after'), 'duration') || 'none',
});

export const vectorStoresUsageSum = choiceOf('vector-stores.usage.sum', {
  selector: evidence['tally of a store'],
  taken: ({ store, listed }) =>
    totalState(
      numberAt(store, 'usage_bytes') ?? numberAt(store, 'bytes'),
      listed.map((file) => numberAt(file, 'usage_bytes')),
    ),
});
