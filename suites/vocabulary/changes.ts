// Functions that change a trace so that a requirement fails, or a choice shows another alternative.
import type { Mutation } from '../../judge/requirements/requirement.ts';

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
