import { follow, LruMap, precedes } from '../vocabulary/collecting.ts';
import { textAt } from '../vocabulary/json.ts';
import { stateless } from '../vocabulary/selectors.ts';
import type { Call, Evidence, Selector } from '../vocabulary/types.ts';
import { MESSAGE_LOOK_UPS } from './follow-ups.ts';
import { keyInThread, type PlacedObject, runResponseOf, shownObjects } from './runs.ts';
import { isRunCreation, RUN_CREATIONS, runStreamOf } from './streams.ts';

interface ObservedObject extends PlacedObject {
  readonly call: Call;
}

export interface RepeatedObject extends Evidence {
  readonly id: string;
  readonly earlier: ObservedObject;
  readonly later: ObservedObject;
}

const MAX_OBJECTS = 1000;

/** Selects pairs of consecutive responses that show the same object and do not overlap. */
export function repeatedObjects(
  operations: readonly string[],
  find: (call: Call) => readonly PlacedObject[],
): Selector<RepeatedObject> {
  return follow(
    operations,
    () => {
      const known = new LruMap<ObservedObject>(MAX_OBJECTS);
      return (call) => {
        const objects = call.responseClass === 'accepted' ? find(call) : [];
        return objects.flatMap(({ at, value }): readonly RepeatedObject[] => {
          const id = textAt(value, 'id');
          if (id === undefined) return [];
          const key = keyInThread(threadOf(call), id);
          const earlier = known.get(key);
          const later = { at, call, value };
          known.set(key, later);
          if (earlier === undefined || !precedes(earlier.call.exchange, call.exchange)) return [];
          return [{ id, earlier, later, exchanges: [earlier.call.exchange, call.exchange] }];
        });
      };
    },
    `an object in two responses to ${operations.join(' or ')}`,
  );
}

function threadOf(call: Call): string | undefined {
  return call.path['thread_id'] ?? textAt(runResponseOf(call)?.runs[0]?.value, 'thread_id');
}

const MESSAGE_OPERATIONS = [...RUN_CREATIONS, ...MESSAGE_LOOK_UPS];

/** Responses that show messages of runs, each message in its last state. */
export const messageResponses: Selector<Evidence & { readonly messages: readonly PlacedObject[] }> =
  stateless('messages of runs', MESSAGE_OPERATIONS, { needs: 'a message of a run' }, (call) => {
    const messages = messagesOfRuns(call);
    return messages.length === 0 ? [] : [{ messages, exchanges: [call.exchange] }];
  });

export const repeatedMessages: Selector<RepeatedObject> = repeatedObjects(MESSAGE_OPERATIONS, messagesOfRuns);

/** The last state that a stream shows of each object, for messages in unlisted events too; null without a stream. */
export function lastStates(call: Call, kind: 'steps' | 'messages'): readonly PlacedObject[] | null {
  const stream = runStreamOf(call);
  if (stream === null) return null;
  const others = stream.unlisted.filter(({ data }) => textAt(data, 'object') === 'thread.message');
  return stream[kind].flatMap(({ id, events }) => {
    const unlisted = others.findLast(({ data }) => textAt(data, 'id') === id);
    const listed = events.findLast(({ verb }) => verb !== 'delta');
    const last = (unlisted?.n ?? 0) > (listed?.n ?? 0) ? unlisted : listed;
    return last?.data === undefined ? [] : [{ at: last.at, value: last.data }];
  });
}

function messagesOfRuns(call: Call): readonly PlacedObject[] {
  if (isRunCreation(call.operation.id)) return lastStates(call, 'messages') ?? [];
  return shownObjects(call).filter(({ value }) => textAt(value, 'run_id') !== undefined);
}
