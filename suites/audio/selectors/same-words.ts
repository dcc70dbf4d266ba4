import { createHash } from 'node:crypto';
import { follow, LruMap } from '../../vocabulary/collecting.ts';
import { isObject } from '../../vocabulary/json.ts';
import type { Call, Collector, Evidence, Selector } from '../../vocabulary/types.ts';
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

interface Group {
  readonly transcriptions: TranscriptionResult[];
}

/** Limits of memory: transcriptions of the same audio, and different files; each is held with all its bytes. */
const KEPT = 16;
const FILES = 20;

/** Transcriptions of the same audio in several formats. The evidence is complete at the end of the trace. */
export const sameAudioTranscripts: Selector<SameAudioTranscripts> = follow(
  [TRANSCRIPTION],
  () => new SameAudioCollector(),
  'transcriptions of the same audio in two formats',
);

class SameAudioCollector implements Collector<SameAudioTranscripts> {
  readonly #transcriptions = allTranscriptions(TRANSCRIPTION).collect();
  readonly #groups = new LruMap<Group>(FILES);

  call(call: Call): readonly SameAudioTranscripts[] {
    for (const one of this.#transcriptions.call(call)) {
      if (one.file === null) continue;
      const group = this.#groups.at(keyOf(one, one.file.body.sha256), () => ({ transcriptions: [] }));
      if (group.transcriptions.length < KEPT) group.transcriptions.push(one);
    }
    return [];
  }

  finish(): readonly SameAudioTranscripts[] {
    return [...this.#groups.values()].flatMap(({ transcriptions }) => {
      const transcripts = wordingsOf(transcriptions);
      const isSilent = transcripts.every(({ words }) => words.every((one) => one === ''));
      return transcripts.length < 2 || isSilent
        ? []
        : [{ wordings: transcripts, exchanges: transcriptions.flatMap((one) => one.exchanges) }];
    });
  }
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
/** Requests with equal keys differ in nothing but the format. */
function keyOf({ asked }: TranscriptionResult, digest: string): string {
  const { response_format: _, 'timestamp_granularities[]': __, ...rest } = isObject(asked) ? asked : {};
  const fields = Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([digest, fields]))
    .digest('base64');
}
