import { follow, LruMap, precedes } from '../../vocabulary/collecting.ts';
import { textAt, valueAtPath } from '../../vocabulary/json.ts';
import { that } from '../../vocabulary/selectors.ts';
import type { Call, Evidence, Json, Selector } from '../../vocabulary/types.ts';
import { keyBelow, runResponseOf } from './run.ts';

/** An object as one response, or the last event of a stream about it, shows it. */
export interface ObservedObject {
  /** Place of the object in the response, a JSON pointer or an event. */
  readonly at: string;
  readonly call: Call;
  readonly value: Json;
}

/** The same object, seen again after the earlier answer had ended. */
export interface RepeatedObject extends Evidence {
  /** Id of the object, the same in both reports. */
  readonly id: string;
  readonly earlier: ObservedObject;
  readonly later: ObservedObject;
}

/** The objects to follow, and the operations whose responses contain them. */
export interface RepeatedObjectPlan {
  readonly operations: readonly string[];
  /** Objects that a response contains, and their places. */
  readonly find: (call: Call) => readonly { readonly at: string; readonly value: Json }[];
}

/** So many objects are kept in mind. */
const KEPT = 1000;

/** Each object as it was seen twice in a row: with the latest report that ended before this one began. */
export function repeatedObjects({ operations, find }: RepeatedObjectPlan): Selector<RepeatedObject> {
  return follow(
    operations,
    () => {
      const known = new LruMap<ObservedObject>(KEPT);
      return (call) => {
        const found = call.responseClass === 'accepted' ? find(call) : [];
        return found.flatMap(({ at, value }): readonly RepeatedObject[] => {
          const id = textAt(value, 'id');
          if (id === undefined) return [];
          const key = keyBelow(threadOf(call), id);
          const earlier = known.get(key);
          const later = { at, call, value };
          known.set(key, later);
          if (earlier === undefined || !precedes(earlier.call.exchange, call.exchange)) return [];
          return [{ id, earlier, later, exchanges: [earlier.call.exchange, call.exchange] }];
        });
      };
    },
    `an object that ${operations.join(' or ')} showed, and then again`,
  );
}

export const wasCompleted = that<RepeatedObject>(
  'completed the first time',
  ({ earlier }) => valueAtPath(earlier.value, 'status') === 'completed',
);

/** Id of the thread in the path of a call or in its response. */
function threadOf(call: Call): string | undefined {
  return call.path['thread_id'] ?? textAt(runResponseOf(call)?.runs[0]?.run, 'thread_id');
}
