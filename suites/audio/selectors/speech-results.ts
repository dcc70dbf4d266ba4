import type { Json } from '../../../exchange/http/body.ts';
import { decodedContent } from '../../../exchange/http/content.ts';
import { textAt } from '../../../judge/evidence/json.ts';
import { stateless, where } from '../../../judge/evidence/selectors/answers.ts';
import type { Evidence, Selector } from '../../../judge/requirements/requirement.ts';
import type { Call } from '../../../judge/trace/call.ts';
import type { AudioInfo } from '../container/audio.ts';
import { readAudio } from '../container/read.ts';

export const SPEECH = 'createSpeech';

/** A whole answer 2xx to a request for speech. */
export interface SpeechResult extends Evidence {
  readonly call: Call;
  readonly asked: Json | undefined;
  readonly bytes: Uint8Array;
  /** What its bytes are, read when it is first asked for; null where they are in no container. */
  readonly audio: () => AudioInfo | null;
}

/** Every whole speech whose bytes were kept. */
export function speechResults(
  asks: (asked: Json | undefined) => boolean = () => true,
): Selector<SpeechResult> {
  return where(allSpoken(), ({ asked }) => asks(asked));
}

/** The format that is asked for; null where none is. */
export function requestedFormat(asked: Json | undefined): string | null {
  return textAt(asked, 'response_format') ?? null;
}

/** Whether there is a word to say; anything else may take no time. */
export function hasWords(asked: Json | undefined): boolean {
  return /[\p{L}\p{N}]/u.test(textAt(asked, 'input') ?? '');
}

function allSpoken(): Selector<SpeechResult> {
  return stateless<SpeechResult>('spoken', SPEECH, {}, (call) => {
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
  });
}
