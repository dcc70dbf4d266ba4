import { createHash } from 'node:crypto';
import { isObject, numberAt } from '../../../judge/evidence/json.ts';
import { LruMap } from '../../../judge/evidence/lru-map.ts';
import type { Collector, Evidence, Selector } from '../../../judge/requirements/requirement.ts';
import type { Call } from '../../../judge/trace/call.ts';
import { hasWords, SPEECH, type SpeechResult, speechResults } from './speech-results.ts';

/** The same text spoken at two speeds, one at least twice the other. */
export interface SpeedPair extends Evidence {
  readonly slow: { readonly speed: number; readonly seconds: number };
  readonly fast: { readonly speed: number; readonly seconds: number };
}

interface Said {
  readonly call: Call;
  readonly speed: number;
  readonly seconds: number;
}

/** How many speeches of one text are kept, and of how many texts; each is held with all its bytes. */
const KEPT = 8;
const TEXTS = 50;

/** Speeches that differ in nothing but their speed. */
export function speedPairs(): Selector<SpeedPair> {
  return selector;
}

const selector: Selector<SpeedPair> = {
  operations: [SPEECH],
  variant: null,
  collect: () => new SpeedCollector(),
};

class SpeedCollector implements Collector<SpeedPair> {
  readonly #speech = speechResults(hasWords).collect();
  readonly #texts = new LruMap<Said[]>(TEXTS);

  call(call: Call): readonly SpeedPair[] {
    return [...this.#speech.call(call)].flatMap((one) => this.#compare(one));
  }

  finish(): readonly SpeedPair[] {
    return [];
  }

  #compare({ asked, call, audio }: SpeechResult): readonly SpeedPair[] {
    const seconds = audio()?.seconds ?? null;
    if (!isObject(asked) || seconds === null) return [];
    const { speed: _, ...rest } = asked;
    const said: Said = { call, seconds, speed: numberAt(asked, 'speed') ?? 1 };
    const others = this.#texts.at(keyOf(rest), () => []);
    const found = others.flatMap((other) => pairOf(said, other));
    if (others.length < KEPT) others.push(said);
    return found;
  }
}

function pairOf(one: Said, other: Said): readonly SpeedPair[] {
  const [slow, fast] = one.speed < other.speed ? [one, other] : [other, one];
  // Voices vary a little from one time to the next.
  if (fast.speed < 2 * slow.speed) return [];
  return [{ slow, fast, exchanges: [other.call.exchange, one.call.exchange] }];
}

function keyOf(rest: object): string {
  const fields = Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(fields)).digest('base64');
}
