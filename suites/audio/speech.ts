import { decodedContent } from '../../exchange/http/content.ts';
import { uploadedPart } from '../files/file.ts';
import { computeOnce } from '../rows/on-first-use.ts';
import { bodyDigest, follow, LruMap } from '../vocabulary/collecting.ts';
import { isObject, numberAt, textAt } from '../vocabulary/json.ts';
import { stateless } from '../vocabulary/selectors.ts';
import type { Call, Evidence, Json, Selector } from '../vocabulary/types.ts';
import { type AudioInfo, readAudio } from './container.ts';
import { TRANSCRIPTION } from './transcriptions.ts';

/** The operation that returns audio (part 2, "Audio"). */
export const SPEECH = 'createSpeech';

/** A complete 2xx response to a request for speech. */
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

/** Whether the input has a letter or a digit. Speech of anything else may have no duration. */
function hasWords(asked: Json | undefined): boolean {
  return /[\p{L}\p{N}]/u.test(textAt(asked, 'input') ?? '');
}

/** Every complete response with speech whose bytes were recorded. */
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

/** Speech of the same text at two speeds, one at least twice the other. Durations are in seconds. */
export interface SpeedPair extends Evidence {
  readonly slow: { readonly speed: number; readonly seconds: number };
  readonly fast: { readonly speed: number; readonly seconds: number };
}

/** Durations in seconds of a text that was spoken several times without a speed and several times at speed 1. */
export interface DefaultSpeeds extends Evidence {
  readonly unset: readonly number[];
  readonly atOne: readonly number[];
}

/** Speech with a known duration. The speed is a factor, 1 by default. */
interface TimedSpeech {
  readonly call: Call;
  readonly speed: number;
  readonly isUnset: boolean;
  readonly seconds: number;
}

/** Memory limits: speeches of one text, and distinct texts; each speech is kept with all its bytes. */
const MAX_SPEECHES_OF_TEXT = 8;
const MAX_TEXTS = 50;

export const speedPairs: Selector<SpeedPair> = follow(
  [SPEECH],
  () =>
    compareSpeeches((speech, others) => {
      const found = others.flatMap((other) => speedPairOf(speech, other));
      if (others.length < MAX_SPEECHES_OF_TEXT) others.push(speech);
      return found;
    }),
  'speech of the same text at two speeds, with a duration that can be read',
);

/** The minimum number of words whose duration distinguishes speeds: a pause may be longer than a few words. */
const MIN_WORDS = 6;

/** How many speeches are needed with speed 1, and again without a speed: a single one may be slow by chance. */
const REPETITIONS = 2;

/** Texts of several words whose requests differ only in whether a speed of 1 is stated or omitted. */
export const defaultSpeeds: Selector<DefaultSpeeds> = follow(
  [SPEECH],
  () =>
    compareSpeeches((speech, others) => {
      const isLong = (textAt(speech.call.requestJson, 'input') ?? '').split(/\s+/).length >= MIN_WORDS;
      const alike = others.filter(({ isUnset }) => isUnset === speech.isUnset);
      if (speech.speed !== 1 || !isLong || alike.length === REPETITIONS) return [];
      others.push(speech);
      if (others.length < 2 * REPETITIONS) return [];
      const seconds = (isUnset: boolean) =>
        others.filter((one) => one.isUnset === isUnset).map((one) => one.seconds);
      const exchanges = others.map(({ call }) => call.exchange);
      return [{ unset: seconds(true), atOne: seconds(false), exchanges }];
    }),
  'several speeches of the same text without a speed and several at speed 1, with durations that can be read',
);

/** Calls `compare` for each speech of known duration, with kept ones whose requests differ only in their speed. */
function compareSpeeches<P>(
  compare: (speech: TimedSpeech, others: TimedSpeech[]) => readonly P[],
): (call: Call) => readonly P[] {
  const speeches = speechResults.collect();
  const texts = new LruMap<TimedSpeech[]>(MAX_TEXTS);
  const compareResult = ({ asked, call, audio }: SpeechResult): readonly P[] => {
    const seconds = audio()?.seconds ?? null;
    if (!isObject(asked) || !hasWords(asked) || seconds === null) return [];
    const { speed, ...rest } = asked;
    const isUnset = (speed ?? null) === null;
    const speech: TimedSpeech = { call, seconds, isUnset, speed: numberAt(asked, 'speed') ?? 1 };
    const others = texts.at(bodyDigest(rest), () => []);
    return compare(speech, others);
  };
  return (call) => [...speeches.call(call)].flatMap(compareResult);
}

function speedPairOf(one: TimedSpeech, other: TimedSpeech): readonly SpeedPair[] {
  const [slow, fast] = one.speed < other.speed ? [one, other] : [other, one];
  // The duration of speech varies a little between requests.
  if (fast.speed < 2 * slow.speed) return [];
  return [{ slow, fast, exchanges: [other.call.exchange, one.call.exchange] }];
}

/** Maximum number of speeches kept until they are sent back; each is kept with all its bytes. */
const MAX_OWN_SPEECHES = 50;

/** Speech made by the target that was sent back to be transcribed. */
export interface OwnSpeech extends Evidence {
  readonly input: string;
  /** The requested format; default: `mp3`. */
  readonly format: string;
  /** The requested speed, as a factor; default: 1. */
  readonly speed: number;
  readonly transcription: Call;
}

type SpokenText = Pick<OwnSpeech, 'input' | 'format' | 'speed'> & { readonly call: Call };

/** Speeches in a readable container whose exact bytes a later transcription uploads. */
export const ownSpeechTranscripts: Selector<OwnSpeech> = follow(
  [TRANSCRIPTION, SPEECH],
  () => {
    const results = speechResults.collect();
    /** Speeches by the SHA-256 digest of their bytes. */
    const speeches = new LruMap<SpokenText>(MAX_OWN_SPEECHES);
    return (call) => {
      for (const { asked, call: speech, audio } of call.operation.id === SPEECH ? results.call(call) : []) {
        if (audio() === null) continue;
        const { response } = speech.exchange;
        const digest = response === null ? '' : (decodedContent(response)?.sha256 ?? '');
        const spoken = { input: textAt(asked, 'input') ?? '', speed: numberAt(asked, 'speed') ?? 1 };
        speeches.set(digest, { ...spoken, format: requestedFormat(asked) ?? 'mp3', call: speech });
      }
      const known = speeches.get(uploadedPart(call.exchange)?.body.sha256 ?? '');
      if (known === undefined || call.operation.id === SPEECH) return [];
      const { call: speech, ...spoken } = known;
      return [{ ...spoken, transcription: call, exchanges: [speech.exchange, call.exchange] }];
    };
  },
  'a transcription of audio, in a container that can be read, that the service spoke before',
);

/** The distinct words of a text, in lower case and without punctuation. */
export function wordSet(spoken: string): ReadonlySet<string> {
  return new Set(spoken.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? []);
}
