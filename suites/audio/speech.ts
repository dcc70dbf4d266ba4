import { decodedContent } from '../../exchange/http/content.ts';
import { computeOnce } from '../rows/on-first-use.ts';
import { textAt, valueAtPath } from '../vocabulary/json.ts';
import { stateless } from '../vocabulary/selectors.ts';
import type { Call, Evidence, Json, Selector } from '../vocabulary/types.ts';
import { type AudioInfo, readAudio } from './container.ts';

export const SPEECH = 'createSpeech';
const MIN_SPEED = 0.25;
const MAX_SPEED = 4;

export interface SpeechResult extends Evidence {
  readonly call: Call;
  readonly asked: Json | undefined;
  /** The response body without its content encoding. */
  readonly bytes: Uint8Array;
  /** Container and duration of the bytes, parsed on the first call; null if they are not in a known container. */
  readonly audio: () => AudioInfo | null;
}

export function requestedFormat(asked: Json | undefined): string | null {
  return textAt(asked, 'response_format') ?? null;
}

/** As a factor; default: 1. Null for an invalid speed: a service that accepts it may speak at any other. */
export function requestedSpeed(asked: Json | undefined): number | null {
  const speed = valueAtPath(asked, 'speed') ?? 1;
  return typeof speed === 'number' && speed >= MIN_SPEED && speed <= MAX_SPEED ? speed : null;
}

export const speechResults: Selector<SpeechResult> = stateless<SpeechResult>(
  'speech',
  SPEECH,
  { needs: 'a whole 2xx answer with speech' },
  (call) => {
    const { response } = call.exchange;
    if (call.responseClass !== 'accepted' || response === null || !call.complete) return [];
    const bytes = decodedContent(response)?.bytes ?? null;
    if (bytes === null) return [];
    const audio = computeOnce(() => readAudio(bytes));
    return [{ exchanges: [call.exchange], call, asked: call.requestJson, bytes, audio }];
  },
);
