import type { Json } from '../../exchange/body.ts';
import { decoded } from '../../exchange/content.ts';
import type { Call } from '../../judge/call.ts';
import { text } from '../../judge/json.ts';
import type { Evidence, Selector } from '../../judge/requirement.ts';
import { only, stateless } from '../../judge/selectors/answers.ts';
import type { Audio } from './container/audio.ts';
import { readAudio } from './container/read.ts';

export const SPEECH = 'createSpeech';

/** A whole answer 2xx to a request for speech. */
export interface Spoken extends Evidence {
  readonly call: Call;
  readonly asked: Json | undefined;
  readonly bytes: Uint8Array;
  /** What its bytes are, read when it is first asked for; null where they are in no container. */
  readonly audio: () => Audio | null;
}

/** Every whole speech whose bytes were kept. */
export function spoken(asks: (asked: Json | undefined) => boolean = () => true): Selector<Spoken> {
  return only(allSpoken(), ({ asked }) => asks(asked));
}

/** The format that is asked for; null where none is. */
export function askedFormat(asked: Json | undefined): string | null {
  return text(asked, 'response_format') ?? null;
}

/** Whether there is a word to say; anything else may take no time. */
export function hasWords(asked: Json | undefined): boolean {
  return /[\p{L}\p{N}]/u.test(text(asked, 'input') ?? '');
}

function allSpoken(): Selector<Spoken> {
  return stateless<Spoken>('spoken', SPEECH, {}, (call) => {
    const { response } = call.exchange;
    if (call.outcome !== 'accepted' || response === null || !call.complete) return [];
    const bytes = decoded(response)?.bytes ?? null;
    if (bytes === null) return [];
    let known: { readonly audio: Audio | null } | undefined;
    const audio = (): Audio | null => {
      known ??= { audio: readAudio(bytes) };
      return known.audio;
    };
    return [{ exchanges: [call.exchange], call, asked: call.asked, bytes, audio }];
  });
}
