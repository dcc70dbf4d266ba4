import type { InfeasibleRequirement } from '../../judge/requirements/catalogue.ts';
import type { Exclusion } from '../../judge/requirements/requirement.ts';

/** Sentences about batches that an exchange cannot show. */
export const exclusions: readonly Exclusion[] = [
  {
    id: 'batches.discount',
    spec: '2 What the service does',
    says: 'Batches cost half.',
    reason: 'Billing is not part of the API.',
  },
  {
    id: 'batches.within-a-day',
    spec: '2 What the service does',
    says: 'Results are there within 24 hours.',
    reason: 'A run does not wait for a day.',
  },
  {
    id: 'batches.expiry',
    spec: '2 Batch',
    says: 'A batch expires at `expires_at`.',
    reason: 'A run does not wait for a day; the value of expires_at is reported as a choice.',
  },
  {
    id: 'batches.embeddings',
    spec: '2 Batches',
    says: 'Batches may be for the embeddings endpoint.',
    reason: 'The request and response of that endpoint are not shown, so no request is known to be valid.',
  },
  {
    id: 'batches.embeddings.inputs',
    spec: '2 Limits',
    says: 'A batch of embeddings has at most 50,000 inputs over all its requests.',
    reason: 'The request of that endpoint is not shown.',
  },
  {
    id: 'batches.in-progress',
    spec: '2 States and transitions',
    says: 'The other moves between states.',
    reason: 'They are not shown; those that occur are reported as choices.',
  },
  {
    id: 'batches.error-line.without-http',
    spec: '2 Batch',
    says: 'A request that fails for a reason other than HTTP has an error in its line.',
    reason:
      'The specification does not show an input that fails in this way; which requests a target cannot process is its own choice.',
  },
];

/** States that a run cannot wait for, and why. */
export const infeasible: readonly InfeasibleRequirement[] = [
  { id: 'batch:#expired-at-set', reason: 'a batch has a day before it expires' },
];
