// Cancellation of runs, batches and fine-tuning jobs: an accepted one stops the work, a rejected one leaves it unchanged.
import { follow, LruMap, precedes } from '../vocabulary/collecting.ts';
import { textAt } from '../vocabulary/json.ts';
import { mayHaveSucceeded } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type { Call, Collector, Evidence, Selector, Violation } from '../vocabulary/types.ts';

export interface Cancellation extends Evidence {
  readonly cancel: Call;
  /** The response after a rejected cancellation, which shows whether it came too late. */
  readonly after: Call | null;
}

interface State {
  readonly running: Call;
  readonly refused: Call | null;
}

export interface CancellationPlan {
  readonly cancel: string;
  readonly telling: readonly string[];
  readonly running: readonly string[];
  readonly about: (call: Call) => string | undefined;
}

/** Cancellations of unfinished work: accepted ones, and rejected ones after which it was still unfinished. */
export function cancellationRequirements(plan: CancellationPlan): Selector<Cancellation> {
  return follow(
    [plan.cancel, ...plan.telling.filter((id) => id !== plan.cancel)],
    () => new CancellationCollector(plan),
    `the outcome of ${plan.cancel} of work that was shown in progress (${plan.running.join(', ')})`,
  );
}

export function notRefused({ cancel, after }: Cancellation): Violation[] {
  if (after === null) return [];
  const expected = '2xx: it went on before and after';
  return [violation('status', expected, cancel.status, cancel.exchange.id)];
}

class CancellationCollector implements Collector<Cancellation> {
  readonly #states = new LruMap<State>();
  readonly #plan: CancellationPlan;

  constructor(plan: CancellationPlan) {
    this.#plan = plan;
  }

  call(call: Call): readonly Cancellation[] {
    const id = this.#plan.about(call);
    if (id === undefined) return [];
    const state = this.#states.get(id);
    if (call.operation.id === this.#plan.cancel) return this.#cancelled(id, state, call);
    return call.responseJson === undefined ? [] : this.#observed(id, state, call);
  }

  /** A rejected cancellation waits for the next report of the state. */
  #cancelled(id: string, state: State | undefined, cancel: Call): readonly Cancellation[] {
    const { responseJson: answer, responseClass: outcome } = cancel;
    const isOrdered = state !== undefined && precedes(state.running.exchange, cancel.exchange);
    if (isOrdered && (outcome === 'rejected' || outcome === 'absent')) {
      this.#states.set(id, { ...state, refused: state.refused ?? cancel });
      return [];
    }
    if (mayHaveSucceeded(cancel)) this.#states.delete(id);
    if (!isOrdered || answer === undefined) return [];
    return [{ cancel, after: null, exchanges: [state.running.exchange, cancel.exchange] }];
  }

  #observed(id: string, state: State | undefined, after: Call): readonly Cancellation[] {
    const { running, refused = null } = state ?? {};
    const isRunning = this.#plan.running.includes(textAt(after.responseJson, 'status') ?? '');
    const isOrdered = refused !== null && precedes(refused.exchange, after.exchange);
    if (!isRunning) this.#states.delete(id);
    else if (refused === null || isOrdered) this.#states.set(id, { running: after, refused: null });
    if (running === undefined || refused === null || !isOrdered || !isRunning) return [];
    const exchanges = [running.exchange, refused.exchange, after.exchange];
    return [{ cancel: refused, after, exchanges }];
  }
}

// Whether work that was last seen unfinished can still be cancelled: some services finish theirs at once.

export interface CancelTiming extends Evidence {
  /** `too late` if the work had ended in another way. */
  readonly found: 'in time' | 'too late';
}

interface State {
  readonly running: Call;
  readonly refused: Call | null;
}

const CANCELLED: readonly string[] = ['cancelling', 'cancelled'];
/** In any other state the cancellation may still be in progress. */
const ENDED: readonly string[] = ['completed', 'succeeded', 'failed', 'expired'];

/** Whether cancellations came in time, by their response or, if they were refused, by the next report. */
export function cancelTimings(plan: CancellationPlan): Selector<CancelTiming> {
  return follow(
    [plan.cancel, ...plan.telling.filter((id) => id !== plan.cancel)],
    () => new TimingCollector(plan),
    `the state of work after ${plan.cancel}`,
  );
}

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
    // Work that has not ended was not cancelled; another requirement judges that.
    if (state === undefined || !(isCancelled || ENDED.includes(status))) return [];
    const { running, refused } = state;
    if (!precedes((refused ?? running).exchange, call.exchange)) return [];
    // Work that ends up cancelled after a refused cancellation had not ended.
    if (isCancelled && refused !== null) return [];
    const exchanges = [running, ...(refused === null ? [] : [refused]), call].map((one) => one.exchange);
    return [{ found: isCancelled ? 'in time' : 'too late', exchanges }];
  }
}
