// Starting, advancing and showing runs; the state machine is in `run-engine.ts`.
import {
  type Assistant,
  assistantsOf,
  type ResponseFormat,
  shownTools,
  type Tool,
  type ToolResources,
  takeResources,
  type WireResources,
} from '../assistants/assistants.routes.ts';
import { ApiError, existing, shorten } from '../http/api-error.ts';
import type { Metadata } from '../http/json.ts';
import { EventStreamResponse, type ServerEvent } from '../http/response.ts';
import type { Version } from '../http/route.ts';
import { partCheck } from '../http/validation.ts';
import { modelsOf } from '../model/catalogue.ts';
import { countPromptTokens, type FunctionChoice, generate, readTools, type Turn } from '../model/generate.ts';
import { tokenize } from '../model/tokens.ts';
import { type Service, StateProgress } from '../state/service.ts';
import { touchStore } from '../vector-stores/vector-stores.routes.ts';
import {
  advanceRun,
  type EngineEvent,
  hasEnded,
  isOverdue,
  isResting,
  newRunState,
  type PlannedCall,
  pendingCalls,
  type Run,
  type RunReply,
  type RunState,
  type RunStep,
  requestCancel,
  type StoredMessage,
  submitToolOutputs,
  type ToolChoice,
  type Truncation,
} from './run-engine.ts';
import {
  addMessages,
  needThread,
  type RunRecord,
  showMessage,
  type Thread,
  takeMessage,
  type WireMessage,
} from './store.ts';

/** Validated body of a request to start a run; null counts as omitted. */
export interface RunFields {
  readonly assistant_id: string;
  /** Each setting overrides the assistant's for this run only. */
  readonly model?: string | null;
  readonly instructions?: string | null;
  readonly additional_instructions?: string | null;
  readonly additional_messages?: readonly WireMessage[] | null;
  readonly tools?: readonly Tool[] | null;
  readonly tool_resources?: WireResources | null;
  readonly metadata?: Metadata | null;
  readonly temperature?: number | null;
  readonly top_p?: number | null;
  readonly stream?: boolean | null;
  readonly max_prompt_tokens?: number | null;
  readonly max_completion_tokens?: number | null;
  readonly truncation_strategy?: { readonly type?: string; readonly last_messages?: number | null } | null;
  readonly tool_choice?: ToolChoice | null;
  readonly response_format?: ResponseFormat | null;
  /** Beyond the specification; only `false` has an effect. */
  readonly parallel_tool_calls?: unknown;
}

/** Seconds until a run expires. */
const LIFETIME = 600;

/**
 * Queues a run on a thread after the additional messages. @throws ApiError 400 or 404 for invalid references; then
 * nothing is created.
 */
export function startRun(service: Service, thread: Thread, fields: RunFields): RunRecord {
  refuseWhileRunning(thread);
  const run = newRun(service, thread, needAssistantOf(service, fields.assistant_id), fields);
  const messages = (fields.additional_messages ?? []).map((wire, n) =>
    takeMessage(service, thread.id, wire, `additional_messages[${n}]`),
  );
  addMessages(service, thread, ofRun(service, run, messages));
  touchStores(service, run, thread);
  return thread.runs.add({
    id: run.id,
    work: newRunState(run),
    service,
    around: {
      now: service.now,
      id: service.id,
      takes: service.takes,
      reply: (state) => replyTo(service, thread, state),
      keep: (message) => thread.messages.add(message),
    },
    progress: new StateProgress(service),
    moves: 0,
    streamed: false,
  });
}

/** The messages of a request for a run, with the id of the run if the service shows it. */
export function ofRun(
  service: Service,
  run: Run,
  messages: readonly StoredMessage[],
): readonly StoredMessage[] {
  if (service.takes('runs.caller-messages.run-id') === 'null') return messages;
  // A completed message with a run and an assistant looks as if the run wrote it, and would show when it was completed.
  return messages.map((message) => ({
    ...message,
    run_id: run.id,
    completed_at:
      message.completed_at ??
      (message.status === 'completed' && message.assistant_id !== null ? message.created_at : null),
  }));
}

/** The assistant that a body names. @throws ApiError 404, naming the field, if it does not exist. */
export function needAssistantOf(service: Service, id: string): Assistant {
  const assistant = assistantsOf(service).get(id);
  if (assistant !== undefined) return assistant;
  throw new ApiError(404, `No assistant found with id '${shorten(id)}'.`, { param: 'assistant_id' });
}

/** An unknown model makes the run fail, unless the service takes another alternative. @throws ApiError 400 or 404 */
function modelFor(service: Service, wanted: string, assistant: Assistant): string {
  const models = modelsOf(service);
  const unknown = service.takes('runs.model.unknown');
  if (unknown === 'failed' && models.all.get(wanted) === undefined) return wanted;
  if (unknown === 'answered' && models.all.get(wanted) === undefined) return assistant.model;
  return models.need(wanted, 'chat').id;
}

function replyTo(service: Service, thread: Thread, state: RunState): RunReply {
  const { model } = state.run;
  const isKnown = modelsOf(service).all.get(model) !== undefined;
  if (isKnown && service.runsEnd !== null) return unendedReply(service, state);
  if (isKnown) return askModel(service, thread, state);
  const error = { code: 'model_not_found', message: `The model '${shorten(model)}' does not exist.` };
  return { kind: 'failure', promptTokens: 0, error };
}

/** The reply of a model that never ends its message, fails, or takes longer than its run may. */
function unendedReply(service: Service, { run }: RunState): RunReply {
  const promptTokens = 8;
  if (service.runsEnd === 'failed') {
    const error = { code: 'server_error', message: 'The model does not answer.' };
    return { kind: 'failure', promptTokens, error };
  }
  if (service.runsEnd === 'expired') run.expires_at = service.now();
  return { kind: 'message', promptTokens, pieces: [' and', ' so', ' on'], isCut: true };
}

/** A queued run with the settings of the request, else of the assistant. @throws ApiError 400 or 404 */
function newRun(service: Service, thread: Thread, assistant: Assistant, fields: RunFields): Run {
  const model = modelFor(service, fields.model ?? assistant.model, assistant);
  const tools = fields.tools ?? assistant.tools;
  const tool_choice = takeChoice(fields.tool_choice ?? 'auto', tools);
  const created_at = service.now();
  return {
    id: service.id('run_'),
    object: 'thread.run',
    created_at,
    assistant_id: assistant.id,
    thread_id: thread.id,
    status: 'queued',
    started_at: null,
    cancelled_at: null,
    failed_at: null,
    completed_at: null,
    required_action: null,
    last_error: null,
    incomplete_details: null,
    usage: null,
    expires_at: created_at + LIFETIME,
    model,
    instructions: joinInstructions(
      fields.instructions ?? assistant.instructions,
      service.takes('runs.additional-instructions.told') === 'told' ? fields.additional_instructions : null,
    ),
    tools,
    tool_resources: resourcesOf(service, assistant, fields.tool_resources),
    metadata: fields.metadata ?? {},
    temperature: fields.temperature ?? inherited(service, 'temperature', assistant.temperature) ?? 1,
    top_p: fields.top_p ?? inherited(service, 'top-p', assistant.top_p) ?? 1,
    max_prompt_tokens: fields.max_prompt_tokens ?? null,
    max_completion_tokens: fields.max_completion_tokens ?? null,
    truncation_strategy: takeTruncation(service, fields.truncation_strategy),
    response_format:
      fields.response_format ?? inherited(service, 'response-format', assistant.response_format) ?? 'auto',
    tool_choice,
    file_ids: assistant.files.values().map(({ id }) => id),
    parallel_tool_calls: fields.parallel_tool_calls !== false,
  };
}

/** A setting of the assistant if runs inherit it; null if they use the default. */
function inherited<T>(service: Service, setting: string, own: T): T | null {
  return service.takes(`runs.assistant.${setting}`) === 'the default' ? null : own;
}

function joinInstructions(instructions: string | null, more: string | null | undefined): string | null {
  const parts = [instructions, more].filter((part) => part !== null && part !== undefined && part !== '');
  return parts.length === 0 ? instructions : parts.join('\n');
}

/** Each kind of resource that the run sets overrides the assistant's. */
function resourcesOf(
  service: Service,
  { tool_resources }: Assistant,
  own: RunFields['tool_resources'],
): ToolResources {
  return structuredClone({
    ...inherited(service, 'tool-resources', tool_resources),
    ...takeResources(service, own),
  });
}

/** @throws ApiError 400 for a choice of a tool that the run does not have. */
function takeChoice(choice: ToolChoice, tools: readonly Tool[]): ToolChoice {
  if (choice === 'none' || choice === 'auto') return choice;
  if (choice === 'required') {
    if (tools.length > 0) return choice;
    throw ApiError.invalid('tool_choice', "'tool_choice' is required, but the run has no tools.");
  }
  if (tools.some((tool) => isChosen(tool, choice))) return choice;
  const name = choice.type === 'function' ? choice.function.name : choice.type;
  throw ApiError.invalid(
    'tool_choice',
    `'tool_choice' names '${shorten(name)}', which is not among the run's tools.`,
  );
}

function isChosen(tool: Tool, choice: Exclude<ToolChoice, string>): boolean {
  if (choice.type === 'function')
    return tool.type === 'function' && tool.function.name === choice.function.name;
  return tool.type === choice.type;
}

/**
 * The rule of the specification's table: a number of messages is needed only for `last_messages` (1 Truncation).
 */
const checkTruncation = partCheck({
  type: 'object',
  properties: {
    type: { enum: ['auto', 'last_messages'] },
    last_messages: { type: ['integer', 'null'], minimum: 1 },
  },
  if: { required: ['type'], properties: { type: { const: 'last_messages' } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['last_messages'], properties: { last_messages: { type: 'integer' } } },
});

/** Validates a truncation strategy; the default is `auto`. @throws ApiError 400 */
function takeTruncation(service: Service, wire: RunFields['truncation_strategy']): Truncation {
  if ((wire ?? null) === null && service.takes('runs.truncation.default') === 'another')
    return { type: 'last_messages', last_messages: 50 };
  const given = wire ?? {};
  checkTruncation(given, 'truncation_strategy');
  return { type: given.type ?? 'auto', last_messages: given.last_messages ?? null };
}

/** A run with file search uses its stores, which extends their expiry. */
function touchStores(service: Service, run: Run, thread: Thread): void {
  if (!run.tools.some(({ type }) => type === 'file_search')) return;
  for (const { file_search } of [run.tool_resources, thread.tool_resources]) {
    for (const id of file_search?.vector_store_ids ?? []) touchStore(service, id);
  }
}

function askModel(service: Service, thread: Thread, state: RunState): RunReply {
  const { run } = state;
  const { type, last_messages: kept } = run.truncation_strategy;
  // Messages that the run itself writes are its output, not its prompt.
  const inputMessages = thread.messages
    .values()
    .filter(({ run_id, assistant_id }) => run_id !== run.id || assistant_id !== run.assistant_id);
  const turns: Turn[] = [
    ...(run.instructions === null ? [] : [{ role: 'system', text: run.instructions, images: 0 }]),
    ...(type === 'last_messages' && kept !== null ? inputMessages.slice(-kept) : inputMessages).map(turnOf),
    ...state.steps.values().flatMap(outputsOf),
  ];
  const tools = readTools(run.tools);
  const prompt = countPromptTokens(turns, tools);
  if (service.smallModel) return smallReply(run, prompt);
  const called = state.steps.values().flatMap(calledBy);
  const builtIn = builtInCall(
    run,
    turns.findLast(({ role }) => role !== 'tool'),
    called,
  );
  if (builtIn !== null) return { kind: 'calls', promptTokens: prompt, calls: [builtIn] };
  const reply = generate({
    turns,
    tools,
    toolChoice: functionChoice(run, called.length === 0),
    json: typeof run.response_format === 'object' && run.response_format.type === 'json_object',
    stop: [],
    maxTokens: null,
    variation: 0,
    bias: {},
  });
  if (reply.calls.length === 0) return { kind: 'message', promptTokens: prompt, pieces: reply.tokens };
  const wanted = run.parallel_tool_calls ? reply.calls : reply.calls.slice(0, 1);
  const calls = wanted.map(
    ({ name, arguments: given }): PlannedCall => ({ type: 'function', name, pieces: tokenize(given) }),
  );
  return { kind: 'calls', promptTokens: prompt, calls };
}

/** Context of a small model in tokens, prompt and reply together. */
const SMALL_CONTEXT = 512;

/** The reply of a small model: it ends a text late, and never if it should call a function or write JSON. */
function smallReply({ tool_choice: choice, response_format: format }: Run, promptTokens: number): RunReply {
  const left = SMALL_CONTEXT - promptTokens;
  const isLost = choice === 'required' || typeof choice === 'object' || typeof format === 'object';
  if (left > 0)
    return {
      kind: 'message',
      promptTokens,
      pieces: Array(isLost ? left : Math.ceil(left / 2)).fill(' well'),
      ...(isLost && { isCut: true }),
    };
  const message = `The request exceeds the context of the model, which is ${SMALL_CONTEXT} tokens.`;
  return { kind: 'failure', promptTokens, error: { code: 'context_length_exceeded', message } };
}

function turnOf({ role, content }: StoredMessage): Turn {
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text.value] : []));
  return { role, text: texts.reduce(joined, ''), images: content.length - texts.length };
}

function joined(before: string, after: string): string {
  return before === '' || before.endsWith(' ') ? before + after : `${before} ${after}`;
}

/** The outputs of the calls of a step as turns; built-in tools have a fixed text. */
function outputsOf({ step_details: details }: RunStep): Turn[] {
  if (details.type !== 'tool_calls') return [];
  return details.tool_calls.map((call) => {
    const text = call.type === 'function' ? (call.function.output ?? '') : `${call.type} is done.`;
    return { role: 'tool', text, images: 0 };
  });
}

function calledBy({ step_details: details }: RunStep): string[] {
  return details.type === 'tool_calls' ? details.tool_calls.map(({ type }) => type) : [];
}

/** A built-in tool is called if it is forced, if it alone can fulfil `required`, or if the user names it. */
function builtInCall(
  { tools, tool_choice: choice }: Run,
  last: Turn | undefined,
  called: readonly string[],
): PlannedCall | null {
  const offered = tools.flatMap(({ type }) => (type === 'function' ? [] : [type]));
  const asked = last?.role === 'user' ? last.text.toLowerCase().replaceAll(' ', '_') : '';
  const named = offered.find((type) => asked.includes(type) && !called.includes(type));
  const forced = typeof choice === 'object' ? offered.find((type) => type === choice.type) : undefined;
  const alone = choice === 'required' && offered.length === tools.length ? offered[0] : undefined;
  const free = choice === 'auto' || (choice !== 'none' && called.length > 0);
  const made = called.length === 0 ? (forced ?? alone) : undefined;
  const type = made ?? (free ? named : undefined);
  return type === undefined ? null : { type, name: type, pieces: [] };
}

/** A forced choice applies only to the first turn; otherwise the model would call the same tool forever. */
function functionChoice({ tool_choice: choice }: Run, isFirst: boolean): FunctionChoice {
  if (typeof choice === 'string') return isFirst || choice === 'none' ? choice : 'auto';
  // If a built-in tool is forced, the model may still call functions.
  return isFirst && choice.type === 'function' ? { name: choice.function.name } : 'auto';
}

export function needRun(service: Service, path: Readonly<Record<string, string>>): RunRecord {
  const { thread_id, run_id: id = '' } = path;
  return existing(needThread(service, thread_id).runs.get(id), 'run in this thread', id);
}

export const pollRun = (record: RunRecord): void => catchUp(record, record.progress.read());

/** Advances the active run of a thread because its messages are read. */
export function pollThread(thread: Thread): void {
  const active = activeRun(thread);
  if (active !== undefined) pollRun(active);
}

/** @throws ApiError 400 while a run is active, which locks the thread. */
export function refuseWhileRunning(thread: Thread): void {
  const active = activeRun(thread);
  if (active === undefined) return;
  throw ApiError.invalid(
    'thread_id',
    `The thread '${thread.id}' has an active run '${active.id}'; wait for its end or cancel it.`,
  );
}

/** Requests the cancellation of a run. @throws ApiError 400 if it has ended. */
export function cancelRun(record: RunRecord): void {
  advanceByTime(record);
  const { status } = record.work.run;
  if (hasEnded(record.work))
    throw ApiError.invalid(null, `The run is ${status} and can no longer be cancelled.`);
  requestCancel(record.work);
  restart(record);
}

/**
 * Submits the outputs that a run waits for, by call id, and returns the events of that transition.
 * @throws ApiError 400 when the run does not wait, or when outputs are missing or unknown.
 */
export function submitOutputs(record: RunRecord, given: ReadonlyMap<string, string>): readonly EngineEvent[] {
  advanceByTime(record);
  const { work } = record;
  if (work.run.status !== 'requires_action' || work.turn === null) {
    throw ApiError.invalid(
      null,
      `The run is ${work.run.status}; it takes tool outputs only while it requires action.`,
    );
  }
  // All outputs are submitted together; without one of them the model could not continue.
  const wanted = pendingCalls(work.turn.step).map(({ id }) => id);
  const missing = wanted.filter((id) => !given.has(id));
  const unknown = [...given.keys()].filter((id) => !wanted.includes(id));
  if (missing.length > 0 || unknown.length > 0) {
    throw ApiError.invalid(
      'tool_outputs',
      `'tool_outputs' must answer exactly the calls ${wanted.join(', ')}.`,
    );
  }
  restart(record);
  return snapshots(submitToolOutputs(work, given, record.around));
}

/**
 * The events of a run until it rests, then `done`. If the client disconnects, the run still advances until it rests.
 * `show` converts the data of an event to its wire form.
 */
function* streamRun(
  record: RunRecord,
  first: Iterable<EngineEvent>,
  show: (event: EngineEvent) => unknown,
): Generator<ServerEvent> {
  record.streamed = true;
  try {
    for (const event of first) yield { event: event.event, data: show(event) };
    while (!isResting(record.work)) {
      for (const event of advanceRun(record.work, record.around))
        yield { event: event.event, data: show(event) };
    }
    yield { event: 'done', data: '[DONE]' };
    // Also runs if the client disconnects, which ends the generator early.
  } finally {
    while (!isResting(record.work)) drain(advanceRun(record.work, record.around));
    record.streamed = false;
  }
}

/** Makes the transitions that are due by the clock; does not count as a retrieval. */
export const advanceByTime = (record: RunRecord): void => catchUp(record, record.progress.steps);

/** Copies of events, because their objects may change before they are written. */
export const snapshots = (events: Iterable<EngineEvent>): readonly EngineEvent[] =>
  Array.from(events, ({ event, data }) => ({ event, data: structuredClone(data) }));

const drain = (events: Iterable<EngineEvent>): void => {
  for (const _ of events);
};

/** The last run of a thread if it is active; the others have ended. */
function activeRun(thread: Thread): RunRecord | undefined {
  const last = thread.runs.values().at(-1);
  if (last === undefined) return undefined;
  advanceByTime(last);
  return hasEnded(last.work) ? undefined : last;
}

/** Makes transitions until `due` have been made since `progress` began, each at its own time; then checks expiry. */
function catchUp(record: RunRecord, due: number): void {
  const { work, around, progress } = record;
  // The stream would otherwise lack the events of these transitions.
  if (record.streamed) return;
  while (record.moves < due && !isResting(work)) {
    record.moves += 1;
    const now = () => progress.at(record.moves);
    drain(advanceRun(work, { ...around, now }));
  }
  if (isOverdue(work, around.now())) drain(advanceRun(work, around));
}

/** Counts transitions from zero after an action of the client. */
function restart(record: RunRecord): void {
  record.progress = new StateProgress(record.service);
  record.moves = 0;
}

export function showRun({ file_ids, tools, ...run }: Run, version: Version) {
  // The stored run keeps both forms: the next request may ask for the other one.
  const shown = { ...run, tools: shownTools(tools, version) };
  return version === 'v1' ? { ...shown, file_ids } : shown;
}

export const runEvents = (
  record: RunRecord,
  first: Iterable<EngineEvent>,
  version: Version,
): EventStreamResponse =>
  new EventStreamResponse(streamRun(record, first, (event) => showData(event, version)));

/** Deltas are in wire form already. */
function showData({ event, data }: EngineEvent, version: Version): unknown {
  // as: the engine names each event after the object it carries
  if (/^thread\.run\.[a-z_]+$/.test(event)) return showRun(data as Run, version);
  if (/^thread\.message\.(?!delta$)/.test(event)) return showMessage(data as StoredMessage, version);
  return data;
}
