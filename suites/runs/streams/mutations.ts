import { eventsOf } from '../../../exchange/http/event-stream.ts';
import { inTurn } from '../../generate/in-turn.ts';
import {
  dropEvent,
  duplicateEvent,
  eventsWhere,
  inEvent,
  inEvents,
  inResponse,
  moveEvent,
  setValue,
  withStatusOf,
} from '../../vocabulary/changes.ts';
import { editFrame, frameWithData, withEvents } from '../../vocabulary/exchanges.ts';
import { textAt } from '../../vocabulary/json.ts';
import type { Edit, EventPicker, Json, Mutation, NewValue, StreamFrame } from '../../vocabulary/types.ts';
import { STREAMING_OPERATIONS, WAITING } from './run-stream.ts';

/** Breaks the same in every operation of these; null where that breaks none. */
export function inEachOperation(
  operations: readonly string[],
  make: (operation: string) => Mutation,
): Mutation {
  return inTurn(...operations.map(make));
}

/** The events of a name. */
export function eventsNamed(name: string): EventPicker {
  return (frames) => frames.flatMap(({ event }, i) => (event === name ? [i] : []));
}

/** The last event of a name in each stream. */
export function lastEventNamed(name: string): EventPicker {
  return (frames) => eventsNamed(name)(frames).slice(-1);
}

/** The first event of a name in each stream. */
export function firstEventNamed(name: string): EventPicker {
  return (frames) => eventsNamed(name)(frames).slice(0, 1);
}

/** Leaves events out of the streams of runs. */
export const dropRunEvents = (pick: EventPicker): Mutation =>
  inEachOperation(STREAMING_OPERATIONS, (operation) => dropEvent(operation, pick));

/** Says events twice. */
export const duplicateRunEvents = (pick: EventPicker): Mutation =>
  inEachOperation(STREAMING_OPERATIONS, (operation) => duplicateEvent(operation, pick));

/** Says events first, or last. */
export const moveRunEvents = (pick: EventPicker, to: 'front' | 'back'): Mutation =>
  inEachOperation(STREAMING_OPERATIONS, (operation) => moveEvent(operation, pick, to));

/** Edits the data of events. */
export const editRunEvents = (pick: EventPicker, edit: Edit): Mutation =>
  inEachOperation(STREAMING_OPERATIONS, (operation) => inEvent(operation, pick, edit));

/** Puts a value at a pointer of the data of all events of a name. */
export const setInRunEvents = (name: string, pointer: string, value: NewValue): Mutation =>
  editRunEvents(eventsNamed(name), setValue(pointer, value));

/** Says another event after each of a name, with its data edited. */
export const insertAfterRunEvents = (name: string, event: string, edit: Edit): Mutation =>
  rewriteRunStreams((frames) =>
    frames.flatMap((frame) => {
      if (frame.event !== name) return [frame];
      return [frame, frameWithData(event, editFrame(frame, edit).data)];
    }),
  );

/** Gives events another name. */
export const renameRunEvents = (name: string, other: string): Mutation =>
  rewriteRunStreams((frames) =>
    frames.map((frame) => (frame.event === name ? frameWithData(other, frame.data) : frame)),
  );

/** Turns requests down. */
export const rejectRequests = inEachOperation(STREAMING_OPERATIONS, (operation) =>
  withStatusOf(operation, 400),
);

/** Rewrites whole streams. */
export const rewriteRunStreams = (
  rewrite: (frames: readonly StreamFrame[]) => readonly StreamFrame[],
): Mutation => inEachOperation(STREAMING_OPERATIONS, (operation) => inEvents(operation, rewrite));

/** Rewrites the last stream of a run that waits for outputs and whose request is as asked for. */
export const inLastRunStream =
  (
    fits: (asked: Json | undefined) => boolean,
    rewrite: (frames: readonly StreamFrame[]) => readonly StreamFrame[],
  ): Mutation =>
  (trace) => {
    const last = trace.findLast(
      ({ request, response }) =>
        fits(request.body.json?.value) &&
        response !== null &&
        eventsOf(response)?.events.some(({ event }) => event === WAITING) === true,
    );
    return last === undefined
      ? null
      : trace.map((exchange) => (exchange === last ? withEvents(exchange, rewrite) : exchange));
  };

/** Edits every object of a kind in the streams of runs, whatever their events are called. */
export const editStreamedObjects = (kind: string, edit: Edit): Mutation =>
  editRunEvents(
    eventsWhere((data) => textAt(data, 'object') === kind),
    edit,
  );

/** Edits runs in streams and in answers. */
export const editRuns = (edit: Edit): Mutation =>
  inEachOperation(STREAMING_OPERATIONS, (operation) => (trace) => {
    const answers = inResponse(operation, edit)(trace);
    const isRun = eventsWhere((data) => textAt(data, 'object') === 'thread.run');
    return inEvent(operation, isRun, edit)(answers ?? trace) ?? answers;
  });
