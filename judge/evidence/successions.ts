import { type Exchange, precedes } from '../../exchange/exchange.ts';
import type { Collector, Evidence, Selector } from '../requirements/requirement.ts';
import type { Call } from '../trace/call.ts';
import { textAt } from '../trace/json.ts';
import { LruMap } from '../trace/lru-map.ts';
import { mayHaveSucceeded } from '../trace/response-class.ts';
import { inWords } from './calls.ts';

export const MAX_HELD_PER_OBJECT = 100;

/** Two calls about one object; the first ended before the second began. */
export interface CallSuccession extends Evidence {
  /** Id of the object of both calls. */
  readonly id: string;
  /** The successful call that begins the succession. */
  readonly before: Call;
  /** The later call, whatever its outcome. */
  readonly after: Call;
}

export interface SuccessionPlan {
  /** Operations that begin a succession; only their successes count. */
  readonly first: string | readonly string[];
  /** Operations that complete it, whatever their outcome. */
  readonly later: string | readonly string[];
  /** Operations that end a succession if they may have succeeded: later calls are not evidence. */
  readonly until?: readonly string[];
  /** Ids of the objects of a call. Default: its last path parameter, or else the `id` of the response. */
  readonly about?: (call: Call) => string | readonly string[] | undefined;
  /** Set if an `until` call ends an object for good, even if a `first` call names it again. */
  readonly endsForGood?: true;
  /** The objects that an `until` call ends. Default: those of `about`. */
  readonly ending?: (call: Call) => readonly string[];
  /** Default: calls of every variant. */
  readonly variant?: 'v1' | 'v2';
}

/** Reads the object of a call from a path parameter or else a field of the response: `idFrom('thread_id', 'id')`. */
export function idFrom(parameter: string, field: string): (call: Call) => string | undefined {
  return ({ path, responseJson }) => path[parameter] ?? textAt(responseJson, field);
}

function objectId(call: Call): string | undefined {
  return Object.values(call.path).at(-1) ?? textAt(call.responseJson, 'id');
}

/**
 * Selects each `later` call about an object, together with the latest `first` call about the same object.
 * Calls that overlap are not evidence, because their order is unknown.
 */
export function successions(plan: SuccessionPlan): Selector<CallSuccession> {
  const first = [plan.first].flat();
  const later = [plan.later].flat();
  const { until = [], about = objectId } = plan;
  const objects = (call: Call): readonly string[] => [about(call) ?? []].flat();
  const { ending = objects, endsForGood = false } = plan;
  return {
    operations: [...new Set([...first, ...later, ...until])],
    variant: plan.variant ?? null,
    needs: `a call of ${inWords(later)} about the same object after a successful call of ${inWords(first)}${until.length === 0 ? '' : ` and before any of ${inWords(until)}`}`,
    collect: () => new SuccessionCollector({ first, later, until, objects, ending, endsForGood }),
  };
}

interface FullPlan extends Required<Pick<SuccessionPlan, 'until' | 'ending'>> {
  readonly first: readonly string[];
  readonly later: readonly string[];
  readonly objects: (call: Call) => readonly string[];
  readonly endsForGood: boolean;
}

class SuccessionCollector implements Collector<CallSuccession> {
  readonly #plan: FullPlan;
  readonly #open = new LruMap<Call>();
  /** Position, in the order in which exchanges ended, of the latest `until` call of each object. */
  readonly #ends = new LruMap<number>();
  readonly #held = new LruMap<CallSuccession[]>();

  constructor(plan: FullPlan) {
    this.#plan = plan;
  }

  call(call: Call): readonly CallSuccession[] {
    const { first, later, until, objects, ending } = this.#plan;
    const operation = call.operation.id;
    const isFirst = first.includes(operation) && call.responseClass === 'accepted';
    const isLater = later.includes(operation);
    // Many calls only end a succession, or are `first` calls that were not accepted, so they need no ids.
    const ids = isFirst || isLater ? objects(call) : [];
    const completed = isLater ? this.#completeAll(ids, call) : [];
    const isEnd = until.includes(operation) && mayHaveSucceeded(call);
    // One call may end a succession and begin the next, so the earlier ends are read before its own is stored.
    const lastEnds = isFirst && isEnd ? ids.map((id) => this.#ends.get(id) ?? 0) : null;
    if (isEnd) for (const id of ending(call)) this.#end(id, call.exchange);
    if (isFirst)
      for (const [n, id] of ids.entries()) this.#begin(id, call, lastEnds?.[n] ?? this.#ends.get(id) ?? 0);
    return completed;
  }

  finish(): readonly CallSuccession[] {
    return [...this.#held.values()].flat();
  }

  #completeAll(ids: readonly string[], after: Call): readonly CallSuccession[] {
    const completed: CallSuccession[] = [];
    for (const id of ids) {
      const before = this.#open.get(id);
      if (before === undefined || !precedes(before.exchange, after.exchange)) continue;
      const succession = { id, before, after, exchanges: [before.exchange, after.exchange] };
      if (this.#plan.until.length === 0) {
        completed.push(succession);
        continue;
      }
      // A concurrent `until` call ends later, but may take effect earlier.
      const held = this.#held.at(id, () => []);
      if (held.length < MAX_HELD_PER_OBJECT) held.push(succession);
    }
    return completed;
  }

  #begin(id: string, call: Call, lastEnd: number): void {
    if (this.#plan.endsForGood && lastEnd > 0) return;
    if (lastEnd <= call.exchange.after) this.#open.set(id, call);
    else this.#open.delete(id);
  }

  #end(id: string, end: Exchange): void {
    this.#open.delete(id);
    this.#ends.set(id, end.ended);
    keepOlder(this.#held, id, ({ after }) => precedes(after.exchange, end));
  }
}

/** Keeps only the evidence from before the end of an object. Deletes empty lists, because most objects have none. */
export function keepOlder<T>(open: LruMap<T[]>, id: string, isOlder: (evidence: T) => boolean): void {
  const evidence = open.get(id);
  if (evidence === undefined) return;
  const older = evidence.filter(isOlder);
  if (older.length === 0) open.delete(id);
  else open.set(id, older);
}
