import type { Exclusion } from '../../judge/requirements/requirement.ts';

const SPEC = '2 Audio';

/** Sentences about audio that an exchange cannot show. */
export const exclusions: readonly Exclusion[] = [
  {
    id: 'audio.speech.said',
    spec: '2 What the service does',
    says: 'Speech says what its input says, in the voice that is asked for.',
    reason: 'Who speaks, and how well, is for listeners to tell; that the service hears itself is judged.',
  },
  {
    id: 'audio.language.helps',
    spec: SPEC,
    says: 'A language makes transcriptions better and faster.',
    reason: 'It is a tendency, and times are never judged.',
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
    reason: 'It is a duty of callers.',
  },
  {
    id: 'audio.temperature.zero',
    spec: SPEC,
    says: 'At temperature 0 the model raises it by itself until it is sure enough.',
    reason: 'What a model does to itself is not seen from outside.',
  },
  {
    id: 'audio.times.latency',
    spec: SPEC,
    says: 'Times of segments cost no time, times of words do.',
    reason: 'How long an answer takes is never judged.',
  },
  {
    id: 'audio.translation.english',
    spec: SPEC,
    says: 'A translation is English.',
    reason: 'Words of a model are for readers to judge; a guess at their language accuses at random.',
  },
];
