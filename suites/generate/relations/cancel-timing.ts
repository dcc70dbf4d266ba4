// Whether work that goes on, as far as reported, can still be cancelled: some services finish theirs at once.
import { follow, LruMap, precedes } from '../../vocabulary/collecting.ts';
import { textAt } from '../../vocabulary/json.ts';
import type { Call, Collector, Evidence, Selector } from '../../vocabulary/types.ts';
import type { CancellationPlan } from './cancellations.ts';

/** A cancellation of work that was going on in its latest report. */
export interface CancelTiming extends Evidence {
  /** `too late` where the work had ended in another way when the cancellation came. */
  readonly found: 'in time' | 'too late';
}

/** The latest report of work that goes on, and a cancellation that was refused since then. */
interface State {
  readonly running: Call;
  readonly refused: Call | null;
}

const CANCELLED: readonly string[] = ['cancelling', 'cancelled'];
/** Any other state may still have had to be left by a cancellation. */
const ENDED: readonly string[] = ['completed', 'succeeded', 'failed', 'expired'];

/** Cancellations that show whether they came in time: by their response, or where they were refused by the next report. */
export function cancelTimings(plan: CancellationPlan): Selector<CancelTiming> {
  return follow(
    [plan.cancel, ...plan.telling.filter((id) => id !== plan.cancel)],
    () => new TimingCollector(plan),
    `the state of work after ${plan.cancel}`,
  );
}

/** Follows each piece of work from its latest report to the one that shows how its cancellation found it. */
class TimingCollector implements Collector<CancelTiming> {
  readonly #states = new LruMap<State>();
  readonly #plan: CancellationPlan;

  constructor(plan: CancellationPlan) {
    this.#plan = plan;
  }

  call(call: Call): readonly CancelTiming[] {
    const id = this.#plan.about(call);
    if (id === undefined) return [];
    const state = this.#states.get(id);
    const isCancel = call.operation.id === this.#plan.cancel;
    if (isCancel && call.responseClass === 'rejected') return this.#refused(id, state, call);
    const status = textAt(call.responseJson, 'status');
    if (status === undefined) return [];
    if (isCancel || state?.refused) return this.#decided(id, state, { call, status });
    if (this.#plan.running.includes(status)) this.#states.set(id, { running: call, refused: null });
    else this.#states.delete(id);
    return [];
  }

  /** Of a refused cancellation the next report decides. */
  #refused(id: string, state: State | undefined, refused: Call): readonly CancelTiming[] {
    if (state === undefined || !precedes(state.running.exchange, refused.exchange)) return [];
    this.#states.set(id, { ...state, refused: state.refused ?? refused });
    return [];
  }

  #decided(
    id: string,
    state: State | undefined,
    { call, status }: { readonly call: Call; readonly status: string },
  ): readonly CancelTiming[] {
    this.#states.delete(id);
    const isCancelled = CANCELLED.includes(status);
    // What has not ended was not cancelled; whether it had to be is judged elsewhere.
    if (state === undefined || !(isCancelled || ENDED.includes(status))) return [];
    const { running, refused } = state;
    if (!precedes((refused ?? running).exchange, call.exchange)) return [];
    // Work that is cancelled although its cancellation was refused had not ended.
    if (isCancelled && refused !== null) return [];
    const exchanges = [running, ...(refused === null ? [] : [refused]), call].map((one) => one.exchange);
    return [{ found: isCancelled ? 'in time' : 'too late', exchanges }];
  }
}
