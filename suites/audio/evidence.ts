import { shows, that, where } from '../vocabulary/selectors.ts';
import { ownSpeechTranscripts } from './own-speech.ts';
import { speechResults } from './speech.ts';
import { allTranscriptions, TRANSCRIPTION, TRANSLATION } from './transcriptions.ts';

const transcription = allTranscriptions(TRANSCRIPTION);

export const evidence = {
  speech: speechResults,
  'own speech': ownSpeechTranscripts,
  transcription,
  'detailed transcription': where(
    transcription,
    that('whose request has response_format verbose_json', ({ format }) => format === 'verbose_json'),
    shows('text'),
  ),
  translation: allTranscriptions(TRANSLATION),
};
