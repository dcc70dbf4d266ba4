// The state machine of a run (1 Runs), without clock, network or model. A transition is a generator that changes the
// stored objects and yields the events of a stream; callers that need no events drain it. All state is in the objects,
// so the next transition continues where a disconnecting client interrupted one.
import { makeUsage } from '../model/tokens.ts';
import { Collection } from '../state/collection.ts';
import type {
  Failure,
  FunctionCall,
  MessageCut,
  Run,
  RunStatus,
  RunStep,
  StoredMessage,
  ToolCall,
} from './run-objects.ts';

/** An event of a stream. `data` may be a stored object itself: serialise it before requesting the next event. */
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
  /** Tokens of all turns. */
  readonly used: { prompt: number; completion: number };
  turn: RunTurn | null;
  exceedsPromptBudget: boolean;
}

interface RunTurn {
  readonly reply: RunReply;
  readonly step: RunStep;
  readonly message: StoredMessage | null;
  /** Tokens of the reply written so far. */
  sent: number;
}

export type RunMove = Generator<EngineEvent, void>;

const ENDINGS = ['completed', 'incomplete', 'failed', 'cancelled', 'expired'] as const;
type Ending = (typeof ENDINGS)[number];
const FINAL_STATES: ReadonlySet<RunStatus> = new Set(ENDINGS);
export const hasEnded = ({ run }: RunState): boolean => FINAL_STATES.has(run.status);

/** Whether the run has ended or waits for tool outputs; a waiting run can still expire. */
export const isResting = (state: RunState): boolean =>
  hasEnded(state) || state.run.status === 'requires_action';

/** Whether a run that has not ended has reached `expires_at`; `now` in Unix seconds. */
export const isOverdue = (state: RunState, now: number): boolean =>
  !hasEnded(state) && state.run.expires_at !== null && now >= state.run.expires_at;

export const newRunState = (run: Run): RunState => ({
  run,
  steps: new Collection(),
  used: { prompt: 0, completion: 0 },
  turn: null,
  exceedsPromptBudget: false,
});

/** Advances a run by one state or, after a call of a built-in tool, to its next step. A waiting run can only expire. */
export function* advanceRun(state: RunState, environment: RunEnvironment): RunMove {
  const { run } = state;
  if (hasEnded(state)) return;
  // A requested cancellation completes even if the run is overdue.
  if (run.status === 'cancelling') yield* abandonRun(state, environment, 'cancelled');
  else if (isOverdue(state, environment.now())) yield* abandonRun(state, environment, 'expired');
  else if (run.status === 'queued') yield* beginRun(state, environment);
  else if (run.status === 'in_progress') yield* continueRun(state, environment);
}

export function* submitToolOutputs(
  state: RunState,
  outputs: ReadonlyMap<string, string>,
  environment: RunEnvironment,
): RunMove {
  const { run, turn } = state;
  run.status = 'queued';
  run.required_action = null;
  if (turn !== null) {
    for (const call of pendingCalls(turn.step)) call.function.output = outputs.get(call.id) ?? '';
    if (turn.step.status === 'in_progress') yield* endStep(turn, 'completed', environment);
  }
  yield { event: 'thread.run.queued', data: run };
}

function* beginRun(state: RunState, environment: RunEnvironment): RunMove {
  const { run } = state;
  run.status = 'in_progress';
  // A run starts once, even though it is queued again after tool outputs.
  run.started_at ??= environment.now();
  state.turn = null;
  yield { event: 'thread.run.in_progress', data: run };
  yield* openStep(state, environment);
}

function* continueRun(state: RunState, environment: RunEnvironment): RunMove {
  const { turn } = state;
  if (state.exceedsPromptBudget) yield* endIncomplete(state, environment, 'max_prompt_tokens');
  else if (turn === null) yield* openStep(state, environment);
  else if (turn.reply.kind === 'message') yield* writeMessage(state, turn, turn.reply, environment);
  else if (turn.reply.kind === 'calls') yield* makeCalls(state, turn, turn.reply.calls, environment);
  else yield* failRun(state, turn, turn.reply.error, environment);
}

function* openStep(state: RunState, environment: RunEnvironment): RunMove {
  const { run, used } = state;
  const reply = environment.reply(state);
  used.prompt += reply.promptTokens;
  state.exceedsPromptBudget = run.max_prompt_tokens !== null && used.prompt > run.max_prompt_tokens;
  if (state.exceedsPromptBudget) return;
  const message = reply.kind === 'calls' ? null : newMessage(run, environment);
  const step = newStep(run, message, environment);
  state.turn = { reply, step, message, sent: 0 };
  state.steps.add(step);
  if (message !== null) environment.keep(message);
  yield { event: 'thread.run.step.created', data: step };
  yield { event: 'thread.run.step.in_progress', data: step };
  if (message === null) return;
  yield { event: 'thread.message.created', data: message };
  yield { event: 'thread.message.in_progress', data: message };
}

function* writeMessage(
  state: RunState,
  turn: RunTurn,
  reply: SpokenReply,
  environment: RunEnvironment,
): RunMove {
  const { message } = turn;
  const { pieces, isCut = false } = reply;
  if (message === null) return;
  while (turn.sent < pieces.length && hasBudget(state)) {
    const value = pieces[turn.sent] ?? '';
    // The stored message grows with each delta, so that clients can read the text so far.
    const part = message.content[0];
    if (part?.type === 'text') part.text.value += value;
    else message.content.push({ type: 'text', text: { value, annotations: [] } });
    countToken(state, turn);
    yield messageDelta(message, value);
    // The run may have been cancelled while the client read the delta.
    if (state.run.status !== 'in_progress') return;
  }
  const isComplete = turn.sent >= pieces.length && !isCut;
  yield* endMessage(message, isComplete ? null : 'max_tokens', environment);
  yield* endStep(turn, 'completed', environment);
  if (isComplete) yield* endRun(state, environment, 'completed');
  else yield* endIncomplete(state, environment, 'max_completion_tokens');
}

/** Makes calls, one delta per token. Function calls then wait for outputs; after a built-in tool the run continues. */
function* makeCalls(
  state: RunState,
  turn: RunTurn,
  calls: readonly PlannedCall[],
  environment: RunEnvironment,
): RunMove {
  const details = turn.step.step_details;
  if (details.type !== 'tool_calls') return;
  const tokens = calls.flatMap((planned, index) =>
    [null, ...planned.pieces].map((text) => ({ index, planned, text })),
  );
  for (const { index, planned, text } of tokens.slice(turn.sent)) {
    if (!hasBudget(state)) {
      yield* endStep(turn, 'cancelled', environment);
      return yield* endIncomplete(state, environment, 'max_completion_tokens');
    }
    countToken(state, turn);
    const openCall = details.tool_calls[index];
    if (text === null) {
      const call = newCall(planned.type, planned.name, environment);
      details.tool_calls.push(call);
      yield callDelta(turn.step, { index, ...call });
    } else {
      if (openCall?.type === 'function') openCall.function.arguments += text;
      yield callDelta(turn.step, { index, type: 'function', function: { arguments: text } });
    }
    if (state.run.status !== 'in_progress') return;
  }
  if (pendingCalls(turn.step).length > 0) return yield* waitForOutputs(state, turn, environment);
  yield* endStep(turn, 'completed', environment);
  yield* openStep(state, environment);
}

function* waitForOutputs({ run }: RunState, turn: RunTurn, environment: RunEnvironment): RunMove {
  const { step } = turn;
  if (environment.takes('run-steps.status.while-waiting') === 'completed')
    yield* endStep(turn, 'completed', environment);
  if (run.status !== 'in_progress') return;
  const tool_calls = pendingCalls(step).map(({ id, type, function: { name, arguments: args } }) => ({
    id,
    type,
    function: { name, arguments: args },
  }));
  run.status = 'requires_action';
  run.required_action = { type: 'submit_tool_outputs', submit_tool_outputs: { tool_calls } };
  yield { event: 'thread.run.requires_action', data: run };
}

function* endIncomplete(
  state: RunState,
  environment: RunEnvironment,
  reason: 'max_prompt_tokens' | 'max_completion_tokens',
): RunMove {
  state.run.incomplete_details = { reason };
  yield* endRun(state, environment, 'incomplete');
}

function* failRun(state: RunState, turn: RunTurn, error: Failure, environment: RunEnvironment): RunMove {
  if (turn.message !== null) yield* endMessage(turn.message, 'run_failed', environment);
  turn.step.last_error = error;
  yield* endStep(turn, 'failed', environment);
  state.run.last_error = error;
  yield* endRun(state, environment, 'failed');
}

function* abandonRun(state: RunState, environment: RunEnvironment, how: 'cancelled' | 'expired'): RunMove {
  const { turn } = state;
  if (turn?.message?.status === 'in_progress') yield* endMessage(turn.message, `run_${how}`, environment);
  if (turn?.step.status === 'in_progress') yield* endStep(turn, how, environment);
  state.run.required_action = null;
  yield* endRun(state, environment, how);
}

function* endRun({ run, used }: RunState, environment: RunEnvironment, status: Ending): RunMove {
  run.status = status;
  run.usage = makeUsage(used.prompt, used.completion);
  if (status !== 'incomplete' && status !== 'expired') run[`${status}_at`] = environment.now();
  if (status !== 'expired' && environment.takes('runs.expires-at.after-the-end') === 'null')
    run.expires_at = null;
  yield { event: `thread.run.${status}`, data: run };
}

function* endStep(
  turn: RunTurn,
  status: 'completed' | 'failed' | 'cancelled' | 'expired',
  environment: RunEnvironment,
): RunMove {
  const { step } = turn;
  step.status = status;
  step[`${status}_at`] = environment.now();
  step.usage = makeUsage(turn.reply.promptTokens, turn.sent);
  yield { event: `thread.run.step.${status}`, data: step };
}

function* endMessage(
  message: StoredMessage,
  reason: MessageCut | null,
  environment: RunEnvironment,
): RunMove {
  message.status = reason === null ? 'completed' : 'incomplete';
  message[`${message.status}_at`] = environment.now();
  message.incomplete_details = reason === null ? null : { reason };
  yield { event: `thread.message.${message.status}`, data: message };
}

const hasBudget = ({ run, used }: RunState): boolean =>
  run.max_completion_tokens === null || used.completion < run.max_completion_tokens;

function countToken(state: RunState, turn: RunTurn): void {
  turn.sent += 1;
  state.used.completion += 1;
}

const newMessage = (run: Run, environment: RunEnvironment): StoredMessage => ({
  id: environment.id('msg_'),
  object: 'thread.message',
  created_at: environment.now(),
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

const newStep = (run: Run, message: StoredMessage | null, environment: RunEnvironment): RunStep => ({
  id: environment.id('step_'),
  object: 'thread.run.step',
  created_at: environment.now(),
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

function newCall(type: ToolCall['type'], name: string, environment: RunEnvironment): ToolCall {
  const id = environment.id('call_');
  switch (type) {
    case 'function': {
      const output = environment.takes('run-steps.calls.output-awaited') === 'null' ? null : '';
      return { id, type, function: { name, arguments: '', output } };
    }
    case 'file_search':
      return { id, type, file_search: {} };
    case 'code_interpreter':
      return { id, type, code_interpreter: { input: '', outputs: [] } };
  }
}

export function pendingCalls(step: RunStep): FunctionCall[] {
  const details = step.step_details;
  return details.type === 'tool_calls' ? details.tool_calls.filter((call) => call.type === 'function') : [];
}

const messageDelta = ({ id }: StoredMessage, value: string): EngineEvent => {
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

/** A text, one token per piece; `isCut`: it is incomplete, for example because the context of the model is full. */
interface SpokenReply {
  readonly kind: 'message';
  readonly promptTokens: number;
  readonly pieces: readonly string[];
  readonly isCut?: true;
}

/** The reply of the model in one turn: a text, calls, or a failure, for example because the model does not exist. */
export type RunReply =
  | SpokenReply
  | { readonly kind: 'calls'; readonly promptTokens: number; readonly calls: readonly PlannedCall[] }
  | { readonly kind: 'failure'; readonly promptTokens: number; readonly error: Failure };

/** A call that the model makes. Its name costs one token, and so does each piece; only functions have arguments. */
export interface PlannedCall {
  readonly type: ToolCall['type'];
  readonly name: string;
  readonly pieces: readonly string[];
}
