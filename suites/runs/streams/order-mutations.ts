// Every way to break a rule of order: its events are moved, lost, doubled, renamed, too late or too early.
import { matchesAnyGlob } from '../../../exchange/glob.ts';
import type { OrderRule } from '../../generate/streams.ts';
import { appendEvent, firstPicked, lastPicked, setValue } from '../../vocabulary/changes.ts';
import type { EventPicker, Mutation } from '../../vocabulary/types.ts';
import {
  dropRunEvents,
  duplicateRunEvents,
  editRunEvents,
  inEachOperation,
  moveRunEvents,
  renameRunEvents,
  rewriteRunStreams,
} from './mutations.ts';
import { STREAMING_OPERATIONS } from './run-stream.ts';

type Mutations = Readonly<Record<string, Mutation>>;

/**
 * The mutations of a rule, by their names. Each breaks the rule wherever its events occur, in the streams of both operations that
 * create runs.
 */
export function orderMutations(rule: OrderRule): Mutations {
  if ('before' in rule) return tooEarly(rule);
  if ('once' in rule) return repeated(rule.once);
  return 'last' in rule ? followed(rule) : unended(rule.end);
}

/** The event that has to come is lost or comes last, or each event that waits for it comes first. */
function tooEarly({ before, comes, each }: Extract<OrderRule, { before: unknown }>): Mutations {
  const early = before.map((name): [string, Mutation] => [
    `${name} too early`,
    moveRunEvents(firstPicked(eventsLike([name], comes)), 'front'),
  ]);
  // An event that is about another object is the first about that one.
  const isOfObject = each !== undefined && before.some((name) => name.endsWith('*'));
  const stray = editRunEvents(lastPicked(eventsLike(before, comes)), setValue('/id', 'other'));
  return {
    lost: dropRunEvents(eventsLike(comes)),
    'too late': moveRunEvents(eventsLike(comes), 'back'),
    ...Object.fromEntries(early),
    ...(isOfObject ? { 'an event of another object': stray } : {}),
  };
}

/** The event is doubled at once, or comes again in the end. */
function repeated(name: string): Mutations {
  return {
    doubled: duplicateRunEvents(eventsLike([name])),
    'again in the end': rewriteRunStreams((frames) => [
      ...frames,
      ...frames.filter(({ event }) => event === name).slice(-1),
    ]),
  };
}

/** The event is doubled or too early, or another one follows it: the last one before it, or one of another name. */
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

/** The end is lost, too early, or has no name, so that it is not the event that the specification states. */
function unended(end: string): Mutations {
  return {
    lost: dropRunEvents(eventsLike([end])),
    'too early': moveRunEvents(eventsLike([end]), 'front'),
    unnamed: renameRunEvents(end, ''),
  };
}

/**
 * The events of these names without others; names may have `*`. A mutation that picks none changes nothing, and is then not a
 * mutant.
 */
function eventsLike(names: readonly string[], without: readonly string[] = []): EventPicker {
  return (frames) =>
    frames.flatMap(({ event }, i) =>
      matchesAnyGlob(names, event) && !matchesAnyGlob(without, event) ? [i] : [],
    );
}
