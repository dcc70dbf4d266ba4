import type { Json } from '../../exchange/http/body.ts';
import { isJsonBranch, isJsonObject } from '../../schemas/json.ts';
import { getOrMake } from '../../schemas/maps.ts';
import { pointerToken } from '../../schemas/pointer.ts';
import { type DriftOptions, kindOf, mayDiffer } from './value-drift.ts';

export interface StreamStep {
  /** The JSON type as messages name it, or `absent`. */
  readonly kind: string;
  /** Undefined for an object, a list, and absence. */
  readonly value: Json | undefined;
  readonly event: number;
  /** Number of events in a row in which the place has this value. */
  repeats: number;
}

/** The values of one place in the events of one kind, across the stream; repeats count once. */
export interface Track {
  /** Name of a member; empty for an element. */
  readonly name: string;
  /** JSON pointer into the data of an event; elements are named by their member `index`, if they have one. */
  readonly pointer: string;
  /** The place that contains this one: a key of `visits`. */
  readonly parent: string;
  readonly isElement: boolean;
  /** Whether the place is inside a member `delta`, which holds only new content. */
  readonly isDelta: boolean;
  readonly steps: StreamStep[];
}

type Role = 'member' | 'element';

interface Place {
  readonly event: number;
  readonly key: string;
  readonly pointer: string;
  readonly path: readonly string[];
}

export class StreamTracks {
  readonly byPlace = new Map<string, Track>();
  /** The number of events that have each object and list, by its place. */
  readonly visits = new Map<string, number>();
  readonly #firstEvents = new Map<string, number>();
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
    const visits = this.visits.get(place.key) ?? 0;
    this.visits.set(place.key, visits + 1);
    if (visits === 0) this.#firstEvents.set(place.key, place.event);
    if (Array.isArray(value)) {
      for (const [i, element] of value.entries())
        this.#addInner(place, elementName(element, i), element, 'element');
      return;
    }
    const knownMembers = getOrMake(this.#members, place.key, () => new Set());
    const members = new Map<string, Json>(Object.entries(value));
    for (const [name, member] of members) {
      const firstEvent = this.#firstEvents.get(place.key) ?? place.event;
      if (!knownMembers.has(name) && firstEvent < place.event)
        this.#addValue({ ...place, event: firstEvent }, name, undefined, 'member');
      knownMembers.add(name);
      this.#addInner(place, name, member, 'member');
    }
    for (const name of knownMembers) if (!members.has(name)) this.#addValue(place, name, undefined, 'member');
  }

  #addInner(place: Place, name: string, value: Json, role: Role): void {
    if (!this.#addValue(place, name, value, role)) return;
    const { event, key, pointer, path } = place;
    const token = `/${pointerToken(name)}`;
    this.#walk({ event, key: key + token, pointer: pointer + token, path: [...path, name] }, value);
  }

  /**
   * Adds the value of a member or element of `place`, or its absence, which means nothing inside a delta. Returns
   * whether it was added.
   */
  #addValue(place: Place, name: string, value: Json | undefined, role: Role): boolean {
    const path = [...place.path, name];
    if (mayDiffer(path, this.#options)) return false;
    const token = `/${pointerToken(name)}`;
    const isElement = role === 'element';
    const isDelta = place.path.includes('delta');
    if (value === undefined && isDelta) return false;
    const track = this.byPlace.get(place.key + token) ?? {
      name: isElement ? '' : name,
      pointer: place.pointer + token,
      parent: place.key,
      isElement,
      isDelta,
      steps: [],
    };
    this.byPlace.set(place.key + token, track);
    const step = {
      kind: kindOf(value),
      value: isJsonBranch(value) ? undefined : value,
      event: place.event,
      repeats: 1,
    };
    const lastStep = track.steps.at(-1);
    if (lastStep?.kind === step.kind && lastStep.value === step.value) lastStep.repeats += 1;
    else track.steps.push(step);
    return true;
  }
}

/** Elements with an `index` (choices, tool calls) arrive one by one, in any order. */
function elementName(element: Json, i: number): string {
  const index = isJsonObject(element) ? element['index'] : undefined;
  return typeof index === 'number' ? String(index) : String(i);
}
