// Relates two calls about the same object. Calls that overlap in time prove nothing, because their order is
// unknown.
import { type Exchange, precedes } from '../../../exchange/exchange.ts';
import type { Collector, Evidence, Selector } from '../../requirements/requirement.ts';
import type { Call } from '../../trace/call.ts';
import { textAt } from '../json.ts';
import { LruMap } from '../lru-map.ts';
import { inWords } from './answers.ts';

/** Successions of one object that wait for their end. */
const KEPT = 100;

/** Two calls about one object, the first of which had ended before the second began. */
export interface CallSuccession extends Evidence {
  readonly id: string;
  readonly before: Call;
  readonly after: Call;
}

/** Which calls begin, complete and end a succession. */
export interface SuccessionPlan {
  /** Operations that begin it; only their successes count. */
  readonly first: string | readonly string[];
  /** Operations that complete it, with whatever outcome. */
  readonly later: string | readonly string[];
  /** Operations whose success invalidates the first call: later calls are not evidence. */
  readonly until?: readonly string[];
  /** The object that a call is about, or the objects that it names; `objectId` unless given. */
  readonly about?: (call: Call) => string | readonly string[] | undefined;
  /** Set where nothing that an `until` call has ended begins anew, though a first call may name it again. */
  readonly endsForGood?: true;
  /** The objects that an `until` call is about, if there may be several. Default: the object of `about`. */
  readonly ending?: (call: Call) => readonly string[];
  readonly variant?: 'v1' | 'v2';
}

/**
 * For `about`: the object that a parameter of the path names or, in a call without it, a field of the response. Example:
 * `idFrom('thread_id', 'id')`.
 */
export function idFrom(parameter: string, field: string): (call: Call) => string | undefined {
  return ({ path, responseJson }) => path[parameter] ?? textAt(responseJson, field);
}

/** The last id in the path, or the id in the response of a creation. */
function objectId(call: Call): string | undefined {
  return Object.values(call.path).at(-1) ?? textAt(call.responseJson, 'id');
}

/**
 * A later call about an object after an earlier one: create and retrieve, delete and retrieve. Of several first
 * calls the latest counts; an `until` that overlaps the later call makes it no evidence.
 */
export function successions(plan: SuccessionPlan): Selector<CallSuccession> {
  const first = listed(plan.first);
  const later = listed(plan.later);
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

interface Plan {
  readonly first: readonly string[];
  readonly later: readonly string[];
  readonly until: readonly string[];
  readonly objects: (call: Call) => readonly string[];
  readonly endsForGood: boolean;
  readonly ending: (call: Call) => readonly string[];
}

class SuccessionCollector implements Collector<CallSuccession> {
  readonly #plan: Plan;
  readonly #open = new LruMap<Call>();
  /** When an `until` ended last, by ordinal. */
  readonly #ends = new LruMap<number>();
  /** Successions that an `until` call, still in progress, may turn out to have overlapped. */
  readonly #held = new LruMap<CallSuccession[]>();

  constructor(plan: Plan) {
    this.#plan = plan;
  }

  call(call: Call): readonly CallSuccession[] {
    const { first, later, until, objects, ending } = this.#plan;
    const operation = call.operation.id;
    const known = objects(call).map((id) => ({ id, lastEnd: this.#ends.get(id) ?? 0 }));
    const found = later.includes(operation) ? known.flatMap(({ id }) => this.#complete(id, call)) : [];
    if (until.includes(operation) && mayHaveSucceeded(call))
      for (const ended of ending(call)) this.#end(ended, call.exchange);
    if (first.includes(operation) && call.responseClass === 'accepted')
      for (const { id, lastEnd } of known) this.#begin(id, call, lastEnd);
    return found;
  }

  finish(): readonly CallSuccession[] {
    return [...this.#held.values()].flat();
  }

  /** The succession that a later call completes; held back if an `until` call may overlap it. */
  #complete(id: string, after: Call): readonly CallSuccession[] {
    const before = this.#open.get(id);
    if (before === undefined || !precedes(before.exchange, after.exchange)) return [];
    const found = { id, before, after, exchanges: [before.exchange, after.exchange] };
    if (this.#plan.until.length === 0) return [found];
    // An `until` that is under way ends later than this call, yet may have taken effect before it.
    const held = this.#held.at(id, () => []);
    if (held.length < KEPT) held.push(found);
    return [];
  }

  /** Records a first call. If an `until` call overlapped it, their order is unknown and neither counts. */
  #begin(id: string, call: Call, lastEnd: number): void {
    if (this.#plan.endsForGood && lastEnd > 0) return;
    if (lastEnd <= call.exchange.after) this.#open.set(id, call);
    else this.#open.delete(id);
  }

  /** Drops the successions that an `until` call has overlapped. */
  #end(id: string, ending: Exchange): void {
    this.#open.delete(id);
    this.#ends.set(id, ending.ended);
    const held = this.#held.get(id) ?? [];
    this.#held.set(
      id,
      held.filter(({ after }) => precedes(after.exchange, ending)),
    );
  }
}

/** False only if the response says that nothing was done. */
export function mayHaveSucceeded({ responseClass: outcome }: Call): boolean {
  return outcome !== 'rejected' && outcome !== 'refused' && outcome !== 'absent';
}

function listed(operations: string | readonly string[]): readonly string[] {
  return typeof operations === 'string' ? [operations] : operations;
}
