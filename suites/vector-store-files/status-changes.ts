import { follow, LruMap, precedes } from '../vocabulary/collecting.ts';
import { textAt } from '../vocabulary/json.ts';
import type { Call, Collector, Evidence, Selector } from '../vocabulary/types.ts';
import { FILE_STATUS_OPERATIONS, fileStatusesIn } from './file-status.ts';

/** Two successive responses that show different states of one file in a store. */
export interface StatusChange extends Evidence {
  readonly from: string;
  readonly to: string;
}

/** The latest status of a file in a store, and the call that showed it. */
interface State {
  readonly status: string;
  readonly call: Call;
}

/** Changes of the status of a file between two calls that do not overlap. */
export const statusChanges: Selector<StatusChange> = follow(
  FILE_STATUS_OPERATIONS,
  () => new MoveCollector(),
  'a file whose status changed',
);

/** Compares the status in each response with the latest one that ended before it began. */
class MoveCollector implements Collector<StatusChange> {
  readonly #states = new LruMap<State>();

  call(call: Call): readonly StatusChange[] {
    return fileStatusesIn(call).flatMap(({ store, file, value }) => {
      const status = textAt(value, 'status');
      const key = `${store}/${file}`;
      const before = this.#states.get(key);
      if (status === undefined || (before && !precedes(before.call.exchange, call.exchange))) return [];
      this.#states.set(key, { status, call });
      if (before === undefined || before.status === status) return [];
      return [{ from: before.status, to: status, exchanges: [before.call.exchange, call.exchange] }];
    });
  }
}
