import { follow, LruMap, precedes } from '../vocabulary/collecting.ts';
import { textAt } from '../vocabulary/json.ts';
import { mayHaveSucceeded } from '../vocabulary/selectors.ts';
import type { Call, Evidence, Selector } from '../vocabulary/types.ts';

export interface Cancellation extends Evidence {
  readonly cancel: Call;
  /** The response that shows unfinished work after a rejected cancellation; null after any other cancellation. */
  readonly after: Call | null;
  /** The status of the cancellation if it was rejected although the work continued; otherwise empty. */
  readonly refusals: readonly {
    readonly at: string;
    readonly value: number | null;
    readonly exchange: string;
  }[];
}

interface UnfinishedWork {
  readonly running: Call;
  /** The first rejected cancellation since then. */
  readonly attempt: Call | null;
}

export interface CancellationPlan {
  readonly cancel: string;
  /** Operations whose responses report the status of the work. */
  readonly reporting: readonly string[];
  /** Statuses in which the work can still be cancelled. */
  readonly running: readonly string[];
  /** Identifies the work that a call concerns; undefined if the call does not tell. */
  readonly about: (call: Call) => string | undefined;
}

/** Follows work by its id. `step` updates the state of the work from a call, and returns the resulting evidence. */
function followWork<E extends Evidence>(
  { cancel, reporting, about }: CancellationPlan,
  needs: string,
  step: (states: LruMap<UnfinishedWork>, id: string, call: Call) => readonly E[],
): Selector<E> {
  return follow(
    [cancel, ...reporting.filter((id) => id !== cancel)],
    () => {
      const states = new LruMap<UnfinishedWork>();
      return (call) => {
        const id = about(call);
        return id === undefined ? [] : step(states, id, call);
      };
    },
    needs,
  );
}

export function cancellationsOf(plan: CancellationPlan): Selector<Cancellation> {
  const needs = `the outcome of ${plan.cancel} of work that was shown in progress (${plan.running.join(', ')})`;
  return followWork(plan, needs, (states, id, call) => {
    if (call.operation.id === plan.cancel) return noteCancellation(states, id, call);
    return call.responseJson === undefined ? [] : noteReport(plan, states, id, call);
  });
}

/** A rejected cancellation waits until the next response shows whether the work continued; an accepted one does not. */
function noteCancellation(states: LruMap<UnfinishedWork>, id: string, cancel: Call): readonly Cancellation[] {
  const { responseJson, responseClass } = cancel;
  const state = states.get(id);
  const isOrdered = state !== undefined && precedes(state.running.exchange, cancel.exchange);
  if (isOrdered && (responseClass === 'rejected' || responseClass === 'absent')) {
    states.set(id, { ...state, attempt: state.attempt ?? cancel });
    return [];
  }
  if (mayHaveSucceeded(cancel)) states.delete(id);
  if (!isOrdered || responseJson === undefined) return [];
  return [{ cancel, after: null, refusals: [], exchanges: [state.running.exchange, cancel.exchange] }];
}

function noteReport(
  plan: CancellationPlan,
  states: LruMap<UnfinishedWork>,
  id: string,
  after: Call,
): readonly Cancellation[] {
  const { running, attempt = null } = states.get(id) ?? {};
  const isRunning = plan.running.includes(textAt(after.responseJson, 'status') ?? '');
  const isOrdered = attempt !== null && precedes(attempt.exchange, after.exchange);
  if (!isRunning) states.delete(id);
  else if (attempt === null || isOrdered) states.set(id, { running: after, attempt: null });
  if (running === undefined || attempt === null || !isOrdered || !isRunning) return [];
  const refusals = [{ at: 'status', value: attempt.status, exchange: attempt.exchange.id }];
  return [
    { cancel: attempt, after, refusals, exchanges: [running.exchange, attempt.exchange, after.exchange] },
  ];
}

export interface CancelTiming extends Evidence {
  /** `too late` if the work had already ended without being cancelled. */
  readonly timing: 'in time' | 'too late';
}

const CANCELLED: readonly string[] = ['cancelling', 'cancelled'];
/** In a state of neither list, the cancellation may still be in progress. */
const ENDED: readonly string[] = ['completed', 'succeeded', 'failed', 'expired'];

/** After a rejection, the next response that shows the work decides. */
export function cancelTimings(plan: CancellationPlan): Selector<CancelTiming> {
  return followWork(plan, `the state of work after ${plan.cancel}`, (states, id, call) => {
    const state = states.get(id);
    const isCancel = call.operation.id === plan.cancel;
    // A 404 is a rejection as well: it may mean that nothing is left to cancel.
    if (isCancel && (call.responseClass === 'rejected' || call.status === 404)) {
      if (state !== undefined && precedes(state.running.exchange, call.exchange))
        states.set(id, { ...state, attempt: state.attempt ?? call });
      return [];
    }
    const status = textAt(call.responseJson, 'status');
    if (status === undefined) return [];
    if (!isCancel && !state?.attempt && plan.running.includes(status)) {
      states.set(id, { running: call, attempt: null });
      return [];
    }
    states.delete(id);
    return state !== undefined && (isCancel || state.attempt !== null) ? timingOf(state, call, status) : [];
  });
}

function timingOf({ running, attempt }: UnfinishedWork, call: Call, status: string): readonly CancelTiming[] {
  const isCancelled = CANCELLED.includes(status);
  // Another requirement judges work that continues after its cancellation.
  if (!isCancelled && !ENDED.includes(status)) return [];
  if (!precedes((attempt ?? running).exchange, call.exchange)) return [];
  // The rejected cancellation was not too late if the work was cancelled afterwards.
  if (isCancelled && attempt !== null) return [];
  const exchanges = [running, ...(attempt === null ? [] : [attempt]), call].map((one) => one.exchange);
  return [{ timing: isCancelled ? 'in time' : 'too late', exchanges }];
}
