import { bodyDigest, follow, LruMap } from '../vocabulary/collecting.ts';
import { isObject, textAt } from '../vocabulary/json.ts';
import type { Call, Evidence, Selector } from '../vocabulary/types.ts';
import { joinCues, readSrt, readVtt, removeMarkup } from './captions.ts';
import { allTranscriptions, TRANSCRIPTION, type TranscriptionResult } from './transcriptions.ts';

export interface FormatTranscript {
  readonly format: string;
  readonly texts: readonly string[];
  /** Id of the exchange with the first text. */
  readonly exchange: string;
}

/** Transcriptions of the same audio in at least two formats, by requests that are otherwise equal (`audioKey`). */
export interface SameAudioTranscripts extends Evidence {
  readonly transcripts: readonly FormatTranscript[];
}

/** Maximum number of transcriptions of the same audio, which are kept with all their bytes. */
const MAX_TRANSCRIPTIONS = 16;
const MAX_GROUPS = 20;

export const sameAudioTranscripts: Selector<SameAudioTranscripts> = follow(
  [TRANSCRIPTION],
  () => {
    const collector = allTranscriptions(TRANSCRIPTION).collect();
    const groups = new LruMap<TranscriptionResult[]>(MAX_GROUPS);
    return {
      call: (call: Call) => {
        for (const result of collector.call(call)) {
          if (result.file === null) continue;
          const group = groups.at(audioKey(result, result.file.body.sha256), () => []);
          if (group.length < MAX_TRANSCRIPTIONS) group.push(result);
        }
        return [];
      },
      finish: () => [...groups.values()].flatMap(compareFormats),
    };
  },
  'transcriptions of the same audio in two formats',
);

function compareFormats(transcriptions: readonly TranscriptionResult[]): readonly SameAudioTranscripts[] {
  const transcripts = transcriptsByFormat(transcriptions);
  const isSilent = transcripts.every(({ texts }) => texts.every((text) => text === ''));
  if (transcripts.length < 2 || isSilent) return [];
  return [{ transcripts, exchanges: transcriptions.flatMap(({ exchanges }) => exchanges) }];
}

function transcriptsByFormat(transcriptions: readonly TranscriptionResult[]): readonly FormatTranscript[] {
  const byFormat = new Map<string, FormatTranscript>();
  for (const result of transcriptions) {
    const text = transcribedWords(result);
    if (text === null) continue;
    const { format, call } = result;
    const { texts, exchange } = byFormat.get(format) ?? { texts: [], exchange: call.exchange.id };
    byFormat.set(format, { format, texts: [...texts, text], exchange });
  }
  return [...byFormat.values()];
}

/** Identifies requests with the same file and fields, in any order, apart from the format and its granularities. */
function audioKey({ asked }: TranscriptionResult, digest: string): string {
  const { response_format: _, 'timestamp_granularities[]': __, ...rest } = isObject(asked) ? asked : {};
  return bodyDigest([digest, rest]);
}

function transcribedWords(result: TranscriptionResult): string | null {
  return textOf(result)?.split(/\s+/).filter(Boolean).join(' ') ?? null;
}

function textOf({ format, responseText, answer }: TranscriptionResult): string | null {
  switch (format) {
    case 'text':
      return responseText;
    case 'srt':
      return joinCues(readSrt(responseText).cues);
    case 'vtt':
      return removeMarkup(joinCues(readVtt(responseText).cues));
    default:
      return textAt(answer, 'text') ?? null;
  }
}
