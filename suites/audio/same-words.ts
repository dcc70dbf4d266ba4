import { createHash } from 'node:crypto';
import type { Call } from '../../judge/call.ts';
import { isObject } from '../../judge/json.ts';
import { Keyed } from '../../judge/keyed.ts';
import type { Collector, Evidence, Selector } from '../../judge/requirement.ts';
import { allHeard, type Heard, TRANSCRIPTION, wordsOf } from './heard.ts';

/** The words of one format, each time that it was asked for. */
export interface Wording {
  readonly format: string;
  readonly words: readonly string[];
  /** The last exchange that shows them. */
  readonly exchange: string;
}

/** Transcriptions of the same audio that differ in nothing but their format; at least two formats. */
export interface SameAudio extends Evidence {
  readonly wordings: readonly Wording[];
}

interface Group {
  readonly heard: Heard[];
}

/** How many transcriptions of the same audio are kept, and of how many files; each is held with all its bytes. */
const KEPT = 16;
const FILES = 20;

/** Told when the trace is over. */
export function sameAudio(): Selector<SameAudio> {
  return selector;
}

const selector: Selector<SameAudio> = {
  operations: [TRANSCRIPTION],
  variant: null,
  collect: () => new SameAudioCollector(),
};

class SameAudioCollector implements Collector<SameAudio> {
  readonly #heard = allHeard(TRANSCRIPTION).collect();
  readonly #groups = new Keyed<Group>(FILES);

  call(call: Call): readonly SameAudio[] {
    for (const one of this.#heard.call(call)) {
      if (one.file === null) continue;
      const group = this.#groups.at(keyOf(one, one.file.body.sha256), () => ({ heard: [] }));
      if (group.heard.length < KEPT) group.heard.push(one);
    }
    return [];
  }

  finish(): readonly SameAudio[] {
    return [...this.#groups.values()].flatMap(({ heard }) => {
      const wordings = wordingsOf(heard);
      const isSilent = wordings.every(({ words }) => words.every((one) => one === ''));
      return wordings.length < 2 || isSilent
        ? []
        : [{ wordings, exchanges: heard.flatMap((one) => one.exchanges) }];
    });
  }
}

function wordingsOf(heard: readonly Heard[]): readonly Wording[] {
  const found = new Map<string, { words: string[]; exchange: string }>();
  for (const one of heard) {
    const words = wordsOf(one);
    if (words === null) continue;
    const known = found.get(one.format) ?? { words: [], exchange: '' };
    known.words.push(words);
    found.set(one.format, { ...known, exchange: one.call.exchange.id });
  }
  return [...found].map(([format, known]) => ({ format, ...known }));
}

function keyOf({ asked }: Heard, digest: string): string {
  const { response_format: _, 'timestamp_granularities[]': __, ...rest } = isObject(asked) ? asked : {};
  const fields = Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([digest, fields]))
    .digest('base64');
}
