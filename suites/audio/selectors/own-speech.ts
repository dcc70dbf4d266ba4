import { decodedContent } from '../../../exchange/http/content.ts';
import { follow, LruMap } from '../../vocabulary/collecting.ts';
import { numberAt, textAt } from '../../vocabulary/json.ts';
import type { Call, Evidence, Selector } from '../../vocabulary/types.ts';
import { requestedFormat, SPEECH, speechResults } from './speech-results.ts';
import { TRANSCRIPTION, uploadedAudio } from './transcription-results.ts';

/** Limit of speeches that are kept until they are sent back; each is held with all its bytes. */
const KEPT = 50;

/** Speech made by the target that was sent back to be transcribed. */
export interface OwnSpeech extends Evidence {
  /** The text that was to be spoken. */
  readonly input: string;
  /** The requested format; `mp3` unless given. */
  readonly format: string;
  /** The requested speed, as a factor; 1 unless given. */
  readonly speed: number;
  /** The transcription or its rejection. */
  readonly transcription: Call;
}

type Speech = Pick<OwnSpeech, 'input' | 'format' | 'speed'> & { readonly call: Call };

/** Speeches in a readable container whose exact bytes are the file of a later transcription. */
export const ownSpeechTranscripts: Selector<OwnSpeech> = follow(
  [TRANSCRIPTION, SPEECH],
  () => {
    const results = speechResults().collect();
    /** Speeches by the SHA-256 digest of their bytes. */
    const speeches = new LruMap<Speech>(KEPT);
    return (call) => {
      for (const { asked, call: speech, audio } of call.operation.id === SPEECH ? results.call(call) : []) {
        if (audio() === null) continue;
        const { response } = speech.exchange;
        const digest = response === null ? '' : (decodedContent(response)?.sha256 ?? '');
        const spoken = { input: textAt(asked, 'input') ?? '', speed: numberAt(asked, 'speed') ?? 1 };
        speeches.set(digest, { ...spoken, format: requestedFormat(asked) ?? 'mp3', call: speech });
      }
      const known = speeches.get(uploadedAudio(call.exchange)?.body.sha256 ?? '');
      if (known === undefined || call.operation.id === SPEECH) return [];
      const { call: speech, ...spoken } = known;
      return [{ ...spoken, transcription: call, exchanges: [speech.exchange, call.exchange] }];
    };
  },
  'a transcription of audio, in a container that can be read, that the service spoke before',
);

/** The different words of a text, in lower case and without punctuation. */
export function wordSet(spoken: string): ReadonlySet<string> {
  return new Set(spoken.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? []);
}
