import type { Exchange } from '../../../exchange/exchange.ts';
import type { Json } from '../../../exchange/http/body.ts';
import { decodedContent } from '../../../exchange/http/content.ts';
import { type FormDataPart, formDataParts } from '../../../exchange/http/form-data.ts';
import { textAt, valueAtPath } from '../../../judge/evidence/json.ts';
import { stateless, where } from '../../../judge/evidence/selectors/answers.ts';
import { withBody } from '../../../judge/mutations/exchanges.ts';
import { inEveryResponse } from '../../../judge/mutations/mutations.ts';
import type { Evidence, Mutation, Selector } from '../../../judge/requirements/requirement.ts';
import type { Call } from '../../../judge/trace/call.ts';
import { readSrt, readVtt } from './captions.ts';

export const TRANSCRIPTION = 'createTranscription';
export const TRANSLATION = 'createTranslation';

/** A whole answer 2xx to a request that sends audio. */
export interface TranscriptionResult extends Evidence {
  readonly call: Call;
  readonly asked: Json | undefined;
  /** `json` unless another is asked for. */
  readonly format: string;
  /** Null where the form cannot be read. */
  readonly file: FormDataPart | null;
  /** The answer as text. */
  readonly written: string;
  readonly answer: Json | undefined;
}

/** Answers of transcriptions, or of translations, in one of these formats. */
export function transcriptionsIn(
  formats: readonly string[],
  operation: string = TRANSCRIPTION,
): Selector<TranscriptionResult> {
  return where(allTranscriptions(operation), ({ format }) => formats.includes(format));
}

export function allTranscriptions(operation: string): Selector<TranscriptionResult> {
  return stateless<TranscriptionResult>('heard', operation, {}, (call) => {
    const { response } = call.exchange;
    if (call.responseClass !== 'accepted' || response === null || !call.complete) return [];
    const written = decodedContent(response)?.text ?? null;
    if (written === null) return [];
    const { requestJson: asked, responseJson: answer, exchange } = call;
    const file = uploadedAudio(exchange);
    return [{ exchanges: [exchange], call, asked, format: formatOf(asked), file, written, answer }];
  });
}

/** `word`, `segment`; null where the request names none. */
export function granularities(asked: Json | undefined): readonly Json[] | null {
  const given = valueAtPath(asked, 'timestamp_granularities[]') ?? null;
  if (given === null) return null;
  return Array.isArray(given) ? given : [given];
}

/** The words of an answer, parted by single spaces; null where it cannot be read in its format. */
export function transcribedWords({
  format,
  written,
  answer,
}: Pick<TranscriptionResult, 'format' | 'written' | 'answer'>): string | null {
  const said = saidIn(format, written, answer);
  return said?.split(/\s+/).filter(Boolean).join(' ') ?? null;
}

function saidIn(format: string, written: string, answer: Json | undefined): string | null {
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

/** Rewrites the answers of transcriptions in one format. */
export function inTranscriptionFormat(format: string, edit: (written: string) => string): Mutation {
  return inEveryResponse(TRANSCRIPTION, (exchange) => {
    const written = exchange.response === null ? null : (decodedContent(exchange.response)?.text ?? null);
    const isMeant = written !== null && formatOfExchange(exchange) === format;
    return isMeant ? withBody(exchange, edit(written)) : exchange;
  });
}

export function uploadedAudio({ request }: Exchange): FormDataPart | null {
  return formDataParts(request)?.find(({ name, filename }) => name === 'file' && filename !== null) ?? null;
}

function formatOf(asked: Json | undefined): string {
  return textAt(asked, 'response_format') ?? 'json';
}

function formatOfExchange({ request }: Exchange): string {
  return formDataParts(request)?.find(({ name }) => name === 'response_format')?.body.text ?? 'json';
}

/** The text of WebVTT cues, whose tags say how it looks, and in which some letters are escaped. */
function unmarked(cues: string): string {
  return cues
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(amp|lt|gt|nbsp|lrm|rlm);/g, (_, name: string) => ESCAPED[name] ?? '');
}

const ESCAPED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', nbsp: ' ' };

function joined(cues: readonly { readonly text: string }[]): string {
  return cues.map((cue) => cue.text).join(' ');
}
