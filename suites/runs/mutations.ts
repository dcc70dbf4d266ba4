import { matchesAnyGlob } from '../../exchange/glob.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import type { OrderRule } from '../generate/streams.ts';
import {
  appendEvent,
  dropEvent,
  duplicateEvent,
  eventsWhere,
  firstPicked,
  inEvent,
  inEvents,
  inResponse,
  inTurn,
  lastPicked,
  moveEvent,
  setValue,
  withStatusOf,
} from '../vocabulary/changes.ts';
import { editFrame, frameWithData, withEvents } from '../vocabulary/exchanges.ts';
import { textAt } from '../vocabulary/json.ts';
import type { Edit, EventPicker, Json, Mutation, NewValue, StreamFrame } from '../vocabulary/types.ts';
import { STREAMING_OPERATIONS, WAITING } from './streams.ts';

export function inEachOperation(
  operations: readonly string[],
  make: (operation: string) => Mutation,
): Mutation {
  return inTurn(...operations.map(make));
}

export function eventsNamed(name: string): EventPicker {
  return (frames) => frames.flatMap(({ event }, i) => (event === name ? [i] : []));
}

export const dropRunEvents = (pick: EventPicker): Mutation =>
  inEachOperation(STREAMING_OPERATIONS, (operation) => dropEvent(operation, pick));

const duplicateRunEvents = (pick: EventPicker): Mutation =>
  inEachOperation(STREAMING_OPERATIONS, (operation) => duplicateEvent(operation, pick));

const moveRunEvents = (pick: EventPicker, to: 'front' | 'back'): Mutation =>
  inEachOperation(STREAMING_OPERATIONS, (operation) => moveEvent(operation, pick, to));

export const editRunEvents = (pick: EventPicker, edit: Edit): Mutation =>
  inEachOperation(STREAMING_OPERATIONS, (operation) => inEvent(operation, pick, edit));

export const setInRunEvents = (name: string, pointer: string, value: NewValue): Mutation =>
  editRunEvents(eventsNamed(name), setValue(pointer, value));

export const insertAfterRunEvents = (name: string, event: string, edit: Edit): Mutation =>
  rewriteRunStreams((frames) =>
    frames.flatMap((frame) => {
      if (frame.event !== name) return [frame];
      return [frame, frameWithData(event, editFrame(frame, edit).data)];
    }),
  );

export const renameRunEvents = (name: string, other: string): Mutation =>
  rewriteRunStreams((frames) =>
    frames.map((frame) => (frame.event === name ? frameWithData(other, frame.data) : frame)),
  );

export const rejectRequests = inEachOperation(STREAMING_OPERATIONS, (operation) =>
  withStatusOf(operation, 400),
);

export const rewriteRunStreams = (
  rewrite: (frames: readonly StreamFrame[]) => readonly StreamFrame[],
): Mutation => inEachOperation(STREAMING_OPERATIONS, (operation) => inEvents(operation, rewrite));

/** Rewrites the last stream of a waiting run whose request fits. */
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

export const editRuns = (edit: Edit): Mutation =>
  inEachOperation(STREAMING_OPERATIONS, (operation) => (trace) => {
    const answers = inResponse(operation, edit)(trace);
    const isRun = eventsWhere((data) => textAt(data, 'object') === 'thread.run');
    return inEvent(operation, isRun, edit)(answers ?? trace) ?? answers;
  });

type Mutations = Readonly<Record<string, Mutation>>;

export function orderMutations(rule: OrderRule): Mutations {
  if ('before' in rule) return tooEarly(rule);
  if ('once' in rule) return repeated(rule.once);
  return 'last' in rule ? followed(rule) : unended(rule.end);
}

function tooEarly({ before, comes, each }: Extract<OrderRule, { before: unknown }>): Mutations {
  const early = before.map((name): [string, Mutation] => [
    `${name} too early`,
    moveRunEvents(firstPicked(eventsLike([name], comes)), 'front'),
  ]);
  // An event of another object comes first for that object.
  const isOfObject = each !== undefined && before.some((name) => name.endsWith('*'));
  const stray = editRunEvents(lastPicked(eventsLike(before, comes)), setValue('/id', 'other'));
  return {
    lost: dropRunEvents(eventsLike(comes)),
    'too late': moveRunEvents(eventsLike(comes), 'back'),
    ...Object.fromEntries(early),
    ...(isOfObject ? { 'an event of another object': stray } : {}),
  };
}

function repeated(name: string): Mutations {
  return {
    doubled: duplicateRunEvents(eventsLike([name])),
    'again in the end': rewriteRunStreams((frames) => [
      ...frames,
      ...frames.filter(({ event }) => event === name).slice(-1),
    ]),
  };
}

function followed({ last, but = [], each }: Extract<OrderRule, { last: unknown }>): Mutations {
  const own = each === undefined ? 'thread.*' : last.replace(/[^.]*$/, '*');
  const late = inEachOperation(STREAMING_OPERATIONS, (operation) => appendEvent(operation, 'ping', {}));
  return {
    doubled: duplicateRunEvents(eventsLike([last])),
    'too early': moveRunEvents(eventsLike([last]), 'front'),
    'another event after it': moveRunEvents(lastPicked(eventsLike([own], [last])), 'back'),
    ...(but.includes('?') || each !== undefined ? {} : { 'an event of another name after it': late }),
  };
}

function unended(end: string): Mutations {
  return {
    lost: dropRunEvents(eventsLike([end])),
    'too early': moveRunEvents(eventsLike([end]), 'front'),
    unnamed: renameRunEvents(end, ''),
  };
}

/** The events with these names and not with others; names may contain `*`. */
function eventsLike(names: readonly string[], without: readonly string[] = []): EventPicker {
  return (frames) =>
    frames.flatMap(({ event }, i) =>
      matchesAnyGlob(names, event) && !matchesAnyGlob(without, event) ? [i] : [],
    );
}
