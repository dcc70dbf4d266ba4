import { bodyDigest, follow, LruMap } from '../../vocabulary/collecting.ts';
import { isObject, numberAt } from '../../vocabulary/json.ts';
import type { Call, Evidence, Selector } from '../../vocabulary/types.ts';
import { hasWords, SPEECH, type SpeechResult, speechResults } from './speech-results.ts';

/** Speech of the same text at two speeds, one at least twice the other. Durations are in seconds. */
export interface SpeedPair extends Evidence {
  readonly slow: { readonly speed: number; readonly seconds: number };
  readonly fast: { readonly speed: number; readonly seconds: number };
}

/** Speech of a request; its speed is a factor, 1 by default. */
interface Speech {
  readonly call: Call;
  readonly speed: number;
  readonly seconds: number;
}

/** Limits of memory: speeches of one text, and different texts; each speech is held with all its bytes. */
const KEPT = 8;
const TEXTS = 50;

/** Pairs of speeches whose requests differ in their speed only. */
export const speedPairs: Selector<SpeedPair> = follow(
  [SPEECH],
  () => {
    const speeches = speechResults(hasWords).collect();
    const texts = new LruMap<Speech[]>(TEXTS);
    const compare = ({ asked, call, audio }: SpeechResult): readonly SpeedPair[] => {
      const seconds = audio()?.seconds ?? null;
      if (!isObject(asked) || seconds === null) return [];
      const { speed: _, ...rest } = asked;
      const speech: Speech = { call, seconds, speed: numberAt(asked, 'speed') ?? 1 };
      const others = texts.at(bodyDigest(rest), () => []);
      const found = others.flatMap((other) => pairOf(speech, other));
      if (others.length < KEPT) others.push(speech);
      return found;
    };
    return (call) => [...speeches.call(call)].flatMap(compare);
  },
  'speech of the same text at two speeds, with a duration that can be read',
);

function pairOf(one: Speech, other: Speech): readonly SpeedPair[] {
  const [slow, fast] = one.speed < other.speed ? [one, other] : [other, one];
  // Durations of voices vary a little from one request to the next.
  if (fast.speed < 2 * slow.speed) return [];
  return [{ slow, fast, exchanges: [other.call.exchange, one.call.exchange] }];
}
