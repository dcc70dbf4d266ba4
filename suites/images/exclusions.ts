import type { Exclusion } from '../../judge/requirements/requirement.ts';

const SPEC = '2 Images';

/** Sentences about images that an exchange cannot show. */
export const exclusions: readonly Exclusion[] = [
  {
    id: 'images.url.lifetime',
    spec: SPEC,
    says: 'The URL of an image stays valid for 60 minutes.',
    reason:
      'No run waits for an hour; that it leads to the image at first is judged on the own host of a target.',
  },
  {
    id: 'images.prompt.shown',
    spec: SPEC,
    says: 'An image shows what its prompt says.',
    reason: 'What a picture shows is for people to tell.',
  },
  {
    id: 'images.quality.effect',
    spec: SPEC,
    says: 'With quality hd an image is finer.',
    reason: 'How fine a picture is, is for people to tell.',
  },
  {
    id: 'images.style.effect',
    spec: SPEC,
    says: 'An image is vivid or natural.',
    reason: 'How a picture looks is for people to tell.',
  },
  {
    id: 'images.edit.where',
    spec: SPEC,
    says: 'An image is edited where the mask, or the image itself, is fully transparent.',
    reason: 'Which pixels a model draws anew, and how, is its own choice; that others stay is not stated.',
  },
  {
    id: 'images.variation.likeness',
    spec: '2 What the service does',
    says: 'A variation resembles its image.',
    reason: 'Likeness is for people to tell.',
  },
  {
    id: 'images.user.abuse',
    spec: SPEC,
    says: 'The user is an end user.',
    reason: 'What a service does with it is not seen from outside.',
  },
];
