// Runs and their steps (1 Runs). The state machine is in `run-engine.ts`. Retrieving a run, or its steps, advances it
// by one state.

import { ApiError, existing } from '../http/api-error.ts';
import { isJsonObject, type Json, type JsonObject, type Metadata } from '../http/json.ts';
import { listEnvelope, listPage } from '../http/list-page.ts';
import { JsonResponse } from '../http/response.ts';
import {
  customary,
  type Handler,
  type HandlerRequest,
  type Routes,
  type ServiceRoute,
  serves,
  versionOf,
} from '../http/route.ts';
import { pollAfter, type Service } from '../state/service.ts';
import type { EngineEvent } from './objects.ts';
import {
  advanceByTime,
  cancelRun,
  needRun,
  pollRun,
  runEvents,
  showRun,
  snapshots,
  submitOutputs,
} from './run-record.ts';
import { needAssistantOf, ofRun, type RunFields, startRun } from './start-run.ts';
import {
  type NewThread,
  needThread,
  type RunRecord,
  showThread,
  startThread,
  type Thread,
  threadsOf,
} from './store.ts';

const path = '/v1/threads/{thread_id}/runs';

export const routes: Routes = (service) => [
  ...startRoutes(service),
  ...readRoutes(service),
  ...actionRoutes,
  ...stepRoutes(service),
];

/** The two operations of the specification. Each ignores the fields that the specification gives only to the other. */
const startRoutes: Routes = (service) => [
  legacyTools(
    serves<RunFields>('createRun', (request) => {
      const thread = needThread(service, request.path['thread_id']);
      return begin(startRun(service, thread, { ...request.body, tool_resources: null }), request, []);
    }),
  ),
  legacyTools(
    serves<RunFields & { readonly thread?: NewThread | null }>('createThreadAndRun', (request) => {
      // Checked before the thread is created, so that an unknown assistant leaves no thread behind.
      needAssistantOf(service, request.body.assistant_id);
      const thread = startThread(service, request.body.thread ?? {}, 'thread');
      const created = { event: 'thread.created', data: showThread(thread) };
      const fields = { ...request.body, additional_instructions: null, additional_messages: null };
      return begin(startOn(service, thread, fields), request, [created]);
    }),
  ),
];

/** Retrieving a run advances it by one state; listing and modifying runs only lets time pass. */
const readRoutes: Routes = (service) => [
  // `listRunSteps` has the same query parameters as a list of runs.
  like('listRunSteps', path, (request) => {
    const { runs } = needThread(service, request.path['thread_id']);
    for (const record of runs.values()) advanceByTime(record);
    return listEnvelope(listPage(runs, request.query), (record) => show(record, request));
  }),
  customary('GET', `${path}/{run_id}`, (request) => {
    const record = needRun(service, request.path);
    pollRun(record);
    return new JsonResponse(show(record, request), pollAfter(service));
  }),
  // `modifyMessage` has the same body: metadata only.
  like<{ readonly metadata?: Metadata | null }>('modifyMessage', `${path}/{run_id}`, (request) => {
    const record = needRun(service, request.path);
    advanceByTime(record);
    if (request.body.metadata !== undefined) record.work.run.metadata = request.body.metadata ?? {};
    return show(record, request);
  }),
];

/** Cancels a run, or submits the outputs that it waits for. */
const actionRoutes: readonly ServiceRoute[] = [
  customary('POST', `${path}/{run_id}/cancel`, (request) => {
    const record = needRun(request.service, request.path);
    cancelRun(record);
    return show(record, request);
  }),
  customary('POST', `${path}/{run_id}/submit_tool_outputs`, (request) => {
    const record = needRun(request.service, request.path);
    const events = submitOutputs(record, readOutputs(request.body));
    return request.body['stream'] === true
      ? runEvents(record, events, versionOf(request))
      : show(record, request);
  }),
];

function show({ work }: RunRecord, request: HandlerRequest<unknown>) {
  return showRun(work.run, versionOf(request));
}

/** The response to a request that has started a run: the run, or its events after those of `before`. */
function begin(record: RunRecord, request: HandlerRequest<RunFields>, before: readonly EngineEvent[]) {
  if (request.body.stream !== true) return show(record, request);
  const { run } = record.work;
  // Streams begin with the states that the run has already passed.
  const first = [
    ...before,
    { event: 'thread.run.created', data: run },
    { event: 'thread.run.queued', data: run },
  ];
  return runEvents(record, snapshots(first), versionOf(request));
}

/** Starts a run on its new thread; deletes the thread if the run is refused. */
function startOn(service: Service, thread: Thread, fields: RunFields): RunRecord {
  try {
    const record = startRun(service, thread, fields);
    for (const message of ofRun(service, record.work.run, thread.messages.values()))
      thread.messages.add(message);
    return record;
  } catch (error) {
    threadsOf(service).delete(thread.id);
    throw error;
  }
}

/** Older clients write `retrieval` for `file_search`. */
const legacyTools = (route: ServiceRoute): ServiceRoute => ({
  ...route,
  prepare: (body) => {
    const { tools, tool_choice: choice } = body;
    const named = (tool: Json | undefined): Json =>
      isJsonObject(tool) && tool['type'] === 'retrieval' ? { type: 'file_search' } : (tool ?? null);
    return {
      ...body,
      ...(Array.isArray(tools) ? { tools: tools.map(named) } : {}),
      ...(choice === undefined ? {} : { tool_choice: named(choice) }),
    };
  },
});

/** A customary endpoint that takes the same query and body as an operation of the specification. */
const like = <Body = JsonObject>(operation: string, at: string, handle: Handler<Body>): ServiceRoute => ({
  ...serves(operation, handle),
  path: at,
});

/** Outputs by call id. @throws ApiError 400 naming the invalid field. */
function readOutputs(body: JsonObject): ReadonlyMap<string, string> {
  const sent = body['tool_outputs'];
  if (!Array.isArray(sent)) throw ApiError.invalid('tool_outputs', "'tool_outputs' must be an array.");
  return new Map(
    sent.map((item: unknown, n): [string, string] => {
      const { tool_call_id: id, output = '' } = isJsonObject(item) ? item : {};
      const at = `tool_outputs[${n}]`;
      if (typeof id !== 'string')
        throw ApiError.invalid(`${at}.tool_call_id`, `'${at}.tool_call_id' must be a string.`);
      // Functions without a result are submitted without an output.
      if (typeof output !== 'string')
        throw ApiError.invalid(`${at}.output`, `'${at}.output' must be a string.`);
      return [id, output];
    }),
  );
}

/** The specification has no endpoint to retrieve a run, so reading its steps advances it. */
const stepRoutes: Routes = (service) => [
  serves('listRunSteps', ({ path, query }) => {
    const record = needRun(service, path);
    pollRun(record);
    return listEnvelope(listPage(record.work.steps, query), (step) => step);
  }),
  serves('retrieveRunStep', ({ path }) => {
    // The step may be created by this transition.
    const record = needRun(service, path);
    pollRun(record);
    const { step_id: id = '' } = path;
    return existing(record.work.steps.get(id), 'step in this run', id);
  }),
];
