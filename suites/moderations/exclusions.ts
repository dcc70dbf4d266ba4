import type { Exclusion } from '../../judge/requirements/requirement.ts';

const SPEC = '2 Moderation';

/** Sentences about moderation that an exchange cannot show. */
export const exclusions: readonly Exclusion[] = [
  {
    id: 'moderations.model.upgrades',
    spec: SPEC,
    says: 'The latest model is upgraded automatically.',
    reason: 'It is a promise over months.',
  },
  {
    id: 'moderations.model.notice',
    spec: SPEC,
    says: 'The stable model changes only after notice.',
    reason: 'A notice is given outside the API.',
  },
  {
    id: 'moderations.model.accuracy',
    spec: SPEC,
    says: 'The stable model may be slightly less accurate.',
    reason: 'It is a possibility, and no measure of it is shown.',
  },
  {
    id: 'moderations.judgement',
    spec: '2 What the service does',
    says: 'Texts that may be harmful are classified by category.',
    reason: 'Whether a text is harmful is the judgement of the model.',
  },
];
