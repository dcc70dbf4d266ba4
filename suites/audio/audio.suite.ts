import { type Stage, scenario } from '../../drive/scenario.ts';
import type { Json } from '../../exchange/body.ts';
import { authScenarios } from '../generate/auth.ts';
import type { FileValue } from '../generate/base.ts';
import { parts } from '../generate/carry.ts';
import { wav } from '../generate/files.ts';
import { probeScenarios } from '../generate/scenarios.ts';
import { tryOut } from '../generate/trials.ts';
import * as bases from './base.ts';
import { ONLY_MODEL, recording, sentence } from './samples.ts';

export const probes = probeScenarios(Object.values(bases));

export const auth = authScenarios(Object.values(bases));

const said = ['audio.speech.*'];

/** Every format, and none: what comes back is read. */
export const formats = scenario({
  name: 'audio.speech.formats',
  family: 'audio',
  operations: ['createSpeech'],
  shows: [
    'audio.speech.format-as-asked',
    'audio.speech.mp3-by-default',
    'audio.speech.pcm-is-bare',
    'audio.speech.takes-time',
    'audio.speech.media-type',
    'audio.speech.opus-container',
    'audio.speech.aac-container',
  ],
  cost: ['audio'],
  roles: ['speech'],
  run: async (stage) => {
    await speak(stage, {});
    for (const response_format of ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm']) {
      await speak(stage, { response_format });
    }
  },
});

export const speeds = scenario({
  name: 'audio.speech.speeds',
  family: 'audio',
  operations: ['createSpeech'],
  shows: ['audio.speech.faster-is-shorter'],
  cost: ['audio'],
  roles: ['speech'],
  run: async (stage) => {
    for (const speed of [0.5, 1, 2]) await speak(stage, { speed });
  },
});

/** The service hears what it said. */
export const ownSpeech = scenario({
  name: 'audio.transcription.own-speech',
  family: 'audio',
  operations: ['createSpeech', 'createTranscription', 'createTranslation'],
  shows: [
    'transcription.verbose:*',
    'audio.verbose.*',
    'audio.transcription.takes-own-speech',
    'audio.transcription.hears-own-speech',
    'audio.transcription.own-speech',
    ...said,
  ],
  cost: ['audio'],
  roles: ['speech', 'transcription'],
  run: async (stage) => {
    for (const [response_format, type] of [
      ['mp3', 'audio/mpeg'],
      ['wav', 'audio/wav'],
      ['flac', 'audio/flac'],
    ] as const) {
      const speech = await speak(stage, { response_format });
      const file = speech.exchange.response?.body.bytes ?? null;
      if (!speech.ok || file === null) continue;
      const said = { file: { file, filename: `speech.${response_format}`, type } };
      await listen(stage, said);
      if (response_format !== 'wav') continue;
      await listen(stage, {
        ...said,
        response_format: 'verbose_json',
        'timestamp_granularities[]': ['word', 'segment'],
      });
      await stage.call('createTranslation', {
        form: parts({ ...said, model: stage.model('transcription') }),
      });
    }
  },
});

/** The same audio in every format, each twice, so that a model that wavers is told from a format that loses words. */
export const written = scenario({
  name: 'audio.transcription.formats',
  family: 'audio',
  operations: ['createTranscription'],
  shows: [
    'transcription:*',
    'transcription.verbose:*',
    'createTranscription:answer#*',
    'audio.transcription.*',
    'audio.verbose.*',
    'audio.times.*',
  ],
  cost: ['audio'],
  roles: ['transcription'],
  run: async (stage) => {
    const file = wav('tone.wav', 6);
    for (const response_format of ['json', 'text', 'srt', 'vtt', 'verbose_json']) {
      await listen(stage, { file, response_format, temperature: 0 });
      await listen(stage, { file, response_format, temperature: 0 });
    }
  },
});

/** Times of words, of segments, of both. */
export const times = scenario({
  name: 'audio.transcription.times',
  family: 'audio',
  operations: ['createTranscription'],
  shows: ['transcription.verbose:*', 'audio.verbose.*', 'audio.times.*'],
  cost: ['audio'],
  roles: ['transcription'],
  run: async (stage) => {
    const common = { file: wav('tone.wav', 2), response_format: 'verbose_json' };
    for (const granularities of [['word'], ['segment'], ['word', 'segment']]) {
      await listen(stage, { ...common, 'timestamp_granularities[]': granularities });
    }
  },
});

export const languages = scenario({
  name: 'audio.transcription.languages',
  family: 'audio',
  operations: ['createTranscription'],
  shows: ['audio.language.other-than-code'],
  cost: ['audio'],
  roles: ['transcription'],
  run: async (stage) => {
    await listen(stage, { file: recording(), language: 'de', prompt: 'Ein Ton.' });
    await listen(stage, { file: recording(), language: 'english' });
  },
});

export const translations = scenario({
  name: 'audio.translation.formats',
  family: 'audio',
  operations: ['createTranslation'],
  shows: ['translation:*', 'createTranslation:answer#*', 'audio.translation.*'],
  cost: ['audio'],
  roles: ['transcription'],
  run: async (stage) => {
    for (const response_format of ['json', 'text', 'srt', 'vtt', 'verbose_json']) {
      const fields = { file: recording(), model: stage.model('transcription'), response_format };
      await stage.call('createTranslation', { form: parts({ ...fields, prompt: 'A tone.' }) });
    }
  },
});

/** The only model that is offered, and one that nobody has. */
export const onlyModel = (['createTranscription', 'createTranslation'] as const).map((operation) =>
  scenario({
    name: `audio.only-model.${operation}`,
    family: 'audio',
    operations: [operation],
    shows: ['audio.*.only-model'],
    cost: ['audio'],
    roles: ['transcription'],
    run: (stage) => {
      const by = (model: string) => ({ form: parts({ file: recording(), model }) });
      return tryOut(stage, {
        operation,
        pointer: 'body.model',
        keyword: ONLY_MODEL,
        keeping: [by(stage.model('transcription'))],
        breaking: [by('assay_no_such_model')],
      });
    },
  }),
);

function speak(stage: Stage, fields: Readonly<Record<string, Json>>) {
  const body = { model: stage.model('speech'), input: sentence, voice: 'nova', ...fields };
  return stage.call('createSpeech', { body });
}

function listen(stage: Stage, fields: Readonly<Record<string, Json | FileValue>>) {
  const form = parts({ model: stage.model('transcription'), ...fields });
  return stage.call('createTranscription', { form });
}
