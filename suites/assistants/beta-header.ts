// The header that names the form of assistants, threads and vector stores.

import { that } from '../vocabulary/selectors.ts';
import type { Condition, RequestEvidence } from '../vocabulary/types.ts';

/** The header of the request names no form of the objects. */
export const withoutBeta: Condition<Pick<RequestEvidence, 'call'>> = that(
  'without a form in the header',
  ({ call }) => !call.exchange.request.headers.some(([, value]) => value.includes('assistants=')),
);
