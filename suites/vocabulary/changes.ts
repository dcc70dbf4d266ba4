// Words for changing a trace, so that a requirement has to fail or a choice shows another alternative.
export { inEveryCall, inLastResponse, swapResponses } from '../../judge/mutations/across-exchanges.ts';
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
  inEveryResponse,
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
  withStatusOf,
} from '../../judge/mutations/mutations.ts';
export { allEdits, removeValue, setValue } from '../../judge/mutations/values.ts';
export { requestLeavesOut, requestSets, requestUnsets, responseShows } from './exchange-conditions.ts';
