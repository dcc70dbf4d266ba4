import { decodedContent } from '../../../exchange/http/content.ts';
import { numberAt, textAt } from '../../../judge/evidence/json.ts';
import { LruMap } from '../../../judge/evidence/lru-map.ts';
import type { Collector, Evidence, Selector } from '../../../judge/requirements/requirement.ts';
import type { Call } from '../../../judge/trace/call.ts';
import { requestedFormat, SPEECH, speechResults } from './speech-results.ts';
import { TRANSCRIPTION, uploadedAudio } from './transcription-results.ts';

/** How many speeches wait to be sent back; each is held with all its bytes. */
const KEPT = 50;

/** Speech of the target itself that was sent to be transcribed. */
export interface OwnSpeech extends Evidence {
  /** What was to be said. */
  readonly input: string;
  /** `mp3` unless another was asked for. */
  readonly format: string;
  /** How fast it was said; 1 unless another speed was asked for. */
  readonly speed: number;
  readonly heard: Call;
}

type Speech = Pick<OwnSpeech, 'input' | 'format' | 'speed'> & { readonly call: Call };

/** Speeches that can be read, and whose very bytes are a file of a later transcription. */
export function ownSpeechTranscripts(): Selector<OwnSpeech> {
  return selector;
}

const selector: Selector<OwnSpeech> = {
  operations: [TRANSCRIPTION, SPEECH],
  variant: null,
  collect: () => new OwnSpeechCollector(),
};

class OwnSpeechCollector implements Collector<OwnSpeech> {
  readonly #speech = speechResults().collect();
  /** By the digest of their bytes. */
  readonly #speeches = new LruMap<Speech>(KEPT);

  call(call: Call): readonly OwnSpeech[] {
    if (call.operation.id === SPEECH) {
      for (const { asked, call: speech, audio } of this.#speech.call(call)) {
        if (audio() === null) continue;
        const { response } = speech.exchange;
        const digest = response === null ? '' : (decodedContent(response)?.sha256 ?? '');
        const said = { input: textAt(asked, 'input') ?? '', speed: numberAt(asked, 'speed') ?? 1 };
        this.#speeches.set(digest, { ...said, format: requestedFormat(asked) ?? 'mp3', call: speech });
      }
      return [];
    }
    const known = this.#speeches.get(uploadedAudio(call.exchange)?.body.sha256 ?? '');
    if (known === undefined) return [];
    const { call: speech, ...said } = known;
    return [{ ...said, heard: call, exchanges: [speech.exchange, call.exchange] }];
  }

  finish(): readonly OwnSpeech[] {
    return [];
  }
}

/** The different words of a text, without marks and capitals. */
export function wordSet(said: string): ReadonlySet<string> {
  return new Set(said.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? []);
}
