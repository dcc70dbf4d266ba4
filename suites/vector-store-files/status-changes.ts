import { follow, LruMap, precedes } from '../vocabulary/collecting.ts';
import { textAt } from '../vocabulary/json.ts';
import type { Call, Evidence, Selector } from '../vocabulary/types.ts';
import { FILE_STATUS_OPERATIONS, fileStatusesIn } from './file-status.ts';

/** Two successive responses that show different states of one file in a store. */
export interface StatusChange extends Evidence {
  readonly from: string;
  readonly to: string;
}

/** Changes of the status of a file: each response compared with the latest one that ended before it began. */
export const statusChanges: Selector<StatusChange> = follow(
  FILE_STATUS_OPERATIONS,
  () => {
    /** By store and file, the latest status and the call that showed it. */
    const states = new LruMap<{ readonly status: string; readonly call: Call }>();
    return (call) =>
      fileStatusesIn(call).flatMap(({ store, file, value }) => {
        const status = textAt(value, 'status');
        const key = `${store}/${file}`;
        const before = states.get(key);
        if (status === undefined || (before && !precedes(before.call.exchange, call.exchange))) return [];
        states.set(key, { status, call });
        if (before === undefined || before.status === status) return [];
        return [{ from: before.status, to: status, exchanges: [before.call.exchange, call.exchange] }];
      });
  },
  'a file whose status changed',
);
