import { type Exchange, precedes } from '../../exchange/exchange.ts';
import type { Collector, Evidence, Selector } from '../requirements/requirement.ts';
import type { Call } from '../trace/call.ts';
import { textAt } from '../trace/json.ts';
import { LruMap } from '../trace/lru-map.ts';
import { inWords } from './calls.ts';
import { streamOf } from './streams.ts';

/** Maximum number of successions held per object until the end of the trace. */
const MAX_HELD = 100;

/** Two calls about one object; the first ended before the second began. */
export interface CallSuccession extends Evidence {
  /** Id of the object that both calls are about. */
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
  /** Operations whose success invalidates the first call: later calls are not evidence. */
  readonly until?: readonly string[];
  /** The object or objects that a call is about. Default: `objectId`. */
  readonly about?: (call: Call) => string | readonly string[] | undefined;
  /** Set if an `until` call ends an object for good, even if a first call names it again. */
  readonly endsForGood?: true;
  /** The objects that an `until` call ends. Default: those of `about`. */
  readonly ending?: (call: Call) => readonly string[];
  /** Default: calls of every variant. */
  readonly variant?: 'v1' | 'v2';
}

/** The object that a path parameter names or, without it, a field of the response. Example: `idFrom('thread_id', 'id')`. */
export function idFrom(parameter: string, field: string): (call: Call) => string | undefined {
  return ({ path, responseJson }) => path[parameter] ?? textAt(responseJson, field);
}

function objectId(call: Call): string | undefined {
  return Object.values(call.path).at(-1) ?? textAt(call.responseJson, 'id');
}

/**
 * A later call about an object that follows an earlier one. Only the most recent call of `first` counts. Calls that overlap prove
 * nothing: their order is unknown.
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

interface Plan extends Required<Pick<SuccessionPlan, 'until' | 'ending'>> {
  readonly first: readonly string[];
  readonly later: readonly string[];
  readonly objects: (call: Call) => readonly string[];
  readonly endsForGood: boolean;
}

const NO_IDS: readonly string[] = [];
const NO_SUCCESSIONS: readonly CallSuccession[] = [];

class SuccessionCollector implements Collector<CallSuccession> {
  readonly #plan: Plan;
  readonly #open = new LruMap<Call>();
  readonly #ends = new LruMap<number>();
  readonly #held = new LruMap<CallSuccession[]>();

  constructor(plan: Plan) {
    this.#plan = plan;
  }

  call(call: Call): readonly CallSuccession[] {
    const { first, later, until, objects, ending } = this.#plan;
    const operation = call.operation.id;
    const isFirst = first.includes(operation) && call.responseClass === 'accepted';
    const isLater = later.includes(operation);
    // Skipped for the many calls that only end a succession or are not accepted.
    const ids = isFirst || isLater ? objects(call) : NO_IDS;
    const found = isLater ? this.#completeAll(ids, call) : NO_SUCCESSIONS;
    const isEnd = until.includes(operation) && mayHaveSucceeded(call);
    // Read before the call ends anything, because it may end one succession and begin the next.
    const lastEnds = isFirst && isEnd ? ids.map((id) => this.#ends.get(id) ?? 0) : null;
    if (isEnd) for (const ended of ending(call)) this.#end(ended, call.exchange);
    if (isFirst)
      for (const [n, id] of ids.entries()) this.#begin(id, call, lastEnds?.[n] ?? this.#ends.get(id) ?? 0);
    return found;
  }

  finish(): readonly CallSuccession[] {
    return [...this.#held.values()].flat();
  }

  #completeAll(ids: readonly string[], after: Call): readonly CallSuccession[] {
    let found: CallSuccession[] | null = null;
    for (const id of ids) {
      const before = this.#open.get(id);
      if (before === undefined || !precedes(before.exchange, after.exchange)) continue;
      const one = { id, before, after, exchanges: [before.exchange, after.exchange] };
      if (this.#plan.until.length === 0) {
        found ??= [];
        found.push(one);
        continue;
      }
      // A concurrent `until` call ends later, but may take effect earlier.
      const held = this.#held.at(id, () => []);
      if (held.length < MAX_HELD) held.push(one);
    }
    return found ?? NO_SUCCESSIONS;
  }

  #begin(id: string, call: Call, lastEnd: number): void {
    if (this.#plan.endsForGood && lastEnd > 0) return;
    if (lastEnd <= call.exchange.after) this.#open.set(id, call);
    else this.#open.delete(id);
  }

  #end(id: string, ending: Exchange): void {
    this.#open.delete(id);
    this.#ends.set(id, ending.ended);
    keepOlder(this.#held, id, ({ after }) => precedes(after.exchange, ending));
  }
}

/** Keeps only the evidence from before the end of an object. Deletes empty lists, because most objects have no evidence. */
export function keepOlder<T>(open: LruMap<T[]>, id: string, isOlder: (evidence: T) => boolean): void {
  const evidence = open.get(id);
  if (evidence === undefined) return;
  const older = evidence.filter(isOlder);
  if (older.length === 0) open.delete(id);
  else open.set(id, older);
}

/** Whether a call may have had an effect: false only if the response says that nothing was done. */
export function mayHaveSucceeded({ responseClass: outcome }: Call): boolean {
  return outcome !== 'rejected' && outcome !== 'refused' && outcome !== 'absent';
}

export interface IdReuse extends Evidence {
  /** The id in the last response. */
  readonly id: string;
  /** An earlier exchange with the same id; null if there is none. */
  readonly earlier: Exchange | null;
}

/**
 * The id of each response, with an earlier response that has the same id. `idOf` returns the owners of the object and its id: only
 * ids of the same owners are compared.
 */
export function idReuses(
  operation: string | readonly string[],
  idOf: (call: Call) => readonly (string | undefined)[] = ownId,
): Selector<IdReuse> {
  return {
    operations: [operation].flat(),
    variant: null,
    needs: `an answer or stream of ${inWords(operation)} with an id`,
    collect: () => {
      const seen = new LruMap<Exchange>();
      return {
        call: (call) => {
          const ids = idOf(call);
          const id = ids.at(-1);
          if (id === undefined) return [];
          const key = JSON.stringify(ids);
          const earlier = seen.get(key) ?? null;
          seen.set(key, call.exchange);
          return [{ id, earlier, exchanges: earlier === null ? [call.exchange] : [earlier, call.exchange] }];
        },
      };
    },
  };
}

function ownId(call: Call): readonly (string | undefined)[] {
  const id = textAt(call.responseJson, 'id') ?? textAt(streamOf(call)?.chunks[0]?.data, 'id');
  return [...Object.values(call.path), id];
}
