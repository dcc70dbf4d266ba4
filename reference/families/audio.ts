import { Content } from '../answer.ts';
import { encodeSpeech, mediaTypes, type SpeechFormat } from '../audio/encode.ts';
import { durationOf } from '../audio/listen.ts';
import { speechesOf } from '../audio/memory.ts';
import { subRip, type Transcript, transcribe, verbose, webVtt } from '../audio/transcript.ts';
import type { Call, Routes } from '../call.ts';
import { modelsOf } from '../model/catalogue.ts';
import { Refusal } from '../refusal.ts';
import { serves } from '../route.ts';
import { fileRules } from '../validation.ts';

interface SpeechRequest {
  readonly model: string;
  readonly input: string;
  readonly voice: string;
  readonly response_format?: SpeechFormat;
  readonly speed?: number;
}

interface ListenRequest {
  readonly model: string;
  readonly language?: string;
  readonly response_format?: 'json' | 'text' | 'srt' | 'verbose_json' | 'vtt';
  readonly temperature?: number;
  readonly 'timestamp_granularities[]'?: readonly string[];
}

export const routes: Routes = (service) => [
  serves<SpeechRequest>('createSpeech', async ({ body }) => {
    modelsOf(service).need(body.model, 'speech');
    const format = body.response_format ?? 'mp3';
    const { input, voice, speed = 1 } = body;
    const speeches = speechesOf(service);
    const request = JSON.stringify([input, voice, speed, format]);
    const file = await speeches.again(request, () => encodeSpeech({ text: input, voice, speed }, format));
    speeches.keep(file, input);
    return new Content(mediaTypes[format], file, file.byteLength);
  }),
  serves<ListenRequest>('createTranscription', async (call) => {
    const language = languageName(call.body.language);
    return answer(await listen(call, 'createTranscription'), 'transcribe', language, call.body);
  }),
  serves<ListenRequest>('createTranslation', async (call) =>
    answer(await listen(call, 'createTranslation'), 'translate', 'english', call.body),
  ),
];

async function listen(
  { service, body, uploads }: Call<ListenRequest>,
  operation: string,
): Promise<Transcript> {
  modelsOf(service).need(body.model, 'transcription');
  const upload = uploads.get('file');
  if (upload === undefined) throw Refusal.invalid('file', "Missing required parameter: 'file'.");
  const { formats } = fileRules(operation, 'file');
  const duration = await durationOf(upload, Array.isArray(formats) ? formats : []);
  return transcribe(duration, speechesOf(service).recall(await upload.content.digest()));
}

function answer(transcript: Transcript, task: string, language: string, body: ListenRequest) {
  switch (body.response_format ?? 'json') {
    case 'json':
      return { text: transcript.text };
    case 'text':
      return plain(`${transcript.text}\n`);
    case 'srt':
      return plain(subRip(transcript));
    case 'vtt':
      return plain(webVtt(transcript));
    case 'verbose_json': {
      const granularities = body['timestamp_granularities[]'] ?? ['segment'];
      return verbose(transcript, { task, language, temperature: body.temperature ?? 0 }, granularities);
    }
  }
}

function plain(text: string): Content {
  return new Content('text/plain; charset=utf-8', text);
}

/** The English name of a language code: `german` for `de`. */
function languageName(code = 'en'): string {
  try {
    const name = new Intl.DisplayNames(['en'], { type: 'language' }).of(code);
    return (name ?? code).toLowerCase();
  } catch {
    throw Refusal.invalid('language', `'language' must be an ISO-639-1 code such as 'en', but is '${code}'.`);
  }
}
