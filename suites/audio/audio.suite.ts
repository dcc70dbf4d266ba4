import { type ScenarioContext, scenario } from '../../drive/scenario/scenario.ts';
import { decodedContent } from '../../exchange/http/content.ts';
import { type FileValue, formParts } from '../generate/requests.ts';
import type { Json } from '../vocabulary/types.ts';
import { SPEECH_TEXT } from './samples.ts';

export const audioTranscriptionOwnSpeechScenario = scenario({
  name: 'audio.transcription.own-speech',
  operations: ['createSpeech', 'createTranscription', 'createTranslation'],
  roles: ['speech', 'transcription'],
  run: async (context) => {
    for (const [response_format, type] of [
      ['mp3', 'audio/mpeg'],
      ['wav', 'audio/wav'],
      ['flac', 'audio/flac'],
    ] as const) {
      const body = { model: context.model('speech'), input: SPEECH_TEXT, voice: 'nova', response_format };
      const speech = await context.call('createSpeech', { body });
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
      // These formats need speech, because a tone may be transcribed as nothing. Each is requested twice, because a
      // difference between formats counts only if both results of a format are equal.
      for (const format of ['text', 'text', 'srt', 'srt', 'vtt', 'vtt']) {
        await createTranscription(context, { ...speechFile, response_format: format, temperature: 0 });
      }
    }
  },
});

function createTranscription(context: ScenarioContext, fields: Readonly<Record<string, Json | FileValue>>) {
  const form = formParts({ model: context.model('transcription'), ...fields });
  return context.call('createTranscription', { form });
}
