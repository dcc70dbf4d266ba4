import { precedes } from '../../exchange/exchange.ts';
import type { Call } from '../../judge/call.ts';
import { text } from '../../judge/json.ts';
import { Keyed } from '../../judge/keyed.ts';
import type { Collector, Evidence, Selector } from '../../judge/requirement.ts';
import { mayHaveWorked } from '../../judge/selectors/relations.ts';
import { batchOf, telling } from './moments.ts';

/** A batch was told to be in progress, and then it was cancelled. */
export interface Cancellation extends Evidence {
  readonly cancel: Call;
  /** Where the cancellation was refused: the next answer, which shows whether it came too late. */
  readonly after: Call | null;
}

interface State {
  /** What told last that it is in progress. */
  readonly running: Call;
  /** A refused cancellation since then. */
  readonly refused: Call | null;
}

/** Cancellations of batches that were in progress: accepted ones, and refused ones that something follows. */
export function cancellations(): Selector<Cancellation> {
  return {
    operations: ['cancelVectorStoreFileBatch', ...telling.filter((id) => !id.startsWith('cancel'))],
    variant: null,
    collect: () => new CancellationCollector(),
  };
}

class CancellationCollector implements Collector<Cancellation> {
  readonly #states = new Keyed<State>();

  call(call: Call): readonly Cancellation[] {
    const id = batchOf(call);
    if (id === undefined) return [];
    const state = this.#states.get(id);
    if (call.operation.id === 'cancelVectorStoreFileBatch') return this.#cancelled(id, state, call);
    return call.answer === undefined ? [] : this.#told(id, state, call);
  }

  finish(): readonly Cancellation[] {
    return [];
  }

  #cancelled(id: string, state: State | undefined, cancel: Call): readonly Cancellation[] {
    const { answer, outcome } = cancel;
    const isOrdered = state !== undefined && precedes(state.running.exchange, cancel.exchange);
    if (isOrdered && (outcome === 'rejected' || outcome === 'absent')) {
      this.#states.set(id, { ...state, refused: state.refused ?? cancel });
      return [];
    }
    if (mayHaveWorked(cancel)) this.#states.delete(id);
    if (!isOrdered || answer === undefined) return [];
    return [{ cancel, after: null, exchanges: [state.running.exchange, cancel.exchange] }];
  }

  #told(id: string, state: State | undefined, after: Call): readonly Cancellation[] {
    const { running, refused = null } = state ?? {};
    const isRunning = text(after.answer, 'status') === 'in_progress';
    const isOrdered = refused !== null && precedes(refused.exchange, after.exchange);
    if (!isRunning) this.#states.delete(id);
    else if (refused === null || isOrdered) this.#states.set(id, { running: after, refused: null });
    if (running === undefined || refused === null || !isOrdered || !isRunning) return [];
    const exchanges = [running.exchange, refused.exchange, after.exchange];
    return [{ cancel: refused, after, exchanges }];
  }
}
