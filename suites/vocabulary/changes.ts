// Functions that change a trace so that a requirement fails, or a choice shows another alternative.
import type { Mutation } from '../../judge/requirements/requirement.ts';
import { isObject } from './json.ts';
import type { Json } from './types.ts';

export {
  appendEvent,
  callsOperation,
  changeBytes,
  dropEvent,
  duplicateEvent,
  eventsWhere,
  firstEvent,
  firstPicked,
  inEvent,
  inEvents,
  inEveryCall,
  inEveryResponse,
  inLastResponse,
  inResponse,
  inResponseWhere,
  isSuccessOf,
  lastEvent,
  lastPicked,
  moveEvent,
  removeIn,
  setAllIn,
  setHeader,
  setIn,
  setInEvent,
  succeedInstead,
  swapResponses,
  withStatusOf,
} from '../../proof/mutations/mutations.ts';
export { inEveryRequest } from '../../proof/mutations/requests.ts';
export { allEdits, removeValue, setValue } from '../../proof/mutations/values.ts';

/** Applies mutations in order; null if none applies. */
export function inTurn(...mutations: readonly Mutation[]): Mutation {
  return (trace) => {
    let changed: ReturnType<Mutation> = null;
    for (const mutation of mutations) changed = mutation(changed ?? trace) ?? changed;
    return changed;
  };
}

/** A different value of the same type, if there is one. */
export function anotherValue(value: Json | undefined): Json {
  switch (typeof value) {
    case 'string':
      if (value === 'auto') return 'another';
      return value.length > 200 ? value.slice(0, 200) : `${value}?`;
    case 'number':
      return value === 0 ? 1 : value / 2;
    case 'boolean':
      return !value;
    default:
      if (Array.isArray(value)) return value.length === 0 ? ['another'] : [];
      return isObject(value) ? { another: 'one' } : 'another';
  }
}

/** A value without its last character, element or member, if it has one; a number less 0.5; else another value. */
export function reducedValue(value: Json | undefined): Json {
  if (typeof value === 'string') return value.slice(0, -1);
  if (Array.isArray(value)) return value.slice(0, -1);
  if (isObject(value)) return Object.fromEntries(Object.entries(value).slice(0, -1));
  return typeof value === 'number' ? value - 0.5 : anotherValue(value);
}

/**
 * A text with another character, an object with another member, a list with all elements twice (an empty one gets
 * null), or a number plus 0.5; else another value.
 */
export function extendedValue(value: Json | undefined): Json {
  if (typeof value === 'number') return value + 0.5;
  if (Array.isArray(value)) return [...value, ...(value.length === 0 ? [null] : value)];
  if (isObject(value)) return { ...value, more: true };
  return typeof value === 'string' ? `${value}_` : anotherValue(value);
}
