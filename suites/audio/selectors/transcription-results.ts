import { decodedContent } from '../../../exchange/http/content.ts';
import { type FormDataPart, formDataParts } from '../../../exchange/http/form-data.ts';
import { inEveryResponse } from '../../vocabulary/changes.ts';
import { withBody } from '../../vocabulary/exchanges.ts';
import { textAt, valueAtPath } from '../../vocabulary/json.ts';
import { stateless, that, where } from '../../vocabulary/selectors.ts';
import type { Call, Evidence, Exchange, Json, Mutation, Selector } from '../../vocabulary/types.ts';
import { type Cue, readSrt, readVtt } from './captions.ts';

/** Operations of the specification that receive audio (part 2, "Audio"). */
export const TRANSCRIPTION = 'createTranscription';
export const TRANSLATION = 'createTranslation';

/** A complete 2xx response to a request with an audio file. */
export interface TranscriptionResult extends Evidence {
  readonly call: Call;
  readonly asked: Json | undefined;
  /** The requested format; `json` unless given. */
  readonly format: string;
  /** The uploaded file; null where the form cannot be parsed. */
  readonly file: FormDataPart | null;
  /** The response body as text. */
  readonly written: string;
  /** The response body as JSON; undefined for other formats. */
  readonly answer: Json | undefined;
}

/** Responses of transcriptions, or of translations, in one of these formats. */
export function transcriptionsIn(
  formats: readonly string[],
  operation: string = TRANSCRIPTION,
): Selector<TranscriptionResult> {
  return where(
    allTranscriptions(operation),
    that(`whose request has response_format ${formats.join(' or ')}`, ({ format }) =>
      formats.includes(format),
    ),
  );
}

/** Responses of one operation in any format. */
export function allTranscriptions(operation: string): Selector<TranscriptionResult> {
  return stateless<TranscriptionResult>(
    'heard',
    operation,
    { needs: `a whole answer 2xx of ${operation} with text` },
    (call) => {
      const { response } = call.exchange;
      if (call.responseClass !== 'accepted' || response === null || !call.complete) return [];
      const written = decodedContent(response)?.text ?? null;
      if (written === null) return [];
      const { requestJson: asked, responseJson: answer, exchange } = call;
      const file = uploadedAudio(exchange);
      return [{ exchanges: [exchange], call, asked, format: formatOf(asked), file, written, answer }];
    },
  );
}

/** The requested granularities (`word`, `segment`); null where the request has none. */
export function granularities(asked: Json | undefined): readonly Json[] | null {
  const given = valueAtPath(asked, 'timestamp_granularities[]') ?? null;
  if (given === null) return null;
  return Array.isArray(given) ? given : [given];
}

/** The words of a response, separated by single spaces; null where it cannot be read in its format. */
export function transcribedWords({
  format,
  written,
  answer,
}: Pick<TranscriptionResult, 'format' | 'written' | 'answer'>): string | null {
  const text = textIn(format, written, answer);
  return text?.split(/\s+/).filter(Boolean).join(' ') ?? null;
}

function textIn(format: string, written: string, answer: Json | undefined): string | null {
  switch (format) {
    case 'text':
      return written;
    case 'srt':
      return joined(readSrt(written).cues);
    case 'vtt':
      return unmarked(joined(readVtt(written).cues));
    default:
      return textAt(answer, 'text') ?? null;
  }
}

/** Rewrites the response bodies of transcriptions in one format. */
export function inTranscriptionFormat(format: string, edit: (written: string) => string): Mutation {
  return inEveryResponse(TRANSCRIPTION, (exchange) => {
    const written = exchange.response === null ? null : (decodedContent(exchange.response)?.text ?? null);
    const isOfFormat = written !== null && formatOfExchange(exchange) === format;
    return isOfFormat ? withBody(exchange, edit(written)) : exchange;
  });
}

/** The part of a form that contains the audio; null where the form cannot be parsed, or the recording lacks the audio. */
export function uploadedAudio({ request }: Exchange): FormDataPart | null {
  const part = formDataParts(request)?.find(({ name, filename }) => name === 'file' && filename !== null);
  return part === undefined || part.body.isUnknown ? null : part;
}

function formatOf(asked: Json | undefined): string {
  return textAt(asked, 'response_format') ?? 'json';
}

function formatOfExchange({ request }: Exchange): string {
  return formDataParts(request)?.find(({ name }) => name === 'response_format')?.body.text ?? 'json';
}

/** The text of WebVTT cues without its markup tags and character references. */
function unmarked(cues: string): string {
  return cues
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(amp|lt|gt|nbsp|lrm|rlm);/g, (_, name: string) => ESCAPED[name] ?? '');
}

const ESCAPED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', nbsp: ' ' };

/** The texts of captions by their start, because captions may be written in any order. */
function joined(cues: readonly Pick<Cue, 'start' | 'text'>[]): string {
  return cues
    .toSorted((a, b) => a.start - b.start)
    .map((cue) => cue.text)
    .join(' ');
}
