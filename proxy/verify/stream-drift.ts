import type { Json } from '../../exchange/http/body.ts';
import type { SseEvent } from '../../exchange/http/sse-reader.ts';
import { isJsonObject } from '../../schemas/json.ts';
import { type StreamStep, StreamTracks, type Track } from './stream-tracks.ts';
import type { Drift, DriftOptions } from './value-drift.ts';

const ABSENT_STEP: StreamStep = { kind: 'absent', value: undefined, event: 0, repeats: 1 };

const MAX_DESCRIBED_STEPS = 5;

/** Members of a choice that say why it ends, such as `finish_reason`. */
const END_REASON = /^\/choices\/\d+\/\w*_reason$/;

/**
 * Compares the order of the kinds of events, then the values of each place across the stream. The number of deltas of a
 * text and the interleaving of choices are ignored, but not whether a choice continues after the reason for its end.
 */
export function findStreamDrifts(
  recorded: readonly SseEvent[],
  now: readonly SseEvent[],
  options: DriftOptions,
): Drift[] {
  const order = findOrderDrift(eventKinds(recorded), eventKinds(now));
  const before = tracksOf(recorded, options);
  const after = tracksOf(now, options);
  learnIds(before, after, options);
  const valueDrifts = [...new Set([...before.byPlace.keys(), ...after.byPlace.keys()])].flatMap((place) =>
    findTrackDrift(before.byPlace.get(place), after.byPlace.get(place), { before, after, ...options }),
  );
  return [...order, ...valueDrifts];
}

function kindOfEvent({ event, data, json }: SseEvent): string {
  return [event, kindOfData(data, json)].filter((part) => part !== '').join(' ');
}

function kindOfData(data: string, json: SseEvent['json']): string {
  if (json === null) return data;
  const object = isJsonObject(json.value) ? json.value['object'] : null;
  return typeof object === 'string' ? object : typeof json.value;
}

/** Consecutive repeats count once, because the model decides the number of deltas. */
function eventKinds(events: readonly SseEvent[]): string[] {
  const kinds = events.map(kindOfEvent);
  return kinds.filter((kind, i) => kind !== kinds[i - 1]);
}

function findOrderDrift(recorded: readonly string[], now: readonly string[]): Drift[] {
  const firstChange = recorded.findIndex((kind, i) => kind !== now[i]);
  const index = firstChange === -1 && now.length > recorded.length ? recorded.length : firstChange;
  if (index === -1) return [];
  const before = recorded[index - 1];
  const place = before === undefined ? 'the first event' : `the event after ${before}`;
  return [{ kind: 'stream-order', at: place, recorded: recorded[index], now: now[index] }];
}

function tracksOf(events: readonly SseEvent[], options: DriftOptions): StreamTracks {
  const tracks = new StreamTracks(options);
  for (const event of events) {
    if (event.json !== null) tracks.add(kindOfEvent(event), event.n, event.json.value);
  }
  return tracks;
}

/** Learns newly assigned identifiers: the n-th value of a place corresponds to its n-th recorded value. */
function learnIds(before: StreamTracks, after: StreamTracks, { ids, isSent }: DriftOptions): void {
  for (const [place, { name, steps: recorded }] of before.byPlace) {
    const now = after.byPlace.get(place)?.steps ?? [];
    for (const [i, { value }] of recorded.entries()) {
      const match = now[i]?.value;
      if (typeof value === 'string' && typeof match === 'string') ids.learn(value, match, { name, isSent });
    }
  }
}

interface Streams extends DriftOptions {
  readonly before: StreamTracks;
  readonly after: StreamTracks;
}

function findTrackDrift(recorded: Track | undefined, now: Track | undefined, streams: Streams): Drift[] {
  const track = recorded ?? now;
  if (track === undefined || !isComparable(track, streams)) return [];
  const detail = isFreeText(recorded) || (track.isDelta && isFreeText(now)) ? 'kinds' : 'values';
  const visits = Math.min(visitsOf(streams.before, track), visitsOf(streams.after, track));
  const comparedSteps = (side: Track | undefined): readonly StreamStep[] => {
    const all = side?.steps ?? (track.isDelta ? [] : [ABSENT_STEP]);
    // A stream of one chunk has only the last value.
    const steps = visits === 1 ? withoutLeadingNulls(all) : all;
    return detail === 'kinds' ? withoutRepeats(steps) : steps;
  };
  const isEqual = (a: StreamStep, b: StreamStep) =>
    a.kind === b.kind && (detail === 'kinds' || isSameValue(a.value, b.value, streams));
  const before = comparedSteps(recorded);
  const after = comparedSteps(now);
  const first = after.findIndex((step, i) => before[i] === undefined || !isEqual(before[i], step));
  if (first === -1 && before.length <= after.length) return findEndDrift(recorded, now);
  const event = (after[first] ?? after.at(-1))?.event ?? 0;
  const at = event === 0 ? track.pointer : `event ${event} ${track.pointer}`;
  return [{ kind: 'stream-value', at, recorded: describe(before, detail), now: describe(after, detail) }];
}

/**
 * Finds a drift if only one side repeats the reason for the end of a choice. The first chunk that has it ends the
 * choice, so a repetition is not one more delta.
 */
function findEndDrift(recorded: Track | undefined, now: Track | undefined): Drift[] {
  const [before, after] = [recorded?.steps.at(-1), now?.steps.at(-1)];
  if (recorded === undefined || now === undefined || before === undefined || after === undefined) return [];
  if (!END_REASON.test(now.pointer) || [before, after].some(({ value }) => value == null)) return [];
  if ((before.repeats === 1) === (after.repeats === 1)) return [];
  // With one chunk after the role, nothing shows whether the service repeats the reason.
  const { steps } = before.repeats === 1 ? recorded : now;
  if (steps.reduce((sum, { repeats }) => sum + repeats, 0) < 3) return [];
  const at = `event ${after.event} ${now.pointer}`;
  return [{ kind: 'stream-value', at, recorded: describeEnd(recorded), now: describeEnd(now) }];
}

function describeEnd({ steps }: Track): string {
  const { repeats = 1 } = steps.at(-1) ?? {};
  return `${describe(steps, 'values')} in the last ${repeats === 1 ? 'chunk' : `${repeats} chunks`} of the choice`;
}

function visitsOf({ visits }: StreamTracks, { parent }: Track): number {
  return visits.get(parent) ?? 0;
}

/**
 * Whether a place is compared. If one stream lacks the object that holds it, at most that object is reported. The only
 * list elements that must be in both streams are choices, because the request states their number.
 */
function isComparable(track: Track, { before, after }: Streams): boolean {
  if (track.isElement) return /^\/choices\/\d+$/.test(track.pointer) && !track.isDelta;
  return visitsOf(before, track) > 0 && visitsOf(after, track) > 0;
}

/**
 * Whether a place has several texts or numbers: pieces of text or counts, which the service may split differently. The
 * reason for the end of a choice is never text, even if it is `""` before the end.
 */
function isFreeText(track: Track | undefined): boolean {
  if (track !== undefined && END_REASON.test(track.pointer)) return false;
  const values = (track?.steps ?? []).flatMap(({ value }) =>
    typeof value === 'string' || typeof value === 'number' ? [value] : [],
  );
  return new Set(values).size > 1;
}

function withoutLeadingNulls(steps: readonly StreamStep[]): readonly StreamStep[] {
  const start = steps.findIndex(({ kind }) => kind !== 'null' && kind !== 'absent');
  return start === -1 ? steps : steps.slice(start);
}

function withoutRepeats(steps: readonly StreamStep[]): readonly StreamStep[] {
  return steps.filter(({ kind }, i) => kind !== steps[i - 1]?.kind);
}

function isSameValue(recorded: Json | undefined, now: Json | undefined, { ids }: DriftOptions): boolean {
  return recorded === now || (typeof recorded === 'string' && ids.apply(recorded) === now);
}

function describe(steps: readonly StreamStep[], detail: 'kinds' | 'values'): string {
  if (steps.length === 0) return 'absent';
  const words = steps
    .slice(0, MAX_DESCRIBED_STEPS)
    .map(({ kind, value }) => (detail === 'kinds' || value === undefined ? kind : JSON.stringify(value)));
  return [...words, ...(steps.length > MAX_DESCRIBED_STEPS ? ['…'] : [])].join(', then ');
}
