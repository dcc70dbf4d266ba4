// A run's life as a state machine without clock, network or model of its own. Every move is a generator that changes the
// stored objects and yields the events of a stream; a caller that does not stream drains it. Progress lives in the objects,
// never in the generator, so a move that a client's hang-up cut short goes on where it stood.
import { Collection } from '../collection.ts';
import {
  callDelta,
  type MessageCut,
  messageDelta,
  newCall,
  newMessage,
  newStep,
  pendingCalls,
  usage,
} from './make.ts';
import type { Message, Run, RunStatus, Step, ToolCall } from './objects.ts';

/** What the model says in one turn, in pieces of one token each. */
export type Reply =
  | { readonly kind: 'message'; readonly promptTokens: number; readonly pieces: readonly string[] }
  | { readonly kind: 'calls'; readonly promptTokens: number; readonly calls: readonly PlannedCall[] };

/** A call to come: naming it takes one token, its arguments one a piece. */
export interface PlannedCall {
  readonly type: ToolCall['type'];
  readonly name: string;
  readonly pieces: readonly string[];
}

/** What the engine asks of the service around it. */
export interface Surroundings {
  /** Unix seconds. */
  now(): number;
  id(prefix: string): string;
  reply(work: Work): Reply;
  /** Stores a message that the run began. */
  keep(message: Message): void;
}

/** A run, its steps, and where it stands. */
export interface Work {
  readonly run: Run;
  readonly steps: Collection<Step>;
  readonly used: { prompt: number; completion: number };
  /** Null until the model was asked. */
  turn: Turn | null;
  /** True once the prompt went beyond its budget. */
  overfull: boolean;
}

/** One answer of the model being told; `told` counts the tokens told so far. */
interface Turn {
  readonly reply: Reply;
  readonly step: Step;
  readonly message: Message | null;
  told: number;
}

/** An event of a stream. `data` is the stored object itself: write it out before the next one is asked for. */
export interface RunEvent {
  readonly event: string;
  readonly data: unknown;
}

export type Move = Generator<RunEvent, void>;

const ENDED: ReadonlySet<RunStatus> = new Set(['completed', 'incomplete', 'cancelled', 'expired']);

/** True when nothing will happen to the run any more. */
export const ended = ({ run }: Work): boolean => ENDED.has(run.status);

/** True when the run goes on only if somebody acts: it has ended or waits for tool outputs. */
export const resting = (work: Work): boolean => ended(work) || work.run.status === 'requires_action';

/** True when a run that has not ended is past its time. */
export const overdue = (work: Work, now: number): boolean =>
  !ended(work) && work.run.expires_at !== null && now >= work.run.expires_at;

export const newWork = (run: Run): Work => ({
  run,
  steps: new Collection(),
  used: { prompt: 0, completion: 0 },
  turn: null,
  overfull: false,
});

/** Moves a run by one state, or, after a call of a built-in tool, to its next step. A run that rests stays, until it expires. */
export function* advance(work: Work, around: Surroundings): Move {
  const { run } = work;
  if (ended(work)) return;
  if (run.status === 'cancelling') yield* abandon(work, around, 'cancelled');
  else if (overdue(work, around.now())) yield* abandon(work, around, 'expired');
  else if (run.status === 'queued') yield* begin(work, around);
  else if (run.status === 'in_progress') yield* proceed(work, around);
}

/** Asks for the end of a run that has not ended; the next move cancels it. */
export function cancel({ run }: Work): void {
  run.status = 'cancelling';
}

/** Ends the waiting: the outputs, by call id, complete the step, and the run is queued again. */
export function* takeOutputs(work: Work, outputs: ReadonlyMap<string, string>, around: Surroundings): Move {
  const { run, turn } = work;
  run.status = 'queued';
  run.required_action = null;
  if (turn !== null) {
    for (const call of pendingCalls(turn.step)) call.function.output = outputs.get(call.id) ?? '';
    yield* endStep(turn, 'completed', around);
  }
  yield { event: 'thread.run.queued', data: run };
}

function* begin(work: Work, around: Surroundings): Move {
  const { run } = work;
  run.status = 'in_progress';
  run.started_at ??= around.now();
  work.turn = null;
  yield { event: 'thread.run.in_progress', data: run };
  yield* openStep(work, around);
}

function* proceed(work: Work, around: Surroundings): Move {
  const { turn } = work;
  if (work.overfull) yield* stop(work, around, 'max_prompt_tokens');
  else if (turn === null) yield* openStep(work, around);
  else if (turn.reply.kind === 'message') yield* speak(work, turn, turn.reply.pieces, around);
  else yield* call(work, turn, turn.reply.calls, around);
}

/** Asks the model and opens the step that its answer makes; none when the prompt is beyond its budget. */
function* openStep(work: Work, around: Surroundings): Move {
  const { run, used } = work;
  const reply = around.reply(work);
  used.prompt += reply.promptTokens;
  work.overfull = run.max_prompt_tokens !== null && used.prompt > run.max_prompt_tokens;
  if (work.overfull) return;
  const message = reply.kind === 'message' ? newMessage(run, around) : null;
  const step = newStep(run, message, around);
  work.turn = { reply, step, message, told: 0 };
  work.steps.add(step);
  if (message !== null) around.keep(message);
  yield { event: 'thread.run.step.created', data: step };
  yield { event: 'thread.run.step.in_progress', data: step };
  if (message === null) return;
  yield { event: 'thread.message.created', data: message };
  yield { event: 'thread.message.in_progress', data: message };
}

function* speak(work: Work, turn: Turn, pieces: readonly string[], around: Surroundings): Move {
  const { message } = turn;
  if (message === null) return;
  while (turn.told < pieces.length && affordable(work)) {
    const value = pieces[turn.told] ?? '';
    const part = message.content[0];
    if (part?.type === 'text') part.text.value += value;
    else message.content.push({ type: 'text', text: { value, annotations: [] } });
    spend(work, turn);
    yield messageDelta(message, value);
    if (work.run.status !== 'in_progress') return;
  }
  const whole = turn.told >= pieces.length;
  yield* endMessage(message, whole ? null : 'max_tokens', around);
  yield* endStep(turn, 'completed', around);
  if (whole) yield* finish(work, around, 'completed');
  else yield* stop(work, around, 'max_completion_tokens');
}

function* call(work: Work, turn: Turn, calls: readonly PlannedCall[], around: Surroundings): Move {
  const details = turn.step.step_details;
  if (details.type !== 'tool_calls') return;
  const tokens = calls.flatMap((planned, index) =>
    [null, ...planned.pieces].map((text) => ({ index, planned, text })),
  );
  for (const { index, planned, text } of tokens.slice(turn.told)) {
    if (!affordable(work)) {
      yield* endStep(turn, 'cancelled', around);
      return yield* stop(work, around, 'max_completion_tokens');
    }
    spend(work, turn);
    const open = details.tool_calls[index];
    if (text === null) {
      const opened = newCall(planned.type, planned.name, around);
      details.tool_calls.push(opened);
      yield callDelta(turn.step, { index, ...opened });
    } else {
      if (open?.type === 'function') open.function.arguments += text;
      yield callDelta(turn.step, { index, type: 'function', function: { arguments: text } });
    }
    if (work.run.status !== 'in_progress') return;
  }
  if (pendingCalls(turn.step).length > 0) return yield* waitForOutputs(work, turn.step);
  yield* endStep(turn, 'completed', around);
  yield* openStep(work, around);
}

function* waitForOutputs({ run }: Work, step: Step): Move {
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
  work: Work,
  around: Surroundings,
  reason: 'max_prompt_tokens' | 'max_completion_tokens',
): Move {
  work.run.incomplete_details = { reason };
  yield* finish(work, around, 'incomplete');
}

/** Ends a run from outside, with whatever step and message are open. */
function* abandon(work: Work, around: Surroundings, how: 'cancelled' | 'expired'): Move {
  const { turn } = work;
  if (turn?.message?.status === 'in_progress') yield* endMessage(turn.message, `run_${how}`, around);
  if (turn?.step.status === 'in_progress') yield* endStep(turn, how, around);
  work.run.required_action = null;
  yield* finish(work, around, how);
}

type Ending = 'completed' | 'incomplete' | 'cancelled' | 'expired';

function* finish({ run, used }: Work, around: Surroundings, status: Ending): Move {
  run.status = status;
  run.usage = usage(used.prompt, used.completion);
  if (status === 'completed' || status === 'cancelled') run[`${status}_at`] = around.now();
  if (status !== 'expired') run.expires_at = null;
  yield { event: `thread.run.${status}`, data: run };
}

function* endStep(turn: Turn, status: 'completed' | 'cancelled' | 'expired', around: Surroundings): Move {
  const { step } = turn;
  step.status = status;
  step[`${status}_at`] = around.now();
  step.usage = usage(turn.reply.promptTokens, turn.told);
  yield { event: `thread.run.step.${status}`, data: step };
}

function* endMessage(message: Message, cut: MessageCut | null, around: Surroundings): Move {
  message.status = cut === null ? 'completed' : 'incomplete';
  message[`${message.status}_at`] = around.now();
  message.incomplete_details = cut === null ? null : { reason: cut };
  yield { event: `thread.message.${message.status}`, data: message };
}

const affordable = ({ run, used }: Work): boolean =>
  run.max_completion_tokens === null || used.completion < run.max_completion_tokens;

function spend(work: Work, turn: Turn): void {
  turn.told += 1;
  work.used.completion += 1;
}
