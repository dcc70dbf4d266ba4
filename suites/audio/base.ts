import type { Stage } from '../../drive/scenario.ts';
import { base, type Ready } from '../generate/base.ts';
import { text } from '../generate/files.ts';
import { endings, recording } from './samples.ts';

export const createSpeech = base({
  operation: 'createSpeech',
  ready: (stage) => ({
    fields: { model: stage.model('speech'), input: 'Say nothing else.', voice: 'alloy' },
    cheap: { speed: 4 },
    samples: { model: () => stage.model('speech'), voice: () => 'alloy', input: () => 'Say nothing else.' },
  }),
});

export const createTranscription = base({
  operation: 'createTranscription',
  ready: (stage) => {
    const plain = listening(stage);
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

export const createTranslation = base({
  operation: 'createTranslation',
  ready: (stage) => ({ ...listening(stage), samples: { prompt: () => 'A tone.' } }),
});

function listening(stage: Stage): Ready {
  const [first, ...others] = endings.map((ending) => ({ control: { file: recording(ending) } }));
  const violation = { file: text('notes.txt', 'This is no audio at all.\n') };
  return {
    fields: { file: recording(), model: stage.model('transcription') },
    rules: { 'file.file#formats': first === undefined ? [] : [{ ...first, violation }, ...others] },
  };
}
