import type { ScenarioContext } from '../../drive/scenario/scenario.ts';
import { baseRequest, type ReadyRequest } from '../generate/requests.ts';
import { textFile } from '../generate/sample-files.ts';
import { AUDIO_EXTENSIONS, toneRecording } from './samples.ts';

export const createSpeech = baseRequest({
  operation: 'createSpeech',
  ready: (context) => ({
    fields: { model: context.model('speech') },
    samples: { model: () => context.model('speech') },
  }),
});

export const createTranscription = baseRequest({
  operation: 'createTranscription',
  ready: (context) => ({
    ...recordingRequest(context),
    companions: (field) => (field.startsWith('timestamp') ? { response_format: 'verbose_json' } : {}),
  }),
});

export const createTranslation = baseRequest({ operation: 'createTranslation', ready: recordingRequest });

function recordingRequest(context: ScenarioContext): ReadyRequest {
  const [first, ...others] = AUDIO_EXTENSIONS.map((extension) => ({
    control: { file: toneRecording(extension) },
  }));
  const violation = { file: textFile('notes.txt', 'This file does not contain audio.\n') };
  return {
    fields: { file: toneRecording(), model: context.model('transcription') },
    rules: { 'file.file#formats': first === undefined ? [] : [{ ...first, violation }, ...others] },
  };
}
