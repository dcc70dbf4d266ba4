import { createHash } from 'node:crypto';
import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { numberOf } from '../trace/timed.ts';
import { linksIn, NameLinks } from './name-links.ts';
import { isChatAnswer, resourceOf, routeOf } from './routes.ts';

export const SHARED = 0x8000;

/** The parts into which traffic is cut, as plain data that threads share. */
export interface TrafficPlaces {
  /** Number of parts, which are numbered from 0. */
  readonly parts: number;
  /** The part of each exchange, by number from 1, with `SHARED` set if every part sees it. */
  readonly places: Uint16Array;
  /** Links between names that occur in one exchange, in the form of `NameLinks.slots`. */
  readonly links: Float64Array;
}

export interface PlanColumns {
  /** The number of each exchange's first name, by number of the exchange, from 1; 0 for none. */
  readonly names: Float64Array;
  /** 1 for each exchange that every part sees, otherwise 0; by number of the exchange, from 1. */
  readonly shared: Uint8Array;
}

/** Facts about one span of the traffic that are not in the shared columns, as plain data. */
export interface PlanPart {
  readonly links: Float64Array;
  /** The first successful chat completion to end in each trace; traces are numbered from 0. */
  readonly answers: readonly (readonly [trace: number, answer: FirstAnswer])[];
  /** False if a request body was not recorded or is too large to read: its links are then unknown. */
  readonly canCut: boolean;
}

interface FirstAnswer {
  readonly number: number;
  readonly ended: number;
}

/** Memory: 11 bytes per exchange, plus the links of names. */
export class TrafficPlan {
  /** Facts by exchange. Threads write to them directly, so `toPart` leaves them out. */
  readonly columns: PlanColumns;
  readonly #links = new NameLinks();
  readonly #answers = new Map<number, FirstAnswer>();
  #trace = 0;
  #canCut = true;

  constructor(columns: PlanColumns) {
    this.columns = columns;
  }

  add(exchange: Exchange): void {
    const { body } = exchange.request;
    if (!body.isKept && body.parts === null) this.#canCut = false;
    const number = numberOf(exchange.id);
    const { names, isShared } = routeOf(exchange);
    if (isShared) this.columns.shared[number] = 1;
    if (isChatAnswer(exchange)) this.#noteAnswer(this.#trace, { number, ended: exchange.ended });
    const [first = 0, ...others] = names.map(numberOfName);
    this.columns.names[number] = first;
    for (const other of others) this.#links.link(first, other);
  }

  startTrace(): void {
    this.#trace += 1;
  }

  toPart(): PlanPart {
    return { links: this.#links.slots, answers: [...this.#answers], canCut: this.#canCut };
  }

  absorb({ links, answers, canCut }: PlanPart): void {
    for (const [name, to] of linksIn(links)) this.#links.link(name, to);
    for (const [trace, answer] of answers) this.#noteAnswer(trace, answer);
    this.#canCut &&= canCut;
  }

  /** If the traffic cannot be cut, the first part judges all of it. */
  assignPlaces(parts: number): TrafficPlaces {
    const { names, shared } = this.columns;
    for (const { number } of this.#answers.values()) shared[number] = 1;
    const places = new Uint16Array(new SharedArrayBuffer(names.length * Uint16Array.BYTES_PER_ELEMENT));
    for (const [number, name] of names.entries()) {
      const part = name === 0 ? number % parts : this.#links.rootOf(name) % parts;
      places[number] = this.#canCut ? part + (shared[number] === 1 ? SHARED : 0) : SHARED;
    }
    return { parts, places, links: this.#links.slots };
  }

  #noteAnswer(trace: number, answer: FirstAnswer): void {
    const known = this.#answers.get(trace);
    if (known === undefined || answer.ended < known.ended) this.#answers.set(trace, answer);
  }
}

export function sharedFraction({ places }: TrafficPlaces): number {
  return places.reduce((sum, place) => sum + (place >= SHARED ? 1 : 0), 0) / places.length;
}

export function createPlanColumns(size: number): PlanColumns {
  return {
    names: new Float64Array(new SharedArrayBuffer((size + 1) * Float64Array.BYTES_PER_ELEMENT)),
    shared: new Uint8Array(new SharedArrayBuffer(size + 1)),
  };
}

export function makeCut({ parts, places, links }: TrafficPlaces, index: number): TrafficCut {
  const nameLinks = new NameLinks(links);
  const placeOf = ({ id }: Exchange) => places[numberOf(id)] ?? SHARED;
  return {
    isOwn: (exchange) => (placeOf(exchange) & ~SHARED) === index,
    isShared: (exchange) => placeOf(exchange) >= SHARED,
    ownsObject: (object: Json) => nameLinks.rootOf(numberOfName(resourceOf(object))) % parts === index,
  };
}

export function makeSeenFilter({ places }: TrafficPlaces, index: number): (number: number) => boolean {
  return (number) => {
    const place = places[number] ?? SHARED;
    return place >= SHARED || place === index;
  };
}

/** One part of the traffic. Several parts may see an exchange, but only one judges it. */
export interface TrafficCut {
  isOwn(exchange: Exchange): boolean;
  isShared(exchange: Exchange): boolean;
  /** True in one part for each object: the part that judges its thread, vector store, batch or job. */
  readonly ownsObject: (object: Json) => boolean;
}

/** The number for a name: 48 bits of its digest. A collision only means that two resources are judged together. */
function numberOfName(name: string): number {
  return createHash('sha256').update(name).digest().readUIntLE(0, 6) || 1;
}
