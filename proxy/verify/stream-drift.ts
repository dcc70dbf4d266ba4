import type { Json } from '../../exchange/http/body.ts';
import type { SseEvent } from '../../exchange/http/event-stream.ts';
import { getOrMake } from '../../schemas/grouping.ts';
import { isJsonBranch, isJsonObject } from '../../schemas/json.ts';
import { pointerToken } from '../../schemas/pointer.ts';
import { type Drift, type DriftOptions, isFree, kindOf } from './value-drift.ts';

/**
 * Compares two event streams: the order of the kinds of their events, and then the values of each place across the stream. The
 * number of deltas of a text and the interleaving of choices are ignored.
 */
export function streamDrift(
  recorded: readonly SseEvent[],
  now: readonly SseEvent[],
  options: DriftOptions,
): Drift[] {
  const order = orderDrift(eventKinds(recorded), eventKinds(now));
  const before = tracksOf(recorded, options);
  const after = tracksOf(now, options);
  learnIds(before, after, options);
  const found = [...new Set([...before.all.keys(), ...after.all.keys()])].flatMap((place) =>
    trackDrift(before.all.get(place), after.all.get(place), { before, after, ...options }),
  );
  return [...order, ...found];
}

/** The kind of an event: its name, and the member `object`, the data itself, or its type. */
function kindOfEvent({ event, data, json }: SseEvent): string {
  const value = json?.value;
  const object = isJsonObject(value) ? value['object'] : null;
  return [event, typeof object === 'string' ? object : json === null ? data : typeof value]
    .filter((part) => part !== '')
    .join(' ');
}

/** The kinds of events in order; repeats count once, because the model decides the number of deltas. */
function eventKinds(events: readonly SseEvent[]): string[] {
  const kinds = events.map(kindOfEvent);
  return kinds.filter((kind, i) => kind !== kinds[i - 1]);
}

/** The first place at which two streams differ in the kind of their events. */
function orderDrift(recorded: readonly string[], now: readonly string[]): Drift[] {
  const at = recorded.findIndex((kind, i) => kind !== now[i]);
  const n = at === -1 && now.length > recorded.length ? recorded.length : at;
  if (n === -1) return [];
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

/** Learns newly assigned identifiers: the n-th value of a place corresponds to the n-th recorded one. */
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

function trackDrift(recorded: Track | undefined, now: Track | undefined, streams: Streams): Drift[] {
  const track = recorded ?? now;
  if (track === undefined || !isComparable(track, streams)) return [];
  const shows = isFreeText(recorded) || (track.isDelta && isFreeText(now)) ? 'kinds' : 'values';
  const visits = Math.min(visitsOf(streams.before, track), visitsOf(streams.after, track));
  const [then, current] = [recorded, now].map((one) => {
    const held = one?.steps ?? (track.isDelta ? [] : [ABSENT_STEP]);
    return visits === 1 ? withoutLeadingNulls(held) : held;
  });
  if (then === undefined || current === undefined) return [];
  const isEqual = (a: StreamStep, b: StreamStep) =>
    a.kind === b.kind && (shows === 'kinds' || sameValue(a.value, b.value, streams));
  const [left, right] = shows === 'kinds' ? [withoutRepeats(then), withoutRepeats(current)] : [then, current];
  const first = right.findIndex((step, i) => left[i] === undefined || !isEqual(left[i], step));
  if (first === -1 && left.length <= right.length) return [];
  const event = (right[first] ?? right.at(-1))?.event ?? 0;
  const at = event === 0 ? track.pointer : `event ${event} ${track.pointer}`;
  return [
    { kind: 'stream-value', at, recorded: describeSteps(left, shows), now: describeSteps(right, shows) },
  ];
}

const ABSENT_STEP: StreamStep = { kind: 'absent', value: undefined, event: 0 };

/** Number of occurrences of the object that holds a place. */
function visitsOf({ visits }: StreamTracks, { parent }: Track): number {
  return visits.get(parent) ?? 0;
}

/**
 * Whether both streams have the object that holds a place; otherwise the order drift reports the missing one. The only list
 * elements that must be in both are choices, because the request states their number.
 */
function isComparable(track: Track, { before, after }: Streams): boolean {
  if (track.isElement) return /^\/choices\/\d+$/.test(track.pointer) && !track.isDelta;
  return visitsOf(before, track) > 0 && visitsOf(after, track) > 0;
}

/** Whether a place holds pieces of text or counts, which may be split differently. */
function isFreeText(track: Track | undefined): boolean {
  const held = (track?.steps ?? []).flatMap(({ value }) =>
    typeof value === 'string' || typeof value === 'number' ? [value] : [],
  );
  return new Set(held).size > 1;
}

/** The steps without leading null and absent values, which a stream of a single event cannot have. */
function withoutLeadingNulls(held: readonly StreamStep[]): readonly StreamStep[] {
  const start = held.findIndex(({ kind }) => kind !== 'null' && kind !== 'absent');
  return start === -1 ? held : held.slice(start);
}

function withoutRepeats(held: readonly StreamStep[]): readonly StreamStep[] {
  return held.filter(({ kind }, i) => kind !== held[i - 1]?.kind);
}

function sameValue(recorded: Json | undefined, now: Json | undefined, { ids }: DriftOptions): boolean {
  return recorded === now || (typeof recorded === 'string' && ids.apply(recorded) === now);
}

/** Maximum number of steps that a description names. */
const MAX_DESCRIBED_STEPS = 5;

/** The values of a place in order, such as `null, then "stop"`. */
function describeSteps(held: readonly StreamStep[], shows: 'kinds' | 'values'): string {
  if (held.length === 0) return 'absent';
  const words = held
    .slice(0, MAX_DESCRIBED_STEPS)
    .map(({ kind, value }) => (shows === 'kinds' || value === undefined ? kind : JSON.stringify(value)));
  return [...words, ...(held.length > MAX_DESCRIBED_STEPS ? ['…'] : [])].join(', then ');
}

/** The value of a place in one or more consecutive events. */
export interface StreamStep {
  /** The JSON type as messages name it, or `absent`. */
  readonly kind: string;
  /** Undefined for an object, a list, and absence. */
  readonly value: Json | undefined;
  /** Number of the first of these events, from 1. */
  readonly event: number;
}

/** The values of one place in the events of one kind, across the stream; repeats count once. */
export interface Track {
  /** Name of the member; empty for an element of a list. */
  readonly name: string;
  /** JSON pointer into the data of an event; elements go by their member `index`, if they have one. */
  readonly pointer: string;
  /** Key of the object or list that holds the place. */
  readonly parent: string;
  readonly isElement: boolean;
  /** Whether the place is inside a member `delta`, which holds only new content. */
  readonly isDelta: boolean;
  readonly steps: StreamStep[];
}

/** A place in the data of an event. */
interface Place {
  readonly event: number;
  /** The kind of the event, and the pointer. */
  readonly key: string;
  readonly pointer: string;
  readonly path: readonly string[];
}

/** The tracks of all places of a stream, except those that may differ. */
class StreamTracks {
  /** By kind of event and pointer. */
  readonly all = new Map<string, Track>();
  /** Number of occurrences of each object, by key. */
  readonly visits = new Map<string, number>();
  /** Number of the event with the first occurrence of each object. */
  readonly #firsts = new Map<string, number>();
  /** Keys of the members that an object had so far. */
  readonly #members = new Map<string, Set<string>>();
  readonly #options: DriftOptions;

  constructor(options: DriftOptions) {
    this.#options = options;
  }

  add(kind: string, event: number, value: Json): void {
    this.#walk({ event, key: `${kind} `, pointer: '', path: [] }, value);
  }

  #walk(place: Place, value: Json): void {
    if (!isJsonBranch(value)) return;
    const before = this.visits.get(place.key) ?? 0;
    this.visits.set(place.key, before + 1);
    if (before === 0) this.#firsts.set(place.key, place.event);
    if (Array.isArray(value)) {
      for (const [i, element] of value.entries()) this.#hold(place, elementName(element, i), element);
      return;
    }
    const known = getOrMake(this.#members, place.key, () => new Set());
    const members = new Map<string, Json>(Object.entries(value));
    for (const [name, held] of members) {
      const first = this.#firsts.get(place.key) ?? place.event;
      if (!known.has(name) && first < place.event) this.#note({ ...place, event: first }, name, undefined);
      known.add(name);
      this.#hold(place, name, held);
    }
    for (const name of known) if (!members.has(name)) this.#note(place, name, undefined);
  }

  #hold(place: Place, name: string, value: Json): void {
    if (!this.#note(place, name, value)) return;
    const { event, key, pointer, path } = place;
    const token = `/${pointerToken(name)}`;
    this.#walk({ event, key: key + token, pointer: pointer + token, path: [...path, name] }, value);
  }

  /** Adds the value of a member or element of `place`, or its absence; returns false if it may differ. */
  #note(place: Place, name: string, value: Json | undefined): boolean {
    const path = [...place.path, name];
    if (isFree(path, this.#options)) return false;
    const token = `/${pointerToken(name)}`;
    const isElement = /^\d+$/.test(name);
    const isDelta = place.path.includes('delta');
    if (value === undefined && isDelta) return false;
    const track = this.all.get(place.key + token) ?? {
      name: isElement ? '' : name,
      pointer: place.pointer + token,
      parent: place.key,
      isElement,
      isDelta,
      steps: [],
    };
    this.all.set(place.key + token, track);
    const step = { kind: kindOf(value), value: isJsonBranch(value) ? undefined : value, event: place.event };
    const last = track.steps.at(-1);
    if (last?.kind !== step.kind || last.value !== step.value) track.steps.push(step);
    return true;
  }
}

/** Elements with an `index` (choices, tool calls) arrive one by one, in any order. */
function elementName(element: Json, i: number): string {
  const index = isJsonObject(element) ? element['index'] : undefined;
  return typeof index === 'number' ? String(index) : String(i);
}
