import type { ScenarioContext } from '../../drive/scenario/scenario.ts';
import { baseRequest, type ReadyRequest } from '../generate/base.ts';
import { textFile } from '../generate/files/sample-files.ts';
import { AUDIO_EXTENSIONS, toneRecording } from './samples.ts';

export const createSpeech = baseRequest({
  operation: 'createSpeech',
  ready: (context) => ({
    fields: { model: context.model('speech'), input: 'Say nothing else.', voice: 'alloy' },
    cheap: { speed: 4 },
    samples: { model: () => context.model('speech'), voice: () => 'alloy', input: () => 'Say nothing else.' },
  }),
});

export const createTranscription = baseRequest({
  operation: 'createTranscription',
  ready: (context) => {
    const plain = listening(context);
    return {
      ...plain,
      companions: (field) => (field.startsWith('timestamp') ? { response_format: 'verbose_json' } : {}),
      samples: { language: () => 'en', prompt: () => 'A tone.' },
      rules: {
        ...plain.rules,
        'timestamps-need-verbose-json': [
          {
            control: { response_format: 'verbose_json', 'timestamp_granularities[]': ['word'] },
            violation: { response_format: 'json', 'timestamp_granularities[]': ['word'] },
          },
        ],
      },
    };
  },
});

export const createTranslation = baseRequest({
  operation: 'createTranslation',
  ready: (context) => ({ ...listening(context), samples: { prompt: () => 'A tone.' } }),
});

function listening(context: ScenarioContext): ReadyRequest {
  const [first, ...others] = AUDIO_EXTENSIONS.map((extension) => ({
    control: { file: toneRecording(extension) },
  }));
  const violation = { file: textFile('notes.txt', 'This file does not contain audio.\n') };
  return {
    fields: { file: toneRecording(), model: context.model('transcription') },
    rules: { 'file.file#formats': first === undefined ? [] : [{ ...first, violation }, ...others] },
  };
}
