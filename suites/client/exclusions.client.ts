import type { Exclusion } from '../../judge/requirements/requirement.ts';

/** Sentences about clients that their requests cannot show. */
export const clientExclusions: readonly Exclusion[] = [
  {
    id: 'client.assistants.json-mode',
    spec: '1 Assistant',
    says: 'A client that asks for JSON mode of an assistant also asks for JSON.',
    reason: 'The instruction may stand in the assistant, in the run or in any message of the thread.',
  },
  {
    id: 'client.images.per-model',
    spec: '2 Images',
    says: 'A client sends the sizes, numbers and styles that its model of images takes.',
    reason:
      'The specification names models of images by placeholders, so a name does not show which one is meant.',
  },
  {
    id: 'client.audio.prompt-language',
    spec: '2 Audio',
    says: 'A client writes the prompt in the language of the audio, or in English for a translation.',
    reason: 'The language of a short text or of audio is not certain.',
  },
];
