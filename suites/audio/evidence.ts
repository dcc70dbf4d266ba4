import { shows, where } from '../vocabulary/selectors.ts';
import { speechResults } from './speech.ts';
import { allTranscriptions, TRANSLATION, transcriptionsIn } from './transcriptions.ts';

/** The evidence of rows: speech, transcriptions as verbose_json, and translations in any format. */
export const evidence = {
  speech: speechResults(),
  'detailed transcription': where(transcriptionsIn(['verbose_json']), shows('text')),
  translation: allTranscriptions(TRANSLATION),
};
