// Speech, transcription and translation (2 Audio). Speech is a sequence of tones. A recording gets a transcript that
// fits its length, but a recent speech of this service gets its own words.
import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { messageOf } from '../../schemas/error-message.ts';
import { ApiError, shorten } from '../http/api-error.ts';
import type { Upload } from '../http/form.ts';
import { BinaryResponse } from '../http/response.ts';
import { type HandlerRequest, type Routes, serves } from '../http/route.ts';
import { fileRules } from '../http/validation.ts';
import { modelsOf } from '../model/catalogue.ts';
import { perService, type Service } from '../state/service.ts';
import { audioSeconds } from './duration.ts';
import { encodeSpeech, mediaTypes, type SpeechFormat, type Voice } from './speech.ts';
import {
  formatSubRip,
  formatWebVtt,
  roundToMilliseconds,
  type Transcript,
  toVerboseTranscript,
  transcribe,
} from './transcript.ts';

/** The granularities of a verbose transcription that requests none, by alternative of the choice. */
const DEFAULT_TIMES: Readonly<Record<string, readonly string[]>> = {
  segments: ['segment'],
  words: ['word'],
  both: ['word', 'segment'],
};

/** Maximum number of speeches to remember; the oldest is forgotten first. */
const MAX_SPEECHES = 1000;

interface SpeechRequest {
  readonly model: string;
  readonly input: string;
  readonly voice: Voice;
  readonly response_format?: SpeechFormat;
  /** 0.25 to 4; the duration is divided by it. Default: 1. */
  readonly speed?: number;
}

interface TranscriptionRequest {
  readonly model: string;
  /** ISO 639-1 code of the input; shown in `verbose_json` only. */
  readonly language?: string;
  readonly response_format?: 'json' | 'text' | 'srt' | 'verbose_json' | 'vtt';
  readonly temperature?: number;
  /** `word` and `segment`; a translation ignores them. Default: by the choice `audio.verbose.default-times`. */
  readonly 'timestamp_granularities[]'?: readonly string[];
}

export const routes: Routes = (service) => [
  serves<SpeechRequest>('createSpeech', async ({ body }) => {
    modelsOf(service).need(body.model, 'speech');
    const format = body.response_format ?? 'mp3';
    const { input, voice, speed = 1 } = body;
    const file = await encodeSpeech({ text: input, voice, speed }, format);
    rememberSpeech(speechesOf(service), file, input);
    return new BinaryResponse(mediaTypes[format], file, file.byteLength);
  }),
  serves<TranscriptionRequest>('createTranscription', (request) => {
    const { language, 'timestamp_granularities[]': granularities } = request.body;
    const labels = { task: 'transcribe', language: languageName(language) };
    return answerTranscript(request, 'createTranscription', labels, granularities);
  }),
  // The stand-in model has no languages: a translation is the transcription, labelled English.
  serves<TranscriptionRequest>('createTranslation', (request) =>
    answerTranscript(request, 'createTranslation', { task: 'translate', language: 'english' }),
  ),
];

async function transcribeUpload(
  { service, body, uploads }: HandlerRequest<TranscriptionRequest>,
  operation: string,
): Promise<Transcript> {
  modelsOf(service).need(body.model, 'transcription');
  const upload = uploads.get('file');
  if (upload === undefined) throw ApiError.invalid('file', "Missing required parameter: 'file'.");
  // The specification lists file name extensions, not media types.
  const { formats } = fileRules(operation, 'file');
  const duration = await recordingDuration(upload, Array.isArray(formats) ? formats : []);
  const spoken = speechesOf(service).get(await upload.content.digest());
  const transcript = transcribe(duration, recognizedText(service, spoken));
  if (service.takes('audio.times.order') === 'in order') return transcript;
  return { ...transcript, words: transcript.words.toReversed(), segments: transcript.segments.toReversed() };
}

function recognizedText(service: Service, spoken: string | undefined): string | undefined {
  if (spoken === undefined || service.takes('audio.transcription.own-speech') === 'all') return spoken;
  const words = spoken.split(/\s+/);
  return words.length < 2 ? spoken : words.filter((_, n) => n % 3 !== 1).join(' ');
}

async function answerTranscript(
  request: HandlerRequest<TranscriptionRequest>,
  operation: string,
  labels: { readonly task: string; readonly language: string },
  requested?: readonly string[],
) {
  const { service, body } = request;
  const transcript = await transcribeUpload(request, operation);
  switch (body.response_format ?? 'json') {
    case 'json':
      return { text: transcript.text };
    case 'text':
      return plainText(`${transcript.text}\n`);
    case 'srt':
      return plainText(formatSubRip(transcript));
    case 'vtt':
      return plainText(formatWebVtt(transcript));
    case 'verbose_json':
      return toVerboseTranscript(
        transcript,
        { ...labels, temperature: body.temperature ?? 0 },
        granularitiesOf(service, requested),
      );
  }
}

function granularitiesOf(service: Service, requested: readonly string[] | undefined): readonly string[] {
  if (requested === undefined) return DEFAULT_TIMES[service.takes('audio.verbose.default-times')] ?? [];
  return service.takes('audio.verbose.unasked-times') === 'present' ? ['word', 'segment'] : requested;
}

/** The specification states no media type; `text/plain` is customary. */
function plainText(text: string): BinaryResponse {
  return new BinaryResponse('text/plain; charset=utf-8', text);
}

function languageName(code = 'en'): string {
  try {
    const name = new Intl.DisplayNames(['en'], { type: 'language' }).of(code);
    return (name ?? code).toLowerCase();
  } catch {
    throw ApiError.invalid(
      'language',
      `'language' must be an ISO 639-1 code such as 'en', but is '${shorten(code)}'.`,
    );
  }
}

/** Seconds, rounded to milliseconds. @throws ApiError 400 for an unlisted extension, or an unreadable file. */
async function recordingDuration(upload: Upload, formats: readonly unknown[]): Promise<number> {
  const extension = extname(upload.filename).slice(1).toLowerCase();
  if (!formats.includes(extension)) {
    const actual = extension === '' ? 'it has none' : `it is '${shorten(extension)}'`;
    throw ApiError.invalid(
      'file',
      `The extension of the file name must be one of ${formats.join(', ')}, but ${actual}.`,
    );
  }
  try {
    return roundToMilliseconds(audioSeconds(await upload.content.bytes()));
  } catch (error) {
    throw ApiError.invalid('file', `'file' cannot be read as audio: ${messageOf(error)}`);
  }
}

/** Spoken texts by the SHA-256 of their audio file, by which an upload of that file is recognized. */
const speechesOf = perService(() => new Map<string, string>());

function rememberSpeech(speeches: Map<string, string>, file: Uint8Array, text: string): void {
  speeches.set(createHash('sha256').update(file).digest('hex'), text);
  const oldest = speeches.size > MAX_SPEECHES ? speeches.keys().next().value : undefined;
  if (oldest !== undefined) speeches.delete(oldest);
}
