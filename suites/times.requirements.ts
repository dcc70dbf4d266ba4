import { type Operation, ownOperations, type Variant } from '../schemas/index.ts';
import { eventsWhere, inEvent, inResponse, inTurn, setValue } from './vocabulary/changes.ts';
import { arrayAt, isObject, listElements, numberAt, valueAtPath } from './vocabulary/json.ts';
import { stateless, streamOf } from './vocabulary/selectors.ts';
import { section, violation } from './vocabulary/statements.ts';
import type { Call, Edit, Evidence, Json, JsonObject, Mutation, Violation } from './vocabulary/types.ts';

/** Members with the time of a past event. The time of a future event may be arbitrarily late. */
const TIMES = [
  'created',
  'created_at',
  'started_at',
  'completed_at',
  'incomplete_at',
  'failed_at',
  'cancelled_at',
  'expired_at',
  'finished_at',
  'in_progress_at',
  'finalizing_at',
  'cancelling_at',
  'last_active_at',
  'last_used_at',
];
const CREATION_TIMES = ['created', 'created_at'];
/** Members with the time of an event after the creation. An expiry may be in the future. */
const EVENT_TIMES = [...TIMES.filter((name) => !CREATION_TIMES.includes(name)), 'expires_at'];
/** The latest plausible timestamp: the year 5138 in seconds since 1970, but March 1973 in milliseconds. */
const LATEST = 99_999_999_999;
/**
 * The earliest plausible timestamp of a new object: September 2001 in seconds since 1970. A present time in minutes or
 * days since 1970 is below it, and so is 0.
 */
const EARLIEST = 1_000_000_000;
const TIMELESS: readonly string[] = ['audio', 'moderations'];
const EVENTFUL: readonly string[] = [
  'batches',
  'fine-tuning',
  'messages',
  'run-steps',
  'runs',
  'vector-stores',
];
/** Seconds by which the clocks of the machines of one service may differ. */
const MAX_CLOCK_SKEW = 60;

interface Time {
  readonly at: string;
  readonly value: number;
  /** True for the creation time of an object that this call created. */
  readonly isNow: boolean;
}

interface Times extends Evidence {
  readonly times: readonly Time[];
}

export const inSeconds = timedFamilies().map(({ family, variant, ids }) => {
  const options = { ...(variant !== null && { variant }), needs: 'an answer or stream with a time' };
  return section('1 Common shapes').stated(`${family}.times.in-seconds`, {
    says: 'Times are in seconds since 1970, not in another unit.',
    selector: stateless('times', ids, options, (call): readonly Times[] => {
      const times = timesOf(call);
      return times.length === 0 ? [] : [{ times, exchanges: [call.exchange] }];
    }),
    check: ({ times }): Violation[] =>
      times
        .filter(({ value, isNow }) => value > LATEST || (isNow && value < EARLIEST))
        .map(({ at, value }) => violation(at, 'Unix seconds', value)),
    mutations: {
      ...(ids.some((id) => id.startsWith('create'))
        ? { 'in minutes': editEach(ids, scaleTimes(1 / 60)) }
        : {}),
      'in milliseconds': editEach(ids, scaleTimes(1e3)),
      'in microseconds': editEach(ids, scaleTimes(1e6)),
      'only the last of them in milliseconds': editEach(ids, scaleLast),
    },
  });
});

export const notBeforeCreation = timedFamilies()
  .filter(({ family }) => EVENTFUL.includes(family))
  .map(({ family, ids }) =>
    section('1 Common shapes').implied(`${family}.times.not-before-creation`, {
      says: 'No time of an object is before its creation.',
      selector: stateless(
        'times after a creation',
        ids,
        { needs: 'an object with a time other than that of its creation' },
        (call): readonly EventTimes[] => {
          const events = eventTimesOf(call);
          return events.length === 0 ? [] : [{ events, exchanges: [call.exchange] }];
        },
      ),
      check: ({ events }): Violation[] =>
        events
          .filter(({ value, created }) => value < created - MAX_CLOCK_SKEW)
          .map(({ at, value, created }) => violation(at, `${created} or later, or null`, value)),
      mutations: {
        '0 for an event': setEventTimes(ids, () => 0),
        'the first year for an event': setEventTimes(ids, () => -62_135_596_800),
        'the hour before': setEventTimes(ids, (created) => created - 3600),
      },
    }),
  );

interface EventTimes extends Evidence {
  readonly events: readonly { readonly at: string; readonly value: number; readonly created: number }[];
}

function eventTimesOf(call: Call): EventTimes['events'] {
  const events: EventTimes['events'][number][] = [];
  for (const { at, value } of objectsIn(call)) {
    const created = numberAt(value, 'created_at');
    if (created === undefined || !isObject(value)) continue;
    for (const name of EVENT_TIMES) {
      const time = value[name];
      if (typeof time === 'number') events.push({ at: `${at}/${name}`, value: time, created });
    }
  }
  return events;
}

function setEventTimes(ids: readonly string[], date: (created: number) => number): Mutation {
  return editEach(
    ids,
    inObjects(EVENT_TIMES, (time, { created_at: created }) =>
      typeof created === 'number' ? date(created) : time,
    ),
  );
}

interface ShownObject {
  readonly at: string;
  readonly value: Json;
  readonly isElement: boolean;
}

/** The objects that a response shows: the response itself and the elements of its list, or the events of a stream. */
function objectsIn(call: Call): readonly ShownObject[] {
  const { responseJson: answer } = call;
  if (answer === undefined) {
    const chunks = streamOf(call)?.chunks ?? [];
    return chunks.map(({ at, data }) => ({ at: `${at} `, value: data, isElement: false }));
  }
  const shown: ShownObject[] = [{ at: '', value: answer, isElement: false }];
  for (const { at, value } of listElements(answer)) shown.push({ at, value, isElement: true });
  return shown;
}

function inObjects(names: readonly string[], change: (old: number, object: JsonObject) => number): Edit {
  const edit: Edit = (value) => {
    if (!isObject(value)) return value;
    const entries = Object.entries(value).map(([name, inner]) => {
      if (names.includes(name) && typeof inner === 'number') return [name, change(inner, value)];
      return [name, name === 'data' && Array.isArray(inner) ? inner.map(edit) : inner];
    });
    return Object.fromEntries(entries);
  };
  return edit;
}

function timedFamilies() {
  const countedVariants = ownOperations().flatMap((operation) =>
    operation.variants.filter(({ counted }) => counted).map((variant) => ({ operation, variant })),
  );
  const names = [...new Set(countedVariants.map(({ variant }) => variant.family))];
  return names
    .filter((family) => !TIMELESS.includes(family))
    .map((family) => {
      const inFamily = countedVariants.filter(({ variant }) => variant.family === family);
      return {
        family,
        variant: distinguishingVariant(inFamily),
        ids: [...new Set(inFamily.map(({ operation }) => operation.id))],
      };
    });
}

/** The version that distinguishes a family from another one with the same operations; null if no other has them. */
function distinguishingVariant(
  inFamily: readonly { readonly operation: Operation; readonly variant: Variant }[],
): 'v1' | 'v2' | null {
  const isShared = inFamily.some(({ operation, variant }) =>
    operation.variants.some((other) => other.counted && other.family !== variant.family),
  );
  const name = inFamily[0]?.variant.name;
  return isShared && (name === 'v1' || name === 'v2') ? name : null;
}

function timesOf(call: Call): readonly Time[] {
  const isNew = call.operation.method === 'POST' && call.operation.id.startsWith('create');
  const times: Time[] = [];
  for (const { at, value, isElement } of objectsIn(call)) {
    if (!isObject(value)) continue;
    for (const name of TIMES) {
      const time = value[name];
      const isNow = isNew && !isElement && CREATION_TIMES.includes(name);
      if (typeof time === 'number') times.push({ at: `${at}/${name}`, value: time, isNow });
    }
  }
  return times;
}

function editEach(ids: readonly string[], edit: Edit): Mutation {
  return inTurn(...ids.flatMap((id) => [inResponse(id, edit), inEvent(id, eventsWhere(isObject), edit)]));
}

function scaleTimes(factor: number): Edit {
  return inObjects(TIMES, (time) => time * factor);
}

/** Converts one time to milliseconds: the last of `TIMES` in an object or, for a list, in its last element. */
function scaleLast(value: Json): Json {
  const name = TIMES.findLast((field) => typeof valueAtPath(value, field) === 'number');
  if (name !== undefined) return setValue(`/${name}`, (old) => Number(old) * 1000)(value);
  const elements = arrayAt(value, 'data');
  const last = elements.at(-1);
  return last === undefined ? value : setValue(`/data/${elements.length - 1}`, scaleLast(last))(value);
}
