import type { FreeEvidence } from '../../judge/missing-evidence/expected-evidence.ts';
import type { Exclusion } from '../../judge/requirements/requirement.ts';

const ENDPOINTS = '2 Fine-tuning';

/** Sentences about fine-tuning that an exchange cannot show. */
export const exclusions: readonly Exclusion[] = [
  {
    id: 'fine-tuning.model.supported',
    spec: '2 Fine-tuning',
    says: 'A job is based on a model that can be fine-tuned.',
    reason:
      'The specification does not list these models: the one of a run is configured for its role, and no other is sent.',
  },
  {
    id: 'fine-tuning.seed.same-result',
    spec: ENDPOINTS,
    says: 'The same seed and parameters give the same result, rarely another.',
    reason: 'Differences are allowed, and two trainings would cost twice as much.',
  },
  {
    id: 'fine-tuning.validation.no-overlap',
    spec: ENDPOINTS,
    says: 'Training and validation file share no data.',
    reason: 'It is a duty of clients; a rejection by the service is not stated.',
  },
  {
    id: 'fine-tuning.validation.metrics',
    spec: ENDPOINTS,
    says: 'A validation file brings metrics into the result files from time to time.',
    reason: 'The form of result files is not shown.',
  },
  {
    id: 'fine-tuning.tokens.billed',
    spec: '2 Fine-tuning job',
    says: 'The trained tokens are those that are billed.',
    reason: 'Billing is not part of the API.',
  },
  {
    id: 'fine-tuning.cancel.immediate',
    spec: '2 States and transitions',
    says: 'A job is cancelled immediately.',
    reason: 'Latencies are never judged; that the response already has the state is judged.',
  },
  {
    id: 'fine-tuning.trained',
    spec: '2 What the service does',
    says: 'A new model is trained from the training file.',
    reason: 'The knowledge of a model does not show in a few replies.',
  },
  {
    id: 'fine-tuning.integrations.effect',
    spec: ENDPOINTS,
    says: 'An integration reports the training to a tracker, by project, name and tags.',
    reason: 'Reports to a tracker are not visible to the client, and the kinds of trackers are not shown.',
  },
  {
    id: 'fine-tuning.organization',
    spec: '2 Fine-tuning job',
    says: 'The organization_id is that of the owner.',
    reason: 'The organization of a key is not in any response.',
  },
];

/** Requirements that a conforming target may give no evidence for. */
export const freeEvidence: readonly FreeEvidence[] = [
  {
    free: 'fine_tuning.job:#no-tokens-while-running',
    decides: 'service',
    reason: 'a job may have ended before it is seen running',
  },
  {
    free: 'listFineTuningEvents.page.default-limit',
    decides: 'service',
    reason: 'how many events a job has is up to the service',
  },
  {
    free: 'listFineTuningCheckpoints.page.after',
    decides: 'service',
    reason: 'how many checkpoints a job makes is up to the service',
  },
  {
    free: 'listFineTuningCheckpoints.page.closure',
    decides: 'service',
    reason: 'how many checkpoints a job makes is up to the service',
  },
  {
    free: 'listFineTuningCheckpoints.page.default-limit',
    decides: 'service',
    reason: 'how many checkpoints a job makes is up to the service',
  },
  {
    free: 'listFineTuningCheckpoints.page.has-more',
    decides: 'service',
    reason: 'how many checkpoints a job makes is up to the service',
  },
  {
    free: 'listFineTuningCheckpoints.page.limit',
    decides: 'service',
    reason: 'how many checkpoints a job makes is up to the service',
  },
  {
    free: 'listFineTuningJobs.page.closure',
    decides: 'service',
    reason: 'jobs of other callers may come between two pages',
  },
];
