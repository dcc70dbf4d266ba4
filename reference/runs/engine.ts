// A run's life as a state machine without clock, network or model of its own. Every move is a generator that changes the
// stored objects and yields the events of a stream; a caller that does not stream drains it. Progress lives in the objects,
// never in the generator, so a move that a client's hang-up cut short goes on where it stood.
import { Collection } from '../state/collection.ts';
import {
  callDelta,
  type MessageCut,
  messageDelta,
  newCall,
  newMessage,
  newStep,
  newUsage,
  pendingCalls,
} from './make.ts';
import type { EngineEvent, Run, RunStatus, RunStep, StoredMessage, ToolCall } from './objects.ts';

/** What the model says in one turn, in pieces of one token each. */
export type RunReply =
  | { readonly kind: 'message'; readonly promptTokens: number; readonly pieces: readonly string[] }
  | { readonly kind: 'calls'; readonly promptTokens: number; readonly calls: readonly PlannedCall[] };

/** A call to come: naming it takes one token, its arguments one a piece. */
export interface PlannedCall {
  readonly type: ToolCall['type'];
  readonly name: string;
  readonly pieces: readonly string[];
}

/** What the engine asks of the service around it. */
export interface RunEnvironment {
  /** Unix seconds. */
  now(): number;
  id(prefix: string): string;
  reply(state: RunState): RunReply;
  /** Stores a message that the run began. */
  keep(message: StoredMessage): void;
}

/** A run, its steps, and where it stands. */
export interface RunState {
  readonly run: Run;
  readonly steps: Collection<RunStep>;
  readonly used: { prompt: number; completion: number };
  /** Null until the model was asked. */
  turn: Turn | null;
  /** True once the prompt went beyond its budget. */
  overfull: boolean;
}

/** One answer of the model being told; `told` counts the tokens told so far. */
interface Turn {
  readonly reply: RunReply;
  readonly step: RunStep;
  readonly message: StoredMessage | null;
  told: number;
}

export type RunMove = Generator<EngineEvent, void>;

const ENDED: ReadonlySet<RunStatus> = new Set(['completed', 'incomplete', 'cancelled', 'expired']);

/** True when nothing will happen to the run any more. */
export const hasEnded = ({ run }: RunState): boolean => ENDED.has(run.status);

/** True when the run goes on only if somebody acts: it has ended or waits for tool outputs. */
export const isResting = (state: RunState): boolean =>
  hasEnded(state) || state.run.status === 'requires_action';

/** True when a run that has not ended is past its time. */
export const isOverdue = (state: RunState, now: number): boolean =>
  !hasEnded(state) && state.run.expires_at !== null && now >= state.run.expires_at;

export const newRunState = (run: Run): RunState => ({
  run,
  steps: new Collection(),
  used: { prompt: 0, completion: 0 },
  turn: null,
  overfull: false,
});

/** Moves a run by one state, or, after a call of a built-in tool, to its next step. A run that rests stays, until it expires. */
export function* advanceRun(state: RunState, around: RunEnvironment): RunMove {
  const { run } = state;
  if (hasEnded(state)) return;
  if (run.status === 'cancelling') yield* abandon(state, around, 'cancelled');
  else if (isOverdue(state, around.now())) yield* abandon(state, around, 'expired');
  else if (run.status === 'queued') yield* begin(state, around);
  else if (run.status === 'in_progress') yield* proceed(state, around);
}

/** Asks for the end of a run that has not ended; the next move cancels it. */
export function requestCancel({ run }: RunState): void {
  run.status = 'cancelling';
}

/** Ends the waiting: the outputs, by call id, complete the step, and the run is queued again. */
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
    yield* endStep(turn, 'completed', around);
  }
  yield { event: 'thread.run.queued', data: run };
}

function* begin(state: RunState, around: RunEnvironment): RunMove {
  const { run } = state;
  run.status = 'in_progress';
  run.started_at ??= around.now();
  state.turn = null;
  yield { event: 'thread.run.in_progress', data: run };
  yield* openStep(state, around);
}

function* proceed(state: RunState, around: RunEnvironment): RunMove {
  const { turn } = state;
  if (state.overfull) yield* stop(state, around, 'max_prompt_tokens');
  else if (turn === null) yield* openStep(state, around);
  else if (turn.reply.kind === 'message') yield* speak(state, turn, turn.reply.pieces, around);
  else yield* call(state, turn, turn.reply.calls, around);
}

/** Asks the model and opens the step that its answer makes; none when the prompt is beyond its budget. */
function* openStep(state: RunState, around: RunEnvironment): RunMove {
  const { run, used } = state;
  const reply = around.reply(state);
  used.prompt += reply.promptTokens;
  state.overfull = run.max_prompt_tokens !== null && used.prompt > run.max_prompt_tokens;
  if (state.overfull) return;
  const message = reply.kind === 'message' ? newMessage(run, around) : null;
  const step = newStep(run, message, around);
  state.turn = { reply, step, message, told: 0 };
  state.steps.add(step);
  if (message !== null) around.keep(message);
  yield { event: 'thread.run.step.created', data: step };
  yield { event: 'thread.run.step.in_progress', data: step };
  if (message === null) return;
  yield { event: 'thread.message.created', data: message };
  yield { event: 'thread.message.in_progress', data: message };
}

function* speak(state: RunState, turn: Turn, pieces: readonly string[], around: RunEnvironment): RunMove {
  const { message } = turn;
  if (message === null) return;
  while (turn.told < pieces.length && affordable(state)) {
    const value = pieces[turn.told] ?? '';
    const part = message.content[0];
    if (part?.type === 'text') part.text.value += value;
    else message.content.push({ type: 'text', text: { value, annotations: [] } });
    spend(state, turn);
    yield messageDelta(message, value);
    if (state.run.status !== 'in_progress') return;
  }
  const whole = turn.told >= pieces.length;
  yield* endMessage(message, whole ? null : 'max_tokens', around);
  yield* endStep(turn, 'completed', around);
  if (whole) yield* finish(state, around, 'completed');
  else yield* stop(state, around, 'max_completion_tokens');
}

function* call(state: RunState, turn: Turn, calls: readonly PlannedCall[], around: RunEnvironment): RunMove {
  const details = turn.step.step_details;
  if (details.type !== 'tool_calls') return;
  const tokens = calls.flatMap((planned, index) =>
    [null, ...planned.pieces].map((text) => ({ index, planned, text })),
  );
  for (const { index, planned, text } of tokens.slice(turn.told)) {
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
  if (pendingCalls(turn.step).length > 0) return yield* waitForOutputs(state, turn.step);
  yield* endStep(turn, 'completed', around);
  yield* openStep(state, around);
}

function* waitForOutputs({ run }: RunState, step: RunStep): RunMove {
  const tool_calls = pendingCalls(step).map(({ id, type, function: { name, arguments: given } }) => ({
    id,
    type,
    function: { name, arguments: given },
  }));
  run.status = 'requires_action';
  run.required_action = { type: 'submit_tool_outputs', submit_tool_outputs: { tool_calls } };
  yield { event: 'thread.run.requires_action', data: run };
}

/** Ends a run that a budget cut short. */
function* stop(
  state: RunState,
  around: RunEnvironment,
  reason: 'max_prompt_tokens' | 'max_completion_tokens',
): RunMove {
  state.run.incomplete_details = { reason };
  yield* finish(state, around, 'incomplete');
}

/** Ends a run from outside, with whatever step and message are open. */
function* abandon(state: RunState, around: RunEnvironment, how: 'cancelled' | 'expired'): RunMove {
  const { turn } = state;
  if (turn?.message?.status === 'in_progress') yield* endMessage(turn.message, `run_${how}`, around);
  if (turn?.step.status === 'in_progress') yield* endStep(turn, how, around);
  state.run.required_action = null;
  yield* finish(state, around, how);
}

type Ending = 'completed' | 'incomplete' | 'cancelled' | 'expired';

function* finish({ run, used }: RunState, around: RunEnvironment, status: Ending): RunMove {
  run.status = status;
  run.usage = newUsage(used.prompt, used.completion);
  if (status === 'completed' || status === 'cancelled') run[`${status}_at`] = around.now();
  if (status !== 'expired') run.expires_at = null;
  yield { event: `thread.run.${status}`, data: run };
}

function* endStep(
  turn: Turn,
  status: 'completed' | 'cancelled' | 'expired',
  around: RunEnvironment,
): RunMove {
  const { step } = turn;
  step.status = status;
  step[`${status}_at`] = around.now();
  step.usage = newUsage(turn.reply.promptTokens, turn.told);
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
  turn.told += 1;
  state.used.completion += 1;
}
