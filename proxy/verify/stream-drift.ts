import type { Json } from '../../exchange/http/body.ts';
import type { SseEvent } from '../../exchange/http/event-stream.ts';
import { isJsonObject } from '../../schemas/json.ts';
import type { Drift, DriftOptions } from './compared-places.ts';
import { type StreamStep, StreamTracks, type Track } from './stream-tracks.ts';

/**
 * Compares two event streams: the order of the kinds of their events, and then what each place of the events holds in the
 * course of the stream. How many deltas a text comes in, and how choices interleave, does not count.
 */
export function streamDrift(
  recorded: readonly SseEvent[],
  now: readonly SseEvent[],
  options: DriftOptions,
): Drift[] {
  const order = orderDrift(steps(recorded), steps(now));
  const before = tracksOf(recorded, options);
  const after = tracksOf(now, options);
  learnIds(before, after, options);
  const found = [...new Set([...before.all.keys(), ...after.all.keys()])].flatMap((place) =>
    trackDrift(before.all.get(place), after.all.get(place), { before, after, ...options }),
  );
  return [...order, ...found];
}

/** The kind of an event: its name, and the member `object` or what else its data is. */
function kindOfEvent({ event, data, json }: SseEvent): string {
  const value = json?.value;
  const object = isJsonObject(value) ? value['object'] : null;
  return [event, typeof object === 'string' ? object : json === null ? data : typeof value]
    .filter((part) => part !== '')
    .join(' ');
}

/** The kinds of events in order; repeats count once, because the number of deltas is up to the model. */
function steps(events: readonly SseEvent[]): string[] {
  const kinds = events.map(kindOfEvent);
  return kinds.filter((kind, i) => kind !== kinds[i - 1]);
}

/** The first place at which two streams differ in the kind of their events. */
function orderDrift(recorded: readonly string[], now: readonly string[]): Drift[] {
  const at = recorded.findIndex((kind, i) => kind !== now[i]);
  const n = at === -1 && now.length > recorded.length ? recorded.length : at;
  if (n === -1) return [];
  // Events are not numbered: repeats of a kind count once.
  const before = recorded[n - 1];
  const place = before === undefined ? 'the first event' : `the event after ${before}`;
  return [{ kind: 'stream-order', at: place, recorded: recorded[n], now: now[n] }];
}

function tracksOf(events: readonly SseEvent[], options: DriftOptions): StreamTracks {
  const tracks = new StreamTracks(options);
  for (const event of events) {
    if (event.json !== null) tracks.add(kindOfEvent(event), event.n, event.json.value);
  }
  return tracks;
}

/** Learns identifiers that were assigned anew: the n-th value of a place corresponds to the n-th recorded one. */
function learnIds(before: StreamTracks, after: StreamTracks, { ids }: DriftOptions): void {
  for (const [place, { name, steps: recorded }] of before.all) {
    const now = after.all.get(place)?.steps ?? [];
    for (const [i, { value }] of recorded.entries()) {
      const match = now[i]?.value;
      if (typeof value === 'string' && typeof match === 'string') ids.learn(value, match, { name });
    }
  }
}

interface Streams extends DriftOptions {
  readonly before: StreamTracks;
  readonly after: StreamTracks;
}

/** What a place holds now, where that differs from what it held. */
function trackDrift(recorded: Track | undefined, now: Track | undefined, streams: Streams): Drift[] {
  const track = recorded ?? now;
  if (track === undefined || !isComparable(track, streams)) return [];
  const shows = isFreeText(recorded) || (track.isDelta && isFreeText(now)) ? 'kinds' : 'values';
  const visits = Math.min(visitsOf(streams.before, track), visitsOf(streams.after, track));
  const [then, current] = [recorded, now].map((one) => {
    const held = one?.steps ?? (track.isDelta ? [] : [ABSENT]);
    return visits === 1 ? withoutLead(held) : held;
  });
  if (then === undefined || current === undefined) return [];
  const isEqual = (a: StreamStep, b: StreamStep) =>
    a.kind === b.kind && (shows === 'kinds' || sameValue(a.value, b.value, streams));
  const [left, right] = shows === 'kinds' ? [withoutRepeats(then), withoutRepeats(current)] : [then, current];
  const first = right.findIndex((step, i) => left[i] === undefined || !isEqual(left[i], step));
  if (first === -1 && left.length <= right.length) return [];
  const event = (right[first] ?? right.at(-1))?.event ?? 0;
  const at = event === 0 ? track.pointer : `event ${event} ${track.pointer}`;
  return [{ kind: 'stream-value', at, recorded: inWords(left, shows), now: inWords(right, shows) }];
}

const ABSENT: StreamStep = { kind: 'absent', value: undefined, event: 0 };

/** How often the object that holds a place came. */
function visitsOf({ visits }: StreamTracks, { parent }: Track): number {
  return visits.get(parent) ?? 0;
}

/**
 * Whether both streams have the object that holds a place: the order of the stream says what is missing otherwise. Of lists,
 * choices alone must come in both: their number is in the request.
 */
function isComparable(track: Track, { before, after }: Streams): boolean {
  if (track.isElement) return /^\/choices\/\d+$/.test(track.pointer) && !track.isDelta;
  return visitsOf(before, track) > 0 && visitsOf(after, track) > 0;
}

/** Whether a place holds pieces of a text, or counts: how many there are, and where they are cut, is free. */
function isFreeText(track: Track | undefined): boolean {
  const held = (track?.steps ?? []).flatMap(({ value }) =>
    typeof value === 'string' || typeof value === 'number' ? [value] : [],
  );
  return new Set(held).size > 1;
}

/** Without null and absence at the start: a stream of a single event cannot have had them. */
function withoutLead(held: readonly StreamStep[]): readonly StreamStep[] {
  const start = held.findIndex(({ kind }) => kind !== 'null' && kind !== 'absent');
  return start === -1 ? held : held.slice(start);
}

function withoutRepeats(held: readonly StreamStep[]): readonly StreamStep[] {
  return held.filter(({ kind }, i) => kind !== held[i - 1]?.kind);
}

function sameValue(recorded: Json | undefined, now: Json | undefined, { ids }: DriftOptions): boolean {
  return recorded === now || (typeof recorded === 'string' && ids.apply(recorded) === now);
}

/** Steps that are described at most. */
const MOST = 5;

/** What a place holds in turn, such as `null, then "stop"`. */
function inWords(held: readonly StreamStep[], shows: 'kinds' | 'values'): string {
  if (held.length === 0) return 'absent';
  const words = held
    .slice(0, MOST)
    .map(({ kind, value }) => (shows === 'kinds' || value === undefined ? kind : JSON.stringify(value)));
  return [...words, ...(held.length > MOST ? ['…'] : [])].join(', then ');
}
