import { decodedContent } from '../../../exchange/http/content.ts';
import { textAt } from '../../vocabulary/json.ts';
import { ofRequest, stateless, where } from '../../vocabulary/selectors.ts';
import type { Call, Condition, Evidence, Json, Selector } from '../../vocabulary/types.ts';
import type { AudioInfo } from '../container/audio.ts';
import { readAudio } from '../container/read.ts';

/** Operation of the specification that returns audio (part 2, "Audio"). */
export const SPEECH = 'createSpeech';

/** A complete 2xx response to a request for speech. */
export interface SpeechResult extends Evidence {
  readonly call: Call;
  /** The request body. */
  readonly asked: Json | undefined;
  /** The response body without its content encoding. */
  readonly bytes: Uint8Array;
  /**
   * Container and duration of the bytes, parsed on the first call; null where they are not in a known
   * container.
   */
  readonly audio: () => AudioInfo | null;
}

/** Every complete response with speech whose bytes were recorded, filtered by the request body. */
export function speechResults(asks?: Condition<Json | undefined>): Selector<SpeechResult> {
  return asks === undefined ? allSpoken : where(allSpoken, ofRequest(asks));
}

/** The requested format; null where the request has none. */
export function requestedFormat(asked: Json | undefined): string | null {
  return textAt(asked, 'response_format') ?? null;
}

/** Whether the input has a letter or a digit. Speech of anything else may have no duration. */
export function hasWords(asked: Json | undefined): boolean {
  return /[\p{L}\p{N}]/u.test(textAt(asked, 'input') ?? '');
}

const allSpoken: Selector<SpeechResult> = stateless<SpeechResult>(
  'spoken',
  SPEECH,
  { needs: 'a whole answer 2xx with speech' },
  (call) => {
    const { response } = call.exchange;
    if (call.responseClass !== 'accepted' || response === null || !call.complete) return [];
    const bytes = decodedContent(response)?.bytes ?? null;
    if (bytes === null) return [];
    let known: { readonly audio: AudioInfo | null } | undefined;
    const audio = (): AudioInfo | null => {
      known ??= { audio: readAudio(bytes) };
      return known.audio;
    };
    return [{ exchanges: [call.exchange], call, asked: call.requestJson, bytes, audio }];
  },
);
