// The state machine of a run (1 Runs), without clock, network or model. A transition is a generator that changes the stored
// objects and yields the events of a stream; callers that need no events drain it. All state is in the objects, so a transition
// that a disconnecting client interrupts continues where it stopped.
import type { ResponseFormat, Tool, ToolResources } from '../assistants/assistants.routes.ts';
import type { Metadata } from '../http/json.ts';
import { Collection } from '../state/collection.ts';

// The objects of a run as the service stores them and changes them in place.

export interface Usage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
}

/** A mode, or one tool by type and name (1 Tool choice). */
export type ToolChoice =
  | 'none'
  | 'auto'
  | 'required'
  | { readonly type: 'code_interpreter' | 'file_search' }
  | { readonly type: 'function'; readonly function: { readonly name: string } };

/** How many of the last messages the model reads (1 Truncation); null for all. */
export interface Truncation {
  readonly type: string;
  readonly last_messages: number | null;
}

/** The states of a run; all from `failed` on are final. `cancelling` lasts for one transition. */
export type RunStatus =
  | 'queued'
  | 'in_progress'
  | 'requires_action'
  | 'cancelling'
  | 'failed'
  | 'cancelled'
  | 'completed'
  | 'incomplete'
  | 'expired';

/** The calls whose outputs a run waits for, without output fields. */
export interface RequiredAction {
  readonly type: 'submit_tool_outputs';
  readonly submit_tool_outputs: {
    readonly tool_calls: readonly {
      readonly id: string;
      readonly type: 'function';
      readonly function: { readonly name: string; readonly arguments: string };
    }[];
  };
}

/** A run (1 Run), with the fields that legacy clients read. */
export interface Run {
  readonly id: string;
  readonly object: 'thread.run';
  readonly created_at: number;
  readonly assistant_id: string;
  readonly thread_id: string;
  status: RunStatus;
  started_at: number | null;
  /** Unix seconds; null once the run has ended, unless it expired. */
  expires_at: number | null;
  cancelled_at: number | null;
  failed_at: number | null;
  completed_at: number | null;
  required_action: RequiredAction | null;
  last_error: Failure | null;
  readonly model: string;
  readonly instructions: string | null;
  incomplete_details: { readonly reason: 'max_prompt_tokens' | 'max_completion_tokens' } | null;
  readonly tools: readonly Tool[];
  readonly tool_resources: ToolResources;
  metadata: Metadata;
  usage: Usage | null;
  readonly temperature: number;
  readonly top_p: number;
  /** Budgets over all turns of the run; null for none. */
  readonly max_prompt_tokens: number | null;
  readonly max_completion_tokens: number | null;
  readonly truncation_strategy: Truncation;
  readonly response_format: ResponseFormat;
  readonly tool_choice: ToolChoice;
  /** The assistant's files; shown under v1. */
  readonly file_ids: readonly string[];
  /** Beyond the specification: false allows at most one function call in a turn. */
  readonly parallel_tool_calls: boolean;
}

/** A call of a function; the output is null until the client submits it. */
export interface FunctionCall {
  readonly id: string;
  readonly type: 'function';
  function: { readonly name: string; arguments: string; output: string | null };
}

export type ToolCall =
  | FunctionCall
  | {
      readonly id: string;
      readonly type: 'file_search';
      readonly file_search: Readonly<Record<string, never>>;
    }
  | {
      readonly id: string;
      readonly type: 'code_interpreter';
      readonly code_interpreter: { readonly input: string; readonly outputs: readonly unknown[] };
    };

export interface Failure {
  readonly code: string;
  readonly message: string;
}

type StepDetails =
  | { readonly type: 'message_creation'; readonly message_creation: { readonly message_id: string } }
  | { readonly type: 'tool_calls'; readonly tool_calls: ToolCall[] };

export interface RunStep {
  readonly id: string;
  readonly object: 'thread.run.step';
  readonly created_at: number;
  readonly assistant_id: string;
  readonly thread_id: string;
  readonly run_id: string;
  readonly type: StepDetails['type'];
  status: 'in_progress' | 'cancelled' | 'failed' | 'completed' | 'expired';
  step_details: StepDetails;
  last_error: Failure | null;
  expired_at: number | null;
  cancelled_at: number | null;
  failed_at: number | null;
  completed_at: number | null;
  readonly metadata: Metadata;
  usage: Usage | null;
}

export type ContentPart =
  | { readonly type: 'text'; text: { value: string; annotations: readonly unknown[] } }
  | { readonly type: 'image_file' | 'image_url'; readonly [key: string]: unknown };

export interface Attachment {
  readonly file_id?: string;
  readonly tools?: readonly { readonly type: string }[];
}

/** A message (1 Message). `file_ids` is shown under v1, `attachments` under v2. */
export interface StoredMessage {
  readonly id: string;
  readonly object: 'thread.message';
  readonly created_at: number;
  readonly thread_id: string;
  status: 'in_progress' | 'incomplete' | 'completed';
  incomplete_details: {
    readonly reason: 'max_tokens' | 'run_cancelled' | 'run_expired' | 'run_failed';
  } | null;
  completed_at: number | null;
  incomplete_at: number | null;
  readonly role: 'user' | 'assistant';
  readonly content: ContentPart[];
  readonly assistant_id: string | null;
  readonly run_id: string | null;
  readonly file_ids: readonly string[];
  readonly attachments: readonly Attachment[];
  metadata: Metadata;
}

/** An event of a stream. `data` is the stored object itself: serialize it before requesting the next one. */
export interface EngineEvent {
  readonly event: string;
  readonly data: unknown;
}

export interface RunEnvironment {
  /** Unix seconds. */
  now(): number;
  id(prefix: string): string;
  takes(choice: string): string;
  reply(state: RunState): RunReply;
  keep(message: StoredMessage): void;
}

export interface RunState {
  readonly run: Run;
  readonly steps: Collection<RunStep>;
  readonly used: { prompt: number; completion: number };
  turn: Turn | null;
  overfull: boolean;
}

interface Turn {
  readonly reply: RunReply;
  readonly step: RunStep;
  readonly message: StoredMessage | null;
  sent: number;
}

export type RunMove = Generator<EngineEvent, void>;

/** Final states. */
const ENDED: ReadonlySet<RunStatus> = new Set(['completed', 'incomplete', 'failed', 'cancelled', 'expired']);

export const hasEnded = ({ run }: RunState): boolean => ENDED.has(run.status);

/** True if time can only expire the run: it has ended or waits for tool outputs. */
export const isResting = (state: RunState): boolean =>
  hasEnded(state) || state.run.status === 'requires_action';

/** True when a run that has not ended is past `expires_at`; `now` in Unix seconds. */
export const isOverdue = (state: RunState, now: number): boolean =>
  !hasEnded(state) && state.run.expires_at !== null && now >= state.run.expires_at;

export const newRunState = (run: Run): RunState => ({
  run,
  steps: new Collection(),
  used: { prompt: 0, completion: 0 },
  turn: null,
  overfull: false,
});

/** Advances a run by one state or, after a call of a built-in tool, to its next step. A resting run can only expire. */
export function* advanceRun(state: RunState, around: RunEnvironment): RunMove {
  const { run } = state;
  if (hasEnded(state)) return;
  // A requested cancellation completes even if the run is overdue.
  if (run.status === 'cancelling') yield* abandon(state, around, 'cancelled');
  else if (isOverdue(state, around.now())) yield* abandon(state, around, 'expired');
  else if (run.status === 'queued') yield* begin(state, around);
  else if (run.status === 'in_progress') yield* proceed(state, around);
}

export function requestCancel({ run }: RunState): void {
  run.status = 'cancelling';
}

/** Completes the step with the outputs, by call id, and queues the run again. */
export function* submitToolOutputs(
  state: RunState,
  outputs: ReadonlyMap<string, string>,
  around: RunEnvironment,
): RunMove {
  const { run, turn } = state;
  run.status = 'queued';
  run.required_action = null;
  if (turn !== null) {
    for (const call of pendingCalls(turn.step)) call.function.output = outputs.get(call.id) ?? '';
    if (turn.step.status === 'in_progress') yield* endStep(turn, 'completed', around);
  }
  yield { event: 'thread.run.queued', data: run };
}

/** Moves a run from queued to in_progress, with its first step or the one after tool outputs. */
function* begin(state: RunState, around: RunEnvironment): RunMove {
  const { run } = state;
  run.status = 'in_progress';
  // A run starts once, even though it is queued again after tool outputs.
  run.started_at ??= around.now();
  state.turn = null;
  yield { event: 'thread.run.in_progress', data: run };
  yield* openStep(state, around);
}

/** Continues a run in progress: writes the message, makes the calls, or fails. */
function* proceed(state: RunState, around: RunEnvironment): RunMove {
  const { turn } = state;
  if (state.overfull) yield* stop(state, around, 'max_prompt_tokens');
  else if (turn === null) yield* openStep(state, around);
  else if (turn.reply.kind === 'message') yield* speak(state, turn, turn.reply, around);
  else if (turn.reply.kind === 'calls') yield* call(state, turn, turn.reply.calls, around);
  else yield* fail(state, turn, turn.reply.error, around);
}

/** Asks the model and creates the step of its reply, unless the prompt exceeds its budget. */
function* openStep(state: RunState, around: RunEnvironment): RunMove {
  const { run, used } = state;
  const reply = around.reply(state);
  used.prompt += reply.promptTokens;
  // The budget covers all turns.
  state.overfull = run.max_prompt_tokens !== null && used.prompt > run.max_prompt_tokens;
  if (state.overfull) return;
  const message = reply.kind === 'calls' ? null : newMessage(run, around);
  const step = newStep(run, message, around);
  state.turn = { reply, step, message, sent: 0 };
  state.steps.add(step);
  if (message !== null) around.keep(message);
  yield { event: 'thread.run.step.created', data: step };
  yield { event: 'thread.run.step.in_progress', data: step };
  if (message === null) return;
  yield { event: 'thread.message.created', data: message };
  yield { event: 'thread.message.in_progress', data: message };
}

/** Writes the rest of a message, one delta per token, and ends the run. */
function* speak(state: RunState, turn: Turn, reply: SpokenReply, around: RunEnvironment): RunMove {
  const { message } = turn;
  const { pieces, isCut = false } = reply;
  if (message === null) return;
  while (turn.sent < pieces.length && affordable(state)) {
    const value = pieces[turn.sent] ?? '';
    // The stored message grows with each delta, so that clients can read the text so far.
    const part = message.content[0];
    if (part?.type === 'text') part.text.value += value;
    else message.content.push({ type: 'text', text: { value, annotations: [] } });
    spend(state, turn);
    yield messageDelta(message, value);
    // The run may have been cancelled while the client read the delta.
    if (state.run.status !== 'in_progress') return;
  }
  const whole = turn.sent >= pieces.length && !isCut;
  yield* endMessage(message, whole ? null : 'max_tokens', around);
  yield* endStep(turn, 'completed', around);
  if (whole) yield* finish(state, around, 'completed');
  else yield* stop(state, around, 'max_completion_tokens');
}

/**
 * Makes the remaining calls, one delta per token. Function calls then wait for outputs; after a built-in tool the model
 * has another turn.
 */
function* call(state: RunState, turn: Turn, calls: readonly PlannedCall[], around: RunEnvironment): RunMove {
  const details = turn.step.step_details;
  if (details.type !== 'tool_calls') return;
  const tokens = calls.flatMap((planned, index) =>
    [null, ...planned.pieces].map((text) => ({ index, planned, text })),
  );
  for (const { index, planned, text } of tokens.slice(turn.sent)) {
    if (!affordable(state)) {
      yield* endStep(turn, 'cancelled', around);
      return yield* stop(state, around, 'max_completion_tokens');
    }
    spend(state, turn);
    const open = details.tool_calls[index];
    if (text === null) {
      const opened = newCall(planned.type, planned.name, around);
      details.tool_calls.push(opened);
      yield callDelta(turn.step, { index, ...opened });
    } else {
      if (open?.type === 'function') open.function.arguments += text;
      yield callDelta(turn.step, { index, type: 'function', function: { arguments: text } });
    }
    if (state.run.status !== 'in_progress') return;
  }
  if (pendingCalls(turn.step).length > 0) return yield* waitForOutputs(state, turn, around);
  yield* endStep(turn, 'completed', around);
  yield* openStep(state, around);
}

function* waitForOutputs({ run }: RunState, turn: Turn, around: RunEnvironment): RunMove {
  const { step } = turn;
  if (around.takes('run-steps.status.while-waiting') === 'completed')
    yield* endStep(turn, 'completed', around);
  const tool_calls = pendingCalls(step).map(({ id, type, function: { name, arguments: given } }) => ({
    id,
    type,
    function: { name, arguments: given },
  }));
  run.status = 'requires_action';
  run.required_action = { type: 'submit_tool_outputs', submit_tool_outputs: { tool_calls } };
  yield { event: 'thread.run.requires_action', data: run };
}

function* stop(
  state: RunState,
  around: RunEnvironment,
  reason: 'max_prompt_tokens' | 'max_completion_tokens',
): RunMove {
  state.run.incomplete_details = { reason };
  yield* finish(state, around, 'incomplete');
}

function* fail(state: RunState, turn: Turn, error: Failure, around: RunEnvironment): RunMove {
  if (turn.message !== null) yield* endMessage(turn.message, 'run_failed', around);
  turn.step.last_error = error;
  yield* endStep(turn, 'failed', around);
  state.run.last_error = error;
  yield* finish(state, around, 'failed');
}

function* abandon(state: RunState, around: RunEnvironment, how: 'cancelled' | 'expired'): RunMove {
  const { turn } = state;
  if (turn?.message?.status === 'in_progress') yield* endMessage(turn.message, `run_${how}`, around);
  if (turn?.step.status === 'in_progress') yield* endStep(turn, how, around);
  state.run.required_action = null;
  yield* finish(state, around, how);
}

type Ending = 'completed' | 'incomplete' | 'failed' | 'cancelled' | 'expired';

/** Enters a final state; usage is the sum over all turns. */
function* finish({ run, used }: RunState, around: RunEnvironment, status: Ending): RunMove {
  run.status = status;
  run.usage = newUsage(used.prompt, used.completion);
  if (status !== 'incomplete' && status !== 'expired') run[`${status}_at`] = around.now();
  if (status !== 'expired' && around.takes('runs.expires-at.after-the-end') === 'null') run.expires_at = null;
  yield { event: `thread.run.${status}`, data: run };
}

function* endStep(
  turn: Turn,
  status: 'completed' | 'failed' | 'cancelled' | 'expired',
  around: RunEnvironment,
): RunMove {
  const { step } = turn;
  step.status = status;
  step[`${status}_at`] = around.now();
  step.usage = newUsage(turn.reply.promptTokens, turn.sent);
  yield { event: `thread.run.step.${status}`, data: step };
}

function* endMessage(message: StoredMessage, cut: MessageCut | null, around: RunEnvironment): RunMove {
  message.status = cut === null ? 'completed' : 'incomplete';
  message[`${message.status}_at`] = around.now();
  message.incomplete_details = cut === null ? null : { reason: cut };
  yield { event: `thread.message.${message.status}`, data: message };
}

const affordable = ({ run, used }: RunState): boolean =>
  run.max_completion_tokens === null || used.completion < run.max_completion_tokens;

function spend(state: RunState, turn: Turn): void {
  turn.sent += 1;
  state.used.completion += 1;
}

type MessageCut = 'max_tokens' | 'run_cancelled' | 'run_expired' | 'run_failed';

const newUsage = (prompt: number, completion: number): Usage => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
});

const newMessage = (run: Run, source: RunEnvironment): StoredMessage => ({
  id: source.id('msg_'),
  object: 'thread.message',
  created_at: source.now(),
  thread_id: run.thread_id,
  status: 'in_progress',
  incomplete_details: null,
  completed_at: null,
  incomplete_at: null,
  role: 'assistant',
  content: [],
  assistant_id: run.assistant_id,
  run_id: run.id,
  file_ids: [],
  attachments: [],
  metadata: {},
});

const newStep = (run: Run, message: StoredMessage | null, source: RunEnvironment): RunStep => ({
  id: source.id('step_'),
  object: 'thread.run.step',
  created_at: source.now(),
  assistant_id: run.assistant_id,
  thread_id: run.thread_id,
  run_id: run.id,
  type: message === null ? 'tool_calls' : 'message_creation',
  status: 'in_progress',
  step_details:
    message === null
      ? { type: 'tool_calls', tool_calls: [] }
      : { type: 'message_creation', message_creation: { message_id: message.id } },
  last_error: null,
  expired_at: null,
  cancelled_at: null,
  failed_at: null,
  completed_at: null,
  metadata: {},
  usage: null,
});

function newCall(type: ToolCall['type'], name: string, source: RunEnvironment): ToolCall {
  const id = source.id('call_');
  switch (type) {
    case 'function':
      return { id, type, function: { name, arguments: '', output: awaitedOutput(source) } };
    case 'file_search':
      return { id, type, file_search: {} };
    case 'code_interpreter':
      return { id, type, code_interpreter: { input: '', outputs: [] } };
  }
}

function awaitedOutput(source: RunEnvironment): string | null {
  return source.takes('run-steps.calls.output-awaited') === 'null' ? null : '';
}

export function pendingCalls(step: RunStep): FunctionCall[] {
  const details = step.step_details;
  return details.type === 'tool_calls' ? details.tool_calls.filter((call) => call.type === 'function') : [];
}

const messageDelta = ({ id }: StoredMessage, value: string): EngineEvent => {
  // Replies have one part of text, so its index is always 0.
  const content = [{ index: 0, type: 'text', text: { value, annotations: [] } }];
  return { event: 'thread.message.delta', data: { id, object: 'thread.message.delta', delta: { content } } };
};

const callDelta = ({ id }: RunStep, chunk: Readonly<Record<string, unknown>>): EngineEvent => {
  const step_details = { type: 'tool_calls', tool_calls: [chunk] };
  return {
    event: 'thread.run.step.delta',
    data: { id, object: 'thread.run.step.delta', delta: { step_details } },
  };
};

/** A text, one token per piece; `isCut` if the context of the model ends it. */
interface SpokenReply {
  readonly kind: 'message';
  readonly promptTokens: number;
  readonly pieces: readonly string[];
  readonly isCut?: true;
}

/** The reply of the model in one turn: a text, calls, or a failure if the model does not exist. */
export type RunReply =
  | SpokenReply
  | { readonly kind: 'calls'; readonly promptTokens: number; readonly calls: readonly PlannedCall[] }
  | { readonly kind: 'failure'; readonly promptTokens: number; readonly error: Failure };

/** A call that the model makes: its name costs one token, and each piece of its arguments another. */
export interface PlannedCall {
  readonly type: ToolCall['type'];
  readonly name: string;
  readonly pieces: readonly string[];
}
