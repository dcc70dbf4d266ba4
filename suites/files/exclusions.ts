import type { FreeEvidence } from '../../judge/missing-evidence/expected-evidence.ts';
import type { Exclusion } from '../../judge/requirements/requirement.ts';

/** Sentences about files that an exchange cannot show. */
export const exclusions: readonly Exclusion[] = [
  {
    id: 'files.purpose.use',
    spec: '2 Files',
    says: 'A file is used for the task of its purpose, such as assistants for messages, vision for images.',
    reason:
      'That another use is rejected is stated only of assistant files, batches and jobs; there it is judged.',
  },
  {
    id: 'files.status-details.see-error',
    spec: '2 File',
    says: 'Instead of status_details, clients read the error of the fine-tuning job.',
    reason: 'It is advice to clients; the error of a job is judged with fine-tuning.',
  },
  {
    id: 'files.limits.organization',
    spec: '2 Limits',
    says: 'All files of an organization together have at most 100 GB.',
    reason: 'No run may fill the storage of an organization.',
  },
  {
    id: 'files.limits.tokens',
    spec: '2 Limits',
    says: 'A file for assistants has at most 2 million tokens.',
    reason: 'The specification does not show how many tokens a text has for a model.',
  },
  {
    id: 'files.limits.raise',
    spec: '2 Limits',
    says: 'The storage limits are raised on request to the provider.',
    reason: 'It is not part of the API.',
  },
  {
    id: 'files.scope.organization',
    spec: '1 Authentication',
    says: 'Lists of files have the scope of the caller’s organization.',
    reason: 'A run has one key, so it cannot see another organization.',
  },
  {
    id: 'files.status.transitions',
    spec: '2 File',
    says: 'A file goes through the states of its deprecated status.',
    reason: 'The transitions are not shown.',
  },
];

/** Requirements that a conforming target may give no evidence for. */
export const freeEvidence: readonly FreeEvidence[] = [
  { free: 'file:status_details#type', decides: 'service', reason: 'the deprecated field may be left out' },
];
