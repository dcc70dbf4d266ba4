import type { Exclusion } from '../../judge/requirements/requirement.ts';

/** Sentences about messages that an exchange cannot show. */
export const exclusions: readonly Exclusion[] = [
  {
    id: 'messages.incomplete.reason',
    spec: '1 Message',
    says: 'incomplete_details say why a message is incomplete.',
    reason: 'How a message becomes incomplete is not shown, nor are the fields of the reason.',
  },
  {
    id: 'messages.content.images',
    spec: '1 Message',
    says: 'Content is made of text and images.',
    reason: 'Of the form of an image part nothing is shown; any part with a type is let pass.',
  },
];
