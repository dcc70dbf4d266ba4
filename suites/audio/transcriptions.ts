import type { FormDataPart } from '../../exchange/http/body.ts';
import { decodedContent } from '../../exchange/http/content.ts';
import { uploadedPart } from '../files/file.ts';
import { bodyDigest, follow, LruMap } from '../vocabulary/collecting.ts';
import { arrayAt, isObject, numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { stateless, that, where } from '../vocabulary/selectors.ts';
import type { Call, Evidence, Json, Selector } from '../vocabulary/types.ts';
import { type Cue, type Flaw, joinCues, readSrt, readVtt, removeMarkup } from './captions.ts';
import { readAudio } from './container.ts';

/** The operations that receive audio (part 2, "Audio"). */
export const TRANSCRIPTION = 'createTranscription';
export const TRANSLATION = 'createTranslation';

/** A complete 2xx response to a request with an audio file. */
export interface TranscriptionResult extends Evidence {
  readonly call: Call;
  readonly asked: Json | undefined;
  /** The requested format; default: `json`. */
  readonly format: string;
  /** The uploaded file; null if the form cannot be parsed. */
  readonly file: FormDataPart | null;
  readonly written: string;
  /** The response body as JSON; undefined for other formats. */
  readonly answer: Json | undefined;
  /** Captions of a response as srt or vtt, and the lines that violate the format. */
  readonly cues: () => readonly (Cue & { readonly at: string })[];
  readonly flaws: () => readonly (Flaw & { readonly at: string })[];
  /** The requested granularities, `word` or `segment`. */
  readonly granularities: () => readonly Json[] | undefined;
  /** The list that a request for one granularity does not ask for: segments if it asks for words, otherwise words. */
  readonly unasked: () => Json | undefined;
  /** Every start and end of words and segments, in seconds, with its JSON pointer. */
  readonly times: () => readonly { readonly at: string; readonly start: number; readonly end: number }[];
  /** The duration in seconds that the response reports as a number or as a numeric string. */
  readonly duration: () => number | undefined;
  /** The duration in seconds of the audio that was sent; undefined if its container does not state it. */
  readonly length: () => number | undefined;
}

export function transcriptionsIn(formats: readonly string[]): Selector<TranscriptionResult> {
  return where(
    allTranscriptions(TRANSCRIPTION),
    that(`whose request has response_format ${formats.join(' or ')}`, ({ format }) =>
      formats.includes(format),
    ),
  );
}

export function allTranscriptions(operation: string): Selector<TranscriptionResult> {
  return stateless<TranscriptionResult>(
    'heard',
    operation,
    { needs: `a complete 2xx response of ${operation} with text` },
    (call) => {
      const { response } = call.exchange;
      if (call.responseClass !== 'accepted' || response === null || !call.complete) return [];
      const written = decodedContent(response)?.text ?? null;
      if (written === null) return [];
      const { requestJson: asked, responseJson: answer, exchange } = call;
      const file = uploadedPart(exchange);
      const format = textAt(asked, 'response_format') ?? 'json';
      const captions = () => (format === 'srt' ? readSrt(written) : readVtt(written));
      const common = { exchanges: [exchange], call, asked, format, file, written, answer };
      return [
        {
          ...common,
          cues: () => captions().cues.map((cue) => ({ ...cue, at: `line ${cue.line}` })),
          flaws: () => captions().flaws.map((flaw) => ({ ...flaw, at: `line ${flaw.line}` })),
          granularities: () => granularitiesOf(asked),
          unasked: () => valueAtPath(answer, granularitiesOf(asked)?.includes('word') ? 'segments' : 'words'),
          times: () => timesOf(answer),
          duration: () => durationOf(answer),
          length: () => readAudio(file?.body.bytes ?? new Uint8Array())?.seconds ?? undefined,
        },
      ];
    },
  );
}

function granularitiesOf(asked: Json | undefined): readonly Json[] | undefined {
  const value = valueAtPath(asked, 'timestamp_granularities[]') ?? undefined;
  return value === undefined || Array.isArray(value) ? value : [value];
}

/** The words of a response, separated by single spaces; null if it is JSON without a text. */
function transcribedWords(result: TranscriptionResult): string | null {
  return textOf(result)?.split(/\s+/).filter(Boolean).join(' ') ?? null;
}

function textOf({ format, written, answer }: TranscriptionResult): string | null {
  switch (format) {
    case 'text':
      return written;
    case 'srt':
      return joinCues(readSrt(written).cues);
    case 'vtt':
      return removeMarkup(joinCues(readVtt(written).cues));
    default:
      return textAt(answer, 'text') ?? null;
  }
}

function timesOf(answer: Json | undefined): { at: string; start: number; end: number }[] {
  return ['words', 'segments'].flatMap((field) =>
    arrayAt(answer, field).flatMap((entry, i) => {
      const [start, end] = [numberAt(entry, 'start'), numberAt(entry, 'end')];
      return start === undefined || end === undefined ? [] : [{ at: `/${field}/${i}`, start, end }];
    }),
  );
}

function durationOf(answer: Json | undefined): number | undefined {
  const reported = valueAtPath(answer, 'duration');
  const value = typeof reported === 'string' && reported.trim() !== '' ? Number(reported) : reported;
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

export interface FormatTranscript {
  readonly format: string;
  readonly texts: readonly string[];
  readonly exchange: string;
}

/** Transcriptions of the same audio by requests that differ only in their format; at least two formats. */
export interface SameAudioTranscripts extends Evidence {
  readonly wordings: readonly FormatTranscript[];
}

/** Maximum number of transcriptions of the same audio; each is kept with all its bytes. */
const MAX_TRANSCRIPTIONS = 16;
const MAX_FILES = 20;

/** Transcriptions of the same audio in several formats. The evidence is complete at the end of the trace. */
export const sameAudioTranscripts: Selector<SameAudioTranscripts> = follow(
  [TRANSCRIPTION],
  () => {
    const collector = allTranscriptions(TRANSCRIPTION).collect();
    const groups = new LruMap<TranscriptionResult[]>(MAX_FILES);
    return {
      call: (call: Call) => {
        for (const result of collector.call(call)) {
          if (result.file === null) continue;
          const group = groups.at(audioKeyOf(result, result.file.body.sha256), () => []);
          if (group.length < MAX_TRANSCRIPTIONS) group.push(result);
        }
        return [];
      },
      finish: () => [...groups.values()].flatMap(comparisonOf),
    };
  },
  'transcriptions of the same audio in two formats',
);

/** The texts of the same audio, if at least two formats have one and not all of the texts are empty. */
function comparisonOf(transcriptions: readonly TranscriptionResult[]): readonly SameAudioTranscripts[] {
  const wordings = wordingsOf(transcriptions);
  const isSilent = wordings.every(({ texts }) => texts.every((text) => text === ''));
  if (wordings.length < 2 || isSilent) return [];
  return [{ wordings, exchanges: transcriptions.flatMap(({ exchanges }) => exchanges) }];
}

/** The texts by format; JSON results without a text are left out. */
function wordingsOf(transcriptions: readonly TranscriptionResult[]): readonly FormatTranscript[] {
  const byFormat = new Map<string, FormatTranscript>();
  for (const result of transcriptions) {
    const text = transcribedWords(result);
    if (text === null) continue;
    const { format, call } = result;
    const texts = [...(byFormat.get(format)?.texts ?? []), text];
    byFormat.set(format, { format, texts, exchange: call.exchange.id });
  }
  return [...byFormat.values()];
}

/** Identifies requests with the same file and fields, in any order, apart from the format and its granularities. */
function audioKeyOf({ asked }: TranscriptionResult, digest: string): string {
  const { response_format: _, 'timestamp_granularities[]': __, ...rest } = isObject(asked) ? asked : {};
  return bodyDigest([digest, rest]);
}
