// Speech, transcription and translation (2 Audio). Speech is a sequence of tones. A recording is transcribed by its
// length, or word by word if this service has spoken it.

import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { messageOf } from '../../schemas/error-message.ts';
import { ApiError } from '../http/api-error.ts';
import type { Upload } from '../http/form.ts';
import { BinaryResponse } from '../http/response.ts';
import { type HandlerRequest, type Routes, serves } from '../http/route.ts';
import { fileRules } from '../http/validation.ts';
import { modelsOf } from '../model/catalogue.ts';
import { perService, type Service } from '../state/service.ts';
import { audioSeconds } from './duration.ts';
import { encodeSpeech, mediaTypes, type SpeechFormat } from './encode.ts';
import { asSubRip, asWebVtt, type Transcript, transcribe, verboseTranscript } from './transcript.ts';

interface SpeechRequest {
  readonly model: string;
  readonly input: string;
  readonly voice: string;
  readonly response_format?: SpeechFormat;
  /** 0.25 to 4; the duration is divided by it. Default 1. */
  readonly speed?: number;
}

interface ListenRequest {
  readonly model: string;
  /** ISO 639-1 code of the input; named in `verbose_json` only. */
  readonly language?: string;
  readonly response_format?: 'json' | 'text' | 'srt' | 'verbose_json' | 'vtt';
  readonly temperature?: number;
  /** `word` and `segment`; used by `verbose_json` only. Default: segment. */
  readonly 'timestamp_granularities[]'?: readonly string[];
}

interface Listened {
  readonly task: string;
  readonly language: string;
}

export const routes: Routes = (service) => [
  // Equal requests get equal bytes. The text is remembered, so that a transcription can return it.
  serves<SpeechRequest>('createSpeech', async ({ body }) => {
    modelsOf(service).need(body.model, 'speech');
    const format = body.response_format ?? 'mp3';
    const { input, voice, speed = 1 } = body;
    const file = await encodeSpeech({ text: input, voice, speed }, format);
    keepSpeech(speechesOf(service), file, input);
    return new BinaryResponse(mediaTypes[format], file, file.byteLength);
  }),
  // An unknown language is rejected before the recording is read.
  serves<ListenRequest>('createTranscription', async (request) => {
    const language = languageName(request.body.language);
    return transcriptResponse(
      service,
      await listen(request, 'createTranscription'),
      { task: 'transcribe', language },
      request.body,
    );
  }),
  // The stand-in model has no languages: a translation is the transcription, labelled English.
  serves<ListenRequest>('createTranslation', async (request) =>
    transcriptResponse(
      service,
      await listen(request, 'createTranslation'),
      { task: 'translate', language: 'english' },
      request.body,
    ),
  ),
];

async function listen(
  { service, body, uploads }: HandlerRequest<ListenRequest>,
  operation: string,
): Promise<Transcript> {
  modelsOf(service).need(body.model, 'transcription');
  const upload = uploads.get('file');
  if (upload === undefined) throw ApiError.invalid('file', "Missing required parameter: 'file'.");
  // The specification lists file name extensions, not media types.
  const { formats } = fileRules(operation, 'file');
  const duration = await recordingDuration(upload, Array.isArray(formats) ? formats : []);
  const known = speechesOf(service).get(await upload.content.digest());
  const transcript = transcribe(duration, heardOf(service, known));
  if (service.takes('audio.times.order') === 'in order') return transcript;
  return { ...transcript, words: transcript.words.toReversed(), segments: transcript.segments.toReversed() };
}

function heardOf(service: Service, spoken: string | undefined): string | undefined {
  if (spoken === undefined || service.takes('audio.transcription.own-speech') === 'all') return spoken;
  const words = spoken.split(/\s+/);
  return words.length < 2 ? spoken : words.filter((_, n) => n % 3 !== 1).join(' ');
}

function transcriptResponse(service: Service, transcript: Transcript, about: Listened, body: ListenRequest) {
  switch (body.response_format ?? 'json') {
    case 'json':
      return { text: transcript.text };
    case 'text':
      return plainText(`${transcript.text}\n`);
    case 'srt':
      return plainText(asSubRip(transcript));
    case 'vtt':
      return plainText(asWebVtt(transcript));
    case 'verbose_json': {
      const granularities = shownTimes(service, body['timestamp_granularities[]']);
      return verboseTranscript(transcript, { ...about, temperature: body.temperature ?? 0 }, granularities);
    }
  }
}

/** The times in verbose transcriptions if the request names none, by alternative of the choice. */
const timesByDefault: Readonly<Record<string, readonly string[]>> = {
  segments: ['segment'],
  words: ['word'],
  both: ['word', 'segment'],
};

function shownTimes(service: Service, asked: readonly string[] | undefined): readonly string[] {
  if (asked === undefined) return timesByDefault[service.takes('audio.verbose.default-times')] ?? [];
  const showsAll = asked.length > 0 && service.takes('audio.verbose.unasked-times') === 'present';
  return showsAll ? ['word', 'segment'] : asked;
}

/** The specification states no media type; `text/plain` is customary. */
function plainText(text: string): BinaryResponse {
  return new BinaryResponse('text/plain; charset=utf-8', text);
}

/** The English name of a language code: `german` for `de`. */
function languageName(code = 'en'): string {
  try {
    const name = new Intl.DisplayNames(['en'], { type: 'language' }).of(code);
    return (name ?? code).toLowerCase();
  } catch {
    throw ApiError.invalid(
      'language',
      `'language' must be an ISO-639-1 code such as 'en', but is '${code}'.`,
    );
  }
}

/**
 * The duration of an uploaded recording in seconds, rounded to milliseconds.
 * @throws ApiError 400 for a file name extension that `formats` does not list, and for bytes that are not a complete recording.
 */
async function recordingDuration(upload: Upload, formats: readonly unknown[]): Promise<number> {
  const extension = extname(upload.filename).slice(1).toLowerCase();
  if (!formats.includes(extension)) {
    const found = extension === '' ? 'has none' : `is '${extension}'`;
    throw ApiError.invalid(
      'file',
      `The ending of the file name must be one of ${formats.join(', ')}, but ${found}.`,
    );
  }
  try {
    return Math.round(audioSeconds(await upload.content.bytes()) * 1000) / 1000;
  } catch (error) {
    throw ApiError.invalid('file', `'file' cannot be read as audio: ${messageOf(error)}`);
  }
}

/** Speeches that are remembered; the oldest is dropped first. */
const MAX_TEXTS = 1000;

/** The texts of the speeches of a service, by SHA-256 of the file, so that it can transcribe them word by word. */
const speechesOf = perService(() => new Map<string, string>());

function keepSpeech(speeches: Map<string, string>, file: Uint8Array, text: string): void {
  speeches.set(createHash('sha256').update(file).digest('hex'), text);
  const oldest = speeches.size > MAX_TEXTS ? speeches.keys().next().value : undefined;
  if (oldest !== undefined) speeches.delete(oldest);
}
