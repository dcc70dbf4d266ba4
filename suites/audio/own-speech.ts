import { Body } from '../../exchange/http/body.ts';
import { uploadedPart } from '../files/file.ts';
import { follow, LruMap } from '../vocabulary/collecting.ts';
import { textAt } from '../vocabulary/json.ts';
import type { Call, Evidence, Selector } from '../vocabulary/types.ts';
import { requestedFormat, requestedSpeed, SPEECH, speechResults } from './speech.ts';
import { TRANSCRIPTION } from './transcriptions.ts';

/** Maximum number of speeches that are remembered, each with all its bytes. */
const MAX_OWN_SPEECHES = 50;

export interface OwnSpeech extends Evidence {
  readonly input: string;
  /** The requested format; default: `mp3`. */
  readonly format: string;
  /** The requested speed, as a factor; default: 1. Null if it is invalid. */
  readonly speed: number | null;
  readonly transcription: Call;
}

type SpokenText = Pick<OwnSpeech, 'input' | 'format' | 'speed'> & { readonly call: Call };

/** Transcriptions of a file with exactly the bytes of an earlier speech, which are in a known container. */
export const ownSpeechTranscripts: Selector<OwnSpeech> = follow(
  [TRANSCRIPTION, SPEECH],
  () => {
    const results = speechResults.collect();
    /** Speeches by the SHA-256 digest of their bytes. */
    const speeches = new LruMap<SpokenText>(MAX_OWN_SPEECHES);
    return (call) => {
      if (call.operation.id === SPEECH) {
        for (const { asked, bytes, audio } of results.call(call)) {
          if (audio() === null) continue;
          const spoken = { input: textAt(asked, 'input') ?? '', speed: requestedSpeed(asked) };
          const format = requestedFormat(asked) ?? 'mp3';
          speeches.set(Body.from(bytes).sha256, { ...spoken, format, call });
        }
        return [];
      }
      const part = uploadedPart(call.exchange);
      const known = part === null ? undefined : speeches.get(part.body.sha256);
      if (known === undefined) return [];
      const { call: speech, ...spoken } = known;
      return [{ ...spoken, transcription: call, exchanges: [speech.exchange, call.exchange] }];
    };
  },
  'a transcription of audio, in a container that can be read, that the service spoke before',
);
