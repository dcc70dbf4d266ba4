import { bodyDigest, follow, LruMap } from '../../vocabulary/collecting.ts';
import { isObject } from '../../vocabulary/json.ts';
import type { Call, Evidence, Selector } from '../../vocabulary/types.ts';
import {
  allTranscriptions,
  TRANSCRIPTION,
  type TranscriptionResult,
  transcribedWords,
} from './transcription-results.ts';

/** The texts of one format, one for each time that it was requested. */
export interface FormatTranscript {
  readonly format: string;
  readonly words: readonly string[];
  /** Id of the last exchange that has them. */
  readonly exchange: string;
}

/** Transcriptions of the same audio by requests that differ in their format only; at least two formats. */
export interface SameAudioTranscripts extends Evidence {
  readonly wordings: readonly FormatTranscript[];
}

/** Limits of memory: transcriptions of the same audio, and different files; each is held with all its bytes. */
const KEPT = 16;
const FILES = 20;

/** Transcriptions of the same audio in several formats. The evidence is complete at the end of the trace. */
export const sameAudioTranscripts: Selector<SameAudioTranscripts> = follow(
  [TRANSCRIPTION],
  () => {
    const all = allTranscriptions(TRANSCRIPTION).collect();
    const groups = new LruMap<TranscriptionResult[]>(FILES);
    return {
      call: (call: Call) => {
        for (const one of all.call(call)) {
          if (one.file === null) continue;
          const group = groups.at(keyOf(one, one.file.body.sha256), () => []);
          if (group.length < KEPT) group.push(one);
        }
        return [];
      },
      finish: () => [...groups.values()].flatMap(comparisonOf),
    };
  },
  'transcriptions of the same audio in two formats',
);

/** The texts of the same audio, if at least two formats have one and not all of them are silent. */
function comparisonOf(transcriptions: readonly TranscriptionResult[]): readonly SameAudioTranscripts[] {
  const wordings = wordingsOf(transcriptions);
  const isSilent = wordings.every(({ words }) => words.every((one) => one === ''));
  if (wordings.length < 2 || isSilent) return [];
  return [{ wordings, exchanges: transcriptions.flatMap((one) => one.exchanges) }];
}

/** The texts by format; results that cannot be read in their format are left out. */
function wordingsOf(transcriptions: readonly TranscriptionResult[]): readonly FormatTranscript[] {
  const found = new Map<string, { words: string[]; exchange: string }>();
  for (const one of transcriptions) {
    const words = transcribedWords(one);
    if (words === null) continue;
    const known = found.get(one.format) ?? { words: [], exchange: '' };
    known.words.push(words);
    found.set(one.format, { ...known, exchange: one.call.exchange.id });
  }
  return [...found].map(([format, known]) => ({ format, ...known }));
}

/** Identifies requests with the same file and the same fields, in any order, apart from the format and its granularities. */
function keyOf({ asked }: TranscriptionResult, digest: string): string {
  const { response_format: _, 'timestamp_granularities[]': __, ...rest } = isObject(asked) ? asked : {};
  return bodyDigest([digest, rest]);
}
