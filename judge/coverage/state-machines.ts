import { type Exchange, precedes } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import { arrayAt, textAt } from '../evidence/json.ts';
import { LruMap } from '../evidence/lru-map.ts';
import type { Call } from '../trace/call.ts';

/** The states of one kind of object, as the specification draws them. */
export interface StateMachine {
  readonly name: string;
  readonly spec: string;
  /** Values of the field `object`. */
  readonly objects: readonly string[];
  /** Operations whose answer is a new one; an event that ends in `.created` tells of one, too. */
  readonly createdBy: readonly string[];
  readonly states: readonly string[];
  /** The ways that are stated; null is before it is there. */
  readonly transitions: readonly (readonly [from: string | null, to: string])[];
}

/** One way from state to state, and how often a trace shows it. */
export interface Transition {
  /** Null is before the object is there. */
  readonly from: string | null;
  readonly to: string;
  /** `stated`, `over` (along stated ways, with states between that nobody looked at), or `open`: nothing is said of it. */
  readonly kind: 'stated' | 'over' | 'open';
  readonly seen: number;
}

/** What a trace shows of a life. */
export interface StateMachineCoverage {
  readonly name: string;
  readonly spec: string;
  readonly states: readonly { readonly name: string; readonly stated: boolean; readonly seen: number }[];
  /** All that are stated, and all that were seen. */
  readonly ways: readonly Transition[];
}

interface Last {
  readonly status: string;
  readonly exchange: Exchange;
}

interface Sighting {
  readonly value: Json;
  readonly isNew: boolean;
}

/** Which states and ways a trace shows. It judges nothing: requirements do. */
export class StateMachineTracker {
  readonly #tallies: readonly Tally[];

  constructor(lives: readonly StateMachine[]) {
    this.#tallies = lives.map((machine) => new Tally(machine));
  }

  call(call: Call): void {
    if (call.responseClass !== 'accepted') return;
    for (const { value, isNew } of sightings(call)) {
      const kind = textAt(value, 'object');
      const tally = this.#tallies.find(({ life }) => kind !== undefined && life.objects.includes(kind));
      tally?.saw(value, call, isNew || tally.life.createdBy.includes(call.operation.id));
    }
  }

  /** What follows is of another trace. */
  next(): void {
    for (const tally of this.#tallies) tally.next();
  }

  verdicts(): readonly StateMachineCoverage[] {
    return this.#tallies.map((tally) => tally.verdict());
  }
}

function* sightings({ responseJson: answer, exchange }: Call): Generator<Sighting> {
  if (answer !== undefined) {
    yield { value: answer, isNew: false };
    for (const value of arrayAt(answer, 'data')) yield { value, isNew: false };
  }
  const stream = exchange.response === null ? null : eventsOf(exchange.response);
  for (const { event, json } of stream?.events ?? []) {
    if (json !== null) yield { value: json.value, isNew: event.endsWith('.created') };
  }
}

class Tally {
  readonly life: StateMachine;
  #last = new LruMap<Last>();
  /** How many objects were seen to enter each. */
  readonly #states = new Map<string, number>();
  readonly #ways = new Map<string, { from: string | null; to: string; seen: number }>();

  constructor(machine: StateMachine) {
    this.life = machine;
  }

  saw(value: Json, { exchange }: Call, isNew: boolean): void {
    const [id, status] = [textAt(value, 'id'), textAt(value, 'status')];
    if (id === undefined || status === undefined) return;
    // A file may lie in several stores.
    const key = `${textAt(value, 'vector_store_id') ?? ''}/${id}`;
    const last = this.#last.get(key);
    if (last !== undefined && last.exchange !== exchange && !precedes(last.exchange, exchange)) return;
    this.#last.set(key, { status, exchange });
    if (last?.status === status) return;
    this.#states.set(status, (this.#states.get(status) ?? 0) + 1);
    if (last !== undefined) this.#step(last.status, status);
    else if (isNew) this.#step(null, status);
  }

  next(): void {
    this.#last = new LruMap();
  }

  verdict(): StateMachineCoverage {
    const { name, spec, states, transitions: ways } = this.life;
    const all = new Set([...states, ...this.#states.keys()]);
    const unseen = ways.filter(([from, to]) => !this.#ways.has(keyOf(from, to)));
    const seen = [...this.#ways.values()].map((way) => ({ ...way, kind: this.#kindOf(way) }));
    return {
      name,
      spec,
      states: [...all].map((state) => ({
        name: state,
        stated: states.includes(state),
        seen: this.#states.get(state) ?? 0,
      })),
      ways: [...unseen.map(([from, to]) => ({ from, to, kind: 'stated' as const, seen: 0 })), ...seen].sort(
        (a, b) => (keyOf(a.from, a.to) < keyOf(b.from, b.to) ? -1 : 1),
      ),
    };
  }

  #step(from: string | null, to: string): void {
    const key = keyOf(from, to);
    const way = this.#ways.get(key) ?? { from, to, seen: 0 };
    this.#ways.set(key, { ...way, seen: way.seen + 1 });
  }

  #kindOf({ from, to }: Pick<Transition, 'from' | 'to'>): Transition['kind'] {
    const { transitions: ways } = this.life;
    if (ways.some(([one, other]) => one === from && other === to)) return 'stated';
    const reached = new Set<string | null>([from]);
    // A set that grows while it is walked: everything that stated ways lead to.
    for (const here of reached) for (const [one, other] of ways) if (one === here) reached.add(other);
    return reached.has(to) && from !== to ? 'over' : 'open';
  }
}

function keyOf(from: string | null, to: string): string {
  return `${from ?? ''} > ${to}`;
}
