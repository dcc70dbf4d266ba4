// The words of suites: what an extension imports as `assay/suite`. docs/extend.md shows them in use, suites/README.md lists them.
// A group here is a table there, so that what is exported and what is described are easy to compare.
import { wordsInEffect } from './words-in-effect.ts';

// The types of scenarios.
export type {
  CallInput,
  CallResult,
  RoleName,
  Scenario,
  ScenarioContext,
  ScenarioPlan,
} from '../drive/scenario/scenario.ts';
// The types of requests and probes.
export type { BaseRequest, ReadyRequest } from '../suites/generate/requests.ts';
export type { RulePlan } from '../suites/generate/rule-probes.ts';
// The types of evidence, statements and changes.
export type * from '../suites/vocabulary/types.ts';

/** The words of the assay that runs the suite, or of this copy where none runs. */
export const {
  // Requests: scenarios, valid requests to derive probes from, probes of a rule across fields.
  baseRequest,
  scenario,
  sendRuleProbes,
  // Statements: what is required, and what is left open.
  choice,
  fieldIs,
  requirement,
  section,
  violation,
  // Selectors: the evidence of a statement.
  absences,
  completeStreams,
  idReuses,
  idFrom,
  mayHaveSucceeded,
  memberships,
  mustAccept,
  mustReject,
  probeResults,
  requests,
  responses,
  stateless,
  streamedPairs,
  streamOf,
  streams,
  successions,
  where,
  withCompliance,
  // Conditions on that evidence, for `where`.
  answered,
  asks,
  decided,
  leavesOut,
  lists,
  namesNothingIn,
  ofRequest,
  settled,
  showed,
  shows,
  that,
  unprobed,
  unset,
  // Changes of a trace, by which a statement is violated. `inResponse`, `inResponseWhere` and `removeIn` take several edits or
  // places; each is made on what the one before it gave.
  allEdits,
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
  removeValue,
  setAllIn,
  setHeader,
  setIn,
  setInEvent,
  setValue,
  succeedInstead,
  swapResponses,
  withStatusOf,
  // Values in JSON whose shape is not known.
  arrayAt,
  deepEqual,
  isObject,
  listElements,
  numberAt,
  textAt,
  valueAtPath,
  // Collecting evidence by hand, in bounded memory.
  follow,
  LruMap,
  precedes,
  // What a service may answer otherwise, since nothing is stated about it.
  inAnswersOf,
  inCallsOf,
  inEachExchange,
  inStreamsOf,
  // Changing one exchange by hand.
  editFrame,
  frameData,
  frameWithData,
  withBody,
  withEvents,
  withHeader,
  withJsonResponse,
  withResponseJson,
  withStatus,
  // Shapes of choices: the alternative that evidence shows.
  echo,
  equality,
  fieldKeys,
  fieldState,
  fieldValue,
  follower,
  listOrder,
  numberState,
  outcome,
  refusal,
  sumState,
  transition,
} = await wordsInEffect();
