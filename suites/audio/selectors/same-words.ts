import { createHash } from 'node:crypto';
import { isObject } from '../../../judge/evidence/json.ts';
import { LruMap } from '../../../judge/evidence/lru-map.ts';
import type { Collector, Evidence, Selector } from '../../../judge/requirements/requirement.ts';
import type { Call } from '../../../judge/trace/call.ts';
import {
  allTranscriptions,
  TRANSCRIPTION,
  type TranscriptionResult,
  transcribedWords,
} from './transcription-results.ts';

/** The words of one format, each time that it was asked for. */
export interface FormatTranscript {
  readonly format: string;
  readonly words: readonly string[];
  /** The last exchange that shows them. */
  readonly exchange: string;
}

/** Transcriptions of the same audio that differ in nothing but their format; at least two formats. */
export interface SameAudioTranscripts extends Evidence {
  readonly wordings: readonly FormatTranscript[];
}

interface Group {
  readonly heard: TranscriptionResult[];
}

/** How many transcriptions of the same audio are kept, and of how many files; each is held with all its bytes. */
const KEPT = 16;
const FILES = 20;

/** Told when the trace is over. */
export function sameAudioTranscripts(): Selector<SameAudioTranscripts> {
  return selector;
}

const selector: Selector<SameAudioTranscripts> = {
  operations: [TRANSCRIPTION],
  variant: null,
  collect: () => new SameAudioCollector(),
};

class SameAudioCollector implements Collector<SameAudioTranscripts> {
  readonly #heard = allTranscriptions(TRANSCRIPTION).collect();
  readonly #groups = new LruMap<Group>(FILES);

  call(call: Call): readonly SameAudioTranscripts[] {
    for (const one of this.#heard.call(call)) {
      if (one.file === null) continue;
      const group = this.#groups.at(keyOf(one, one.file.body.sha256), () => ({ heard: [] }));
      if (group.heard.length < KEPT) group.heard.push(one);
    }
    return [];
  }

  finish(): readonly SameAudioTranscripts[] {
    return [...this.#groups.values()].flatMap(({ heard }) => {
      const transcripts = wordingsOf(heard);
      const isSilent = transcripts.every(({ words }) => words.every((one) => one === ''));
      return transcripts.length < 2 || isSilent
        ? []
        : [{ wordings: transcripts, exchanges: heard.flatMap((one) => one.exchanges) }];
    });
  }
}

function wordingsOf(heard: readonly TranscriptionResult[]): readonly FormatTranscript[] {
  const found = new Map<string, { words: string[]; exchange: string }>();
  for (const one of heard) {
    const words = transcribedWords(one);
    if (words === null) continue;
    const known = found.get(one.format) ?? { words: [], exchange: '' };
    known.words.push(words);
    found.set(one.format, { ...known, exchange: one.call.exchange.id });
  }
  return [...found].map(([format, known]) => ({ format, ...known }));
}

function keyOf({ asked }: TranscriptionResult, digest: string): string {
  const { response_format: _, 'timestamp_granularities[]': __, ...rest } = isObject(asked) ? asked : {};
  const fields = Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([digest, fields]))
    .digest('base64');
}
