import type { Exclusion } from '../../judge/requirements/requirement.ts';

const SPEC = '2 Images';

/** Sentences about images that an exchange cannot show. */
export const exclusions: readonly Exclusion[] = [
  {
    id: 'images.url.other-host',
    spec: '2 Images',
    says: 'The URL of an image leads to the image on any host.',
    reason:
      'A run sends requests to the host of its target alone, so that a response cannot direct it to another one; an image there is not downloaded.',
  },
  {
    id: 'images.url.lifetime',
    spec: SPEC,
    says: 'The URL of an image stays valid for 60 minutes.',
    reason:
      'A run does not wait for an hour; that the URL leads to the image at first is judged on the host of the target.',
  },
  {
    id: 'images.prompt.shown',
    spec: SPEC,
    says: 'An image shows what its prompt says.',
    reason: 'The content of a picture is for people to judge.',
  },
  {
    id: 'images.quality.effect',
    spec: SPEC,
    says: 'With quality hd an image is finer.',
    reason: 'The quality of a picture is for people to judge.',
  },
  {
    id: 'images.style.effect',
    spec: SPEC,
    says: 'An image is vivid or natural.',
    reason: 'The style of a picture is for people to judge.',
  },
  {
    id: 'images.edit.where',
    spec: SPEC,
    says: 'An image is edited where the mask, or the image itself, is fully transparent.',
    reason: 'The pixels that a model redraws are its own choice; that the others stay is not stated.',
  },
  {
    id: 'images.variation.likeness',
    spec: '2 What the service does',
    says: 'A variation resembles its image.',
    reason: 'Likeness is for people to judge.',
  },
  {
    id: 'images.user.abuse',
    spec: SPEC,
    says: 'The user is an end user.',
    reason: 'Use of this field inside a service is not visible in a response.',
  },
];
