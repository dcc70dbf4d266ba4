import { bodyDigest, follow, LruMap } from '../vocabulary/collecting.ts';
import { isObject, textAt } from '../vocabulary/json.ts';
import type { Call, Evidence, Json, Selector } from '../vocabulary/types.ts';
import { requestedSpeed, SPEECH, type SpeechResult, speechResults } from './speech.ts';

/** Memory limits; a group has equal requests apart from the speed. Each speech is kept with all its bytes. */
const MAX_SPEECHES_PER_GROUP = 8;
const MAX_GROUPS = 50;

/** Minimum number of words in a text whose duration shows its speed: a pause may be longer than a few words. */
const MIN_WORDS = 6;
/** Speeches needed with speed 1, and as many without a speed: a single one may be slow by chance. */
const REPETITIONS = 2;

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

export const speedPairs: Selector<SpeedPair> = follow(
  [SPEECH],
  () =>
    compareSpeeches((speech, others) => {
      const pairs = others.flatMap((other) => pairSpeeds(speech, other));
      if (others.length < MAX_SPEECHES_PER_GROUP) others.push(speech);
      return pairs;
    }),
  'speech of the same text at two speeds, with a duration that can be read',
);

export const defaultSpeeds: Selector<DefaultSpeeds> = follow(
  [SPEECH],
  () =>
    compareSpeeches((speech, others) => {
      const isLong = (textAt(speech.call.requestJson, 'input') ?? '').trim().split(/\s+/).length >= MIN_WORDS;
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

function compareSpeeches<P>(
  compare: (speech: TimedSpeech, others: TimedSpeech[]) => readonly P[],
): (call: Call) => readonly P[] {
  const collector = speechResults.collect();
  const groups = new LruMap<TimedSpeech[]>(MAX_GROUPS);
  const compareResult = ({ asked, call, audio }: SpeechResult): readonly P[] => {
    const seconds = audio()?.seconds ?? null;
    const speed = requestedSpeed(asked);
    if (!isObject(asked) || !hasWords(asked) || seconds === null || speed === null) return [];
    const { speed: requested, ...rest } = asked;
    const isUnset = (requested ?? null) === null;
    return compare(
      { call, seconds, isUnset, speed },
      groups.at(bodyDigest(rest), () => []),
    );
  };
  return (call) => [...collector.call(call)].flatMap(compareResult);
}

function pairSpeeds(one: TimedSpeech, other: TimedSpeech): readonly SpeedPair[] {
  const [slow, fast] = one.speed < other.speed ? [one, other] : [other, one];
  // The duration of speech varies a little between requests.
  if (fast.speed < 2 * slow.speed) return [];
  return [{ slow, fast, exchanges: [other.call.exchange, one.call.exchange] }];
}

/** Speech of an input without letters or digits may have no duration. */
function hasWords(asked: Json | undefined): boolean {
  return /[\p{L}\p{N}]/u.test(textAt(asked, 'input') ?? '');
}
