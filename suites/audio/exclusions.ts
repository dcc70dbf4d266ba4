import type { Exclusion } from '../../judge/requirements/requirement.ts';

const SPEC = '2 Audio';

/** Sentences about audio that an exchange cannot show. */
export const exclusions: readonly Exclusion[] = [
  {
    id: 'audio.speech.said',
    spec: '2 What the service does',
    says: 'Speech says what its input says, in the voice that is asked for.',
    reason:
      'The voice and its quality are for listeners to judge; that the service recognizes its own speech is judged.',
  },
  {
    id: 'audio.language.helps',
    spec: SPEC,
    says: 'A language makes transcriptions better and faster.',
    reason: 'It is a tendency, and durations are never judged.',
  },
  {
    id: 'audio.prompt.effect',
    spec: SPEC,
    says: 'A prompt guides the style or continues an earlier segment.',
    reason: 'How much a model follows a prompt is its own choice.',
  },
  {
    id: 'audio.prompt.language',
    spec: SPEC,
    says: 'A prompt is in the language of the audio, or in English where that is translated.',
    reason: 'It is a duty of clients.',
  },
  {
    id: 'audio.temperature.zero',
    spec: SPEC,
    says: 'At temperature 0 the model raises it by itself until it is sure enough.',
    reason: 'The internal steps of a model are not visible in a response.',
  },
  {
    id: 'audio.times.latency',
    spec: SPEC,
    says: 'Times of segments cost no time, times of words do.',
    reason: 'The latency of a response is never judged.',
  },
  {
    id: 'audio.translation.english',
    spec: SPEC,
    says: 'A translation is English.',
    reason:
      'The wording of a model is for readers to judge; guessing its language would report false violations.',
  },
];
