import { type ScenarioContext, scenario } from '../../drive/scenario/scenario.ts';
import { decodedContent } from '../../exchange/http/content.ts';
import { type FileValue, formParts } from '../generate/requests.ts';

import { sendRuleProbes } from '../generate/rule-probes.ts';
import { wavFile } from '../generate/sample-files.ts';
import type { Json } from '../vocabulary/types.ts';
import { ONLY_MODEL, speechText, toneRecording } from './samples.ts';

/** Speech made by the target is sent back to it as a file to transcribe and to translate. */
export const audioTranscriptionOwnSpeechScenario = scenario({
  name: 'audio.transcription.own-speech',
  operations: ['createSpeech', 'createTranscription', 'createTranslation'],
  roles: ['speech', 'transcription'],
  run: runAudioTranscriptionOwnSpeech,
});

async function runAudioTranscriptionOwnSpeech(context: ScenarioContext): Promise<void> {
  for (const [response_format, type] of [
    ['mp3', 'audio/mpeg'],
    ['wav', 'audio/wav'],
    ['flac', 'audio/flac'],
  ] as const) {
    const speech = await createSpeech(context, { response_format });
    const { response } = speech.exchange;
    const file = response === null ? null : (decodedContent(response)?.bytes ?? null);
    if (!speech.ok || file === null) continue;
    const speechFile = { file: { file, filename: `speech.${response_format}`, type } };
    await createTranscription(context, speechFile);
    if (response_format !== 'wav') continue;
    await createTranscription(context, {
      ...speechFile,
      response_format: 'verbose_json',
      'timestamp_granularities[]': ['word', 'segment'],
    });
    await context.call('createTranslation', {
      form: formParts({ ...speechFile, model: context.model('transcription') }),
    });
    // A tone may be transcribed as nothing; the other formats then have nothing to judge.
    for (const format of ['text', 'text', 'srt', 'srt', 'vtt', 'vtt']) {
      await createTranscription(context, { ...speechFile, response_format: format, temperature: 0 });
    }
  }
}

/**
 * The same audio in every format, each twice, which distinguishes a model that varies its words from a format that
 * loses words.
 */
export const audioTranscriptionFormatsScenario = scenario({
  name: 'audio.transcription.formats',
  operations: ['createTranscription'],
  roles: ['transcription'],
  run: async (context) => {
    const file = wavFile('tone.wav', 6);
    for (const response_format of ['json', 'text', 'srt', 'vtt', 'verbose_json']) {
      await createTranscription(context, { file, response_format, temperature: 0 });
      await createTranscription(context, { file, response_format, temperature: 0 });
    }
  },
});

/** `timestamp_granularities[]` with words, with segments, and with both. */
export const audioTranscriptionTimesScenario = scenario({
  name: 'audio.transcription.times',
  operations: ['createTranscription'],
  roles: ['transcription'],
  run: async (context) => {
    const common = { file: wavFile('tone.wav', 2), response_format: 'verbose_json' };
    for (const granularities of [['word'], ['segment'], ['word', 'segment']]) {
      await createTranscription(context, { ...common, 'timestamp_granularities[]': granularities });
    }
  },
});

export const audioTranscriptionLanguagesScenario = scenario({
  name: 'audio.transcription.languages',
  operations: ['createTranscription'],
  roles: ['transcription'],
  run: async (context) => {
    await createTranscription(context, { file: toneRecording(), language: 'de', prompt: 'Ein Ton.' });
    await createTranscription(context, { file: toneRecording(), language: 'english' });
  },
});

export const audioTranslationFormatsScenario = scenario({
  name: 'audio.translation.formats',
  operations: ['createTranslation'],
  roles: ['transcription'],
  run: async (context) => {
    for (const response_format of ['json', 'text', 'srt', 'vtt', 'verbose_json']) {
      const fields = { file: toneRecording(), model: context.model('transcription'), response_format };
      await context.call('createTranslation', { form: formParts({ ...fields, prompt: 'A tone.' }) });
    }
  },
});

/** The only model that is offered, and a model name that does not exist. */
export const onlyModel = (['createTranscription', 'createTranslation'] as const).map((operation) =>
  scenario({
    name: `audio.only-model.${operation}`,
    operations: [operation],
    cost: ['audio'],
    roles: ['transcription'],
    run: (context) => {
      const by = (model: string) => ({ form: formParts({ file: toneRecording(), model }) });
      return sendRuleProbes(context, {
        operation,
        pointer: 'body.model',
        keyword: ONLY_MODEL,
        keeping: [by(context.model('transcription'))],
        breaking: [by('assay_no_such_model')],
      });
    },
  }),
);

function createSpeech(context: ScenarioContext, fields: Readonly<Record<string, Json>>) {
  const body = { model: context.model('speech'), input: speechText, voice: 'nova', ...fields };
  return context.call('createSpeech', { body });
}

function createTranscription(context: ScenarioContext, fields: Readonly<Record<string, Json | FileValue>>) {
  const form = formParts({ model: context.model('transcription'), ...fields });
  return context.call('createTranscription', { form });
}
