// Threads, their messages with files, and runs with steps (1 Threads, 1 Messages, 1 Runs).
import { resolveResources, type WireResources } from '../assistants/tools.ts';
import { filesOf } from '../files/file-store.ts';
import { ApiError, requireObject } from '../http/api-error.ts';
import { isJsonObject, type Json, type JsonObject, type Metadata } from '../http/json.ts';
import { listEnvelope, listPage } from '../http/list-page.ts';
import { JsonResponse } from '../http/response.ts';
import {
  type Handler,
  type HandlerRequest,
  type Routes,
  type ServiceRoute,
  serves,
  servesCustomary,
  versionOf,
} from '../http/route.ts';
import { Collection, createOrUndo } from '../state/collection.ts';
import type { Service } from '../state/service.ts';
import { pollAfter } from '../state/transitions.ts';
import { storesOf } from '../vector-stores/stores.ts';
import { needRunAssistant, type RunFields } from './make-run.ts';
import { makeMessage, showMessage, type WireMessage } from './messages.ts';
import type { EngineEvent } from './run-engine.ts';
import type { StoredMessage } from './run-objects.ts';
import {
  advanceByTime,
  assignToRun,
  cancelRun,
  copyEvents,
  needRun,
  pollRun,
  pollThread,
  refuseWhileRunning,
  runEvents,
  showRun,
  startRun,
  submitOutputs,
} from './runs.ts';
import {
  addMessages,
  type NewThread,
  needMessage,
  needThread,
  type RunRecord,
  showThread,
  startThread,
  threadsOf,
} from './thread-store.ts';

export const routes: Routes = (service) => [
  ...threadRoutes(service),
  ...messageRoutes(service),
  ...fileRoutes(service),
  ...startRoutes(service),
  ...readRoutes(service),
  ...ACTION_ROUTES,
  ...stepRoutes(service),
];

// Deleting a thread deletes its messages and runs, even an active run.
const threadRoutes: Routes = (service) => [
  serves<NewThread>('createThread', ({ body }) =>
    createOrUndo([storesOf(service)], () => showThread(startThread(service, body))),
  ),
  serves('retrieveThread', ({ path }) => showThread(needThread(service, path['thread_id']))),
  serves<{ readonly tool_resources?: WireResources | null; readonly metadata?: Metadata | null }>(
    'modifyThread',
    ({ path, body }) => {
      const thread = needThread(service, path['thread_id']);
      // An omitted field keeps its value; null resets it.
      if (body.tool_resources !== undefined)
        thread.tool_resources = resolveResources(service, body.tool_resources);
      if (body.metadata !== undefined) thread.metadata = body.metadata ?? {};
      return showThread(thread);
    },
  ),
  serves('deleteThread', ({ path }) => {
    const { id } = needThread(service, path['thread_id']);
    threadsOf(service).delete(id);
    return { id, object: 'thread.deleted', deleted: true };
  }),
];

// Listing messages or retrieving a message of a run advances the run; no message can be added while a run is active.
const messageRoutes: Routes = (service) => [
  serves<WireMessage>('createMessage', (request) => {
    const thread = needThread(service, request.path['thread_id']);
    refuseWhileRunning(thread);
    const message = makeMessage(service, thread.id, request.body);
    addMessages(service, thread, [message]);
    return showMessageFor(message, request);
  }),
  serves('listMessages', listMessages),
  serves('retrieveMessage', (request) => {
    const { thread, message } = needPathMessage(request);
    const run = thread.runs.get(message.run_id ?? '');
    if (run !== undefined) pollRun(run);
    return showMessageFor(message, request);
  }),
  serves<{ readonly metadata?: Metadata | null }>('modifyMessage', (request) => {
    const { message } = needPathMessage(request);
    if (request.body.metadata !== undefined) message.metadata = request.body.metadata ?? {};
    return showMessageFor(message, request);
  }),
  // Run steps keep the ids of deleted messages.
  servesCustomary('DELETE', '/v1/threads/{thread_id}/messages/{message_id}', (request) => {
    const { thread, message } = needPathMessage(request);
    thread.messages.delete(message.id);
    return { id: message.id, object: 'thread.message.deleted', deleted: true };
  }),
];

function needPathMessage({ service, path }: HandlerRequest<unknown>) {
  const thread = needThread(service, path['thread_id']);
  return { thread, message: needMessage(thread, path['message_id']) };
}

function showMessageFor(message: StoredMessage, request: HandlerRequest<unknown>) {
  return showMessage(message, versionOf(request));
}

function listMessages(request: HandlerRequest) {
  const thread = needThread(request.service, request.path['thread_id']);
  // The specification has no endpoint to retrieve a run, so clients wait for it by reading its messages.
  pollThread(thread);
  const run = request.query['run_id'];
  const page = listPage(thread.messages, request.query, ({ run_id }) => run === undefined || run_id === run);
  return listEnvelope(page, (message) => showMessageFor(message, request));
}

interface MessageFile {
  readonly id: string;
  readonly object: 'thread.message.file';
  readonly created_at: number;
  readonly message_id: string;
}

// The specification has files of messages under v1 only; by default, the service serves them under v2 too.
const fileRoutes: Routes = (service) => [
  serves('listMessageFiles', (request) =>
    listEnvelope(listPage(filesOfMessage(service, request), request.query), (file) => file),
  ),
  // Files that exist but are not attached to the message are unknown here.
  serves('retrieveMessageFile', (request) => {
    const { file_id: id = '' } = request.path;
    return requireObject(filesOfMessage(service, request).get(id), 'file of this message', id);
  }),
];

/** @throws ApiError 404 for an unknown thread or message. */
function filesOfMessage(service: Service, { path }: HandlerRequest): Collection<MessageFile> {
  const message = needMessage(needThread(service, path['thread_id']), path['message_id']);
  const files = new Collection<MessageFile>();
  const messageFiles = message.file_ids.map((id) => ({
    id,
    object: 'thread.message.file' as const,
    // The time of upload is unknown for a file that was deleted or never existed.
    created_at: filesOf(service).all.get(id)?.created_at ?? message.created_at,
    message_id: message.id,
  }));
  for (const file of messageFiles.toSorted((a, b) => a.created_at - b.created_at)) files.add(file);
  return files;
}

const RUNS_PATH = '/v1/threads/{thread_id}/runs';

/** The two operations of the specification that start runs. Each ignores the fields that only the other has. */
const startRoutes: Routes = (service) => [
  acceptRetrieval(
    serves<RunFields>('createRun', (request) => {
      const thread = needThread(service, request.path['thread_id']);
      const fields = { ...request.body, tool_resources: null };
      return respondToStart(startRun(service, thread, fields), request, []);
    }),
  ),
  acceptRetrieval(
    serves<RunFields & { readonly thread?: NewThread | null }>('createThreadAndRun', (request) =>
      createOrUndo([storesOf(service), threadsOf(service)], () => {
        // An unknown assistant is reported before problems of the thread.
        needRunAssistant(service, request.body.assistant_id);
        const thread = startThread(service, request.body.thread ?? {}, 'thread');
        const threadCreated = { event: 'thread.created', data: showThread(thread) };
        const fields = { ...request.body, additional_instructions: null, additional_messages: null };
        const record = startRun(service, thread, fields);
        for (const message of assignToRun(service, record.work.run, thread.messages.values()))
          thread.messages.add(message);
        return respondToStart(record, request, [threadCreated]);
      }),
    ),
  ),
];

/** Retrieving a run polls it; listing and modifying runs only applies what is due by the clock. */
const readRoutes: Routes = (service) => [
  // `listRunSteps` has the same query parameters as a list of runs.
  serveLike('listRunSteps', RUNS_PATH, (request) => {
    const { runs } = needThread(service, request.path['thread_id']);
    for (const record of runs.values()) advanceByTime(record);
    return listEnvelope(listPage(runs, request.query), (record) => showRunFor(record, request));
  }),
  servesCustomary('GET', `${RUNS_PATH}/{run_id}`, (request) => {
    const record = needRun(service, request.path);
    pollRun(record);
    return new JsonResponse(showRunFor(record, request), pollAfter(service));
  }),
  // `modifyMessage` has the same body: metadata only.
  serveLike<{ readonly metadata?: Metadata | null }>('modifyMessage', `${RUNS_PATH}/{run_id}`, (request) => {
    const record = needRun(service, request.path);
    advanceByTime(record);
    if (request.body.metadata !== undefined) record.work.run.metadata = request.body.metadata ?? {};
    return showRunFor(record, request);
  }),
];

const ACTION_ROUTES: readonly ServiceRoute[] = [
  servesCustomary('POST', `${RUNS_PATH}/{run_id}/cancel`, (request) => {
    const record = needRun(request.service, request.path);
    cancelRun(record);
    return showRunFor(record, request);
  }),
  servesCustomary('POST', `${RUNS_PATH}/{run_id}/submit_tool_outputs`, (request) => {
    const record = needRun(request.service, request.path);
    const events = submitOutputs(record, readOutputs(request.body));
    return request.body['stream'] === true
      ? runEvents(record, events, versionOf(request))
      : showRunFor(record, request);
  }),
];

function showRunFor({ work }: RunRecord, request: HandlerRequest<unknown>) {
  return showRun(work.run, versionOf(request));
}

function respondToStart(
  record: RunRecord,
  request: HandlerRequest<RunFields>,
  before: readonly EngineEvent[],
) {
  if (request.body.stream !== true) return showRunFor(record, request);
  const { run } = record.work;
  // Streams begin with the states that the run has already passed through.
  const first = [
    ...before,
    { event: 'thread.run.created', data: run },
    { event: 'thread.run.queued', data: run },
  ];
  return runEvents(record, copyEvents(first), versionOf(request));
}

/** Older clients write `retrieval` for `file_search`. */
const acceptRetrieval = (route: ServiceRoute): ServiceRoute => ({
  ...route,
  prepare: (body) => {
    const { tools, tool_choice: choice } = body;
    const rename = (tool: Json | undefined): Json =>
      isJsonObject(tool) && tool['type'] === 'retrieval' ? { type: 'file_search' } : (tool ?? null);
    return {
      ...body,
      ...(Array.isArray(tools) ? { tools: tools.map(rename) } : {}),
      ...(choice === undefined ? {} : { tool_choice: rename(choice) }),
    };
  },
});

/** A customary endpoint that takes the same query and body as an operation of the specification. */
function serveLike<Body = JsonObject>(operation: string, path: string, handle: Handler<Body>): ServiceRoute {
  return { ...serves(operation, handle), path };
}

function readOutputs(body: JsonObject): ReadonlyMap<string, string> {
  const outputs = body['tool_outputs'];
  if (!Array.isArray(outputs)) throw ApiError.invalid('tool_outputs', "'tool_outputs' must be an array.");
  return new Map(
    outputs.map((item: unknown, n): [string, string] => {
      const { tool_call_id: id, output = '' } = isJsonObject(item) ? item : {};
      const at = `tool_outputs[${n}]`;
      if (typeof id !== 'string')
        throw ApiError.invalid(`${at}.tool_call_id`, `'${at}.tool_call_id' must be a string.`);
      // An omitted output counts as empty, because clients submit none for functions without a result.
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
    // Polling the run may create the step.
    const record = needRun(service, path);
    pollRun(record);
    const { step_id: id = '' } = path;
    return requireObject(record.work.steps.get(id), 'step in this run', id);
  }),
];
