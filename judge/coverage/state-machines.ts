import { type Exchange, precedes } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import type { StateMachine } from '../requirements/catalogue.ts';
import type { Call } from '../trace/call.ts';
import { arrayAt, textAt } from '../trace/json.ts';
import { LruMap } from '../trace/lru-map.ts';
import { MAX_PARTS } from '../trace/timed.ts';
import type { StateMachineCoverage, Transition } from '../verdict/coverage.ts';

/** Counts the states and transitions that responses show; requirements judge them. */
export class StateMachineTracker {
  readonly #machines: readonly MachineCoverage[];
  readonly #owns: (object: Json) => boolean;

  constructor(machines: readonly StateMachine[], owns: (object: Json) => boolean = () => true) {
    this.#machines = machines.map((machine) => new MachineCoverage(machine));
    this.#owns = owns;
  }

  /** `at`: how many exchanges have ended. */
  call(call: Call, at: number): void {
    if (call.responseClass !== 'accepted') return;
    let n = 0;
    for (const { value, isNew } of objectsIn(call)) {
      n += 1;
      const kind = textAt(value, 'object');
      const coverage = this.#machines.find(
        ({ machine }) => kind !== undefined && machine.objects.includes(kind),
      );
      const isCreated = isNew || coverage?.machine.createdBy.includes(call.operation.id) === true;
      if (coverage !== undefined && this.#owns(value))
        coverage.observe(value, call.exchange, { at: at + n / MAX_PARTS, isCreated });
    }
  }

  /** Starts another trace, whose states do not follow those of earlier traces. */
  next(): void {
    for (const coverage of this.#machines) coverage.next();
  }

  part() {
    return this.#machines.map((coverage) => coverage.part());
  }

  absorb(parts: ReturnType<StateMachineTracker['part']>): void {
    for (const part of parts) this.#machines.find(({ machine }) => machine.name === part.name)?.absorb(part);
  }

  verdicts(): readonly StateMachineCoverage[] {
    return this.#machines.map((coverage) => coverage.verdict());
  }
}

function* objectsIn({
  responseJson: response,
  exchange,
}: Call): Generator<{ readonly value: Json; readonly isNew: boolean }> {
  if (response !== undefined) {
    yield { value: response, isNew: false };
    for (const value of arrayAt(response, 'data')) yield { value, isNew: false };
  }
  const stream = exchange.response === null ? null : eventsOf(exchange.response);
  for (const { event, json } of stream?.events ?? []) {
    if (json !== null) yield { value: json.value, isNew: event.endsWith('.created') };
  }
}

class MachineCoverage {
  readonly machine: StateMachine;
  #last = new LruMap<{ readonly status: string; readonly exchange: Exchange }>();
  readonly #states = new Map<string, { seen: number; at: number }>();
  readonly #transitions = new Map<string, { from: string | null; to: string; seen: number }>();

  constructor(machine: StateMachine) {
    this.machine = machine;
  }

  /** Ignores a call that overlaps the last one, because their order is unknown. */
  observe(
    value: Json,
    exchange: Exchange,
    { at, isCreated }: { readonly at: number; readonly isCreated: boolean },
  ): void {
    const [id, status] = [textAt(value, 'id'), textAt(value, 'status')];
    if (id === undefined || status === undefined) return;
    // A file may be in several stores, with a state in each.
    const key = `${textAt(value, 'vector_store_id') ?? ''}/${id}`;
    const last = this.#last.get(key);
    if (last !== undefined && last.exchange !== exchange && !precedes(last.exchange, exchange)) return;
    this.#last.set(key, { status, exchange });
    if (last?.status === status) return;
    this.#countState(status, 1, at);
    if (last !== undefined) this.#countTransition(last.status, status);
    else if (isCreated) this.#countTransition(null, status);
  }

  next(): void {
    this.#last = new LruMap();
  }

  verdict(): StateMachineCoverage {
    const { name, spec, states, transitions } = this.machine;
    const entered = [...this.#states].toSorted(([, a], [, b]) => a.at - b.at);
    const all = new Set([...states, ...entered.map(([state]) => state)]);
    const unobserved = transitions.filter(([from, to]) => !this.#transitions.has(transitionKey(from, to)));
    const observed = [...this.#transitions.values()].map((transition) => ({
      ...transition,
      kind: this.#kindOf(transition),
    }));
    return {
      name,
      spec,
      states: [...all].map((state) => ({
        name: state,
        stated: states.includes(state),
        seen: this.#states.get(state)?.seen ?? 0,
      })),
      ways: [
        ...unobserved.map(([from, to]) => ({ from, to, kind: 'stated' as const, seen: 0 })),
        ...observed,
      ].sort((a, b) => (transitionKey(a.from, a.to) < transitionKey(b.from, b.to) ? -1 : 1)),
    };
  }

  part() {
    const states = [...this.#states].map(([name, entered]) => ({ name, ...entered }));
    return { name: this.machine.name, states, ways: [...this.#transitions.values()] };
  }

  absorb({ states, ways }: ReturnType<MachineCoverage['part']>): void {
    for (const { name, seen, at } of states) this.#countState(name, seen, at);
    for (const { from, to, seen } of ways) this.#countTransition(from, to, seen);
  }

  #countState(state: string, times: number, at: number): void {
    const known = this.#states.get(state) ?? { seen: 0, at };
    this.#states.set(state, { seen: known.seen + times, at: Math.min(known.at, at) });
  }

  #countTransition(from: string | null, to: string, times = 1): void {
    const key = transitionKey(from, to);
    const known = this.#transitions.get(key) ?? { from, to, seen: 0 };
    this.#transitions.set(key, { ...known, seen: known.seen + times });
  }

  #kindOf({ from, to }: Pick<Transition, 'from' | 'to'>): Transition['kind'] {
    const { transitions } = this.machine;
    if (transitions.some(([start, end]) => start === from && end === to)) return 'stated';
    const reached = new Set<string | null>([from]);
    // A breadth-first search: the set grows while it is iterated.
    for (const state of reached)
      for (const [start, end] of transitions) if (start === state) reached.add(end);
    return reached.has(to) ? 'over' : 'open';
  }
}

function transitionKey(from: string | null, to: string): string {
  return from === null ? `> ${to}` : `${from} > ${to}`;
}
