import type { FreeEvidence } from '../../judge/missing-evidence/expected-evidence.ts';
import type { Exclusion } from '../../judge/requirements/requirement.ts';

/** Sentences about models that an exchange cannot show. */
export const exclusions: readonly Exclusion[] = [
  {
    id: 'models.delete.owner-role',
    spec: '2 Models',
    says: 'Only a caller with the owner role in the organization deletes a model.',
    reason: 'A run has one key, and cannot see or change its role.',
  },
  {
    id: 'models.delete.only-fine-tuned',
    spec: '2 Models',
    says: 'Only fine-tuned models are deleted.',
    reason: 'Trying it on another model could delete a model that does not belong to the run.',
  },
  {
    id: 'models.list.available',
    spec: '2 Models',
    says: 'The list has the models that are available.',
    reason: 'Only the list shows which models are available.',
  },
];

/** Requirements that a conforming target may give no evidence for. */
export const freeEvidence: readonly FreeEvidence[] = [
  {
    free: 'models.retrieve.as-listed',
    decides: 'service',
    reason: 'a model may be retrieved under a longer name than it is listed under',
  },
];
