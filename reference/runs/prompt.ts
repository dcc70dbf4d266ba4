import { countPromptTokens, readTools, type Turn } from '../model/conversation.ts';
import { type FunctionChoice, generate } from '../model/generate.ts';
import { tokenize } from '../model/tokens.ts';
import type { Thread } from '../threads/store.ts';
import type { RunState } from './engine.ts';
import type { Run, RunStep, StoredMessage, Truncation } from './objects.ts';
import type { PlannedCall, RunReply } from './run-reply.ts';

/** The reply of the model to a run's thread, after the tools that the run has called so far. */
export function askModel(thread: Thread, state: RunState): RunReply {
  const { run } = state;
  // Messages that the run itself writes are its output, not its prompt.
  const said = thread.messages
    .values()
    .filter(({ run_id, assistant_id }) => run_id !== run.id || assistant_id !== run.assistant_id);
  const turns: Turn[] = [
    ...(run.instructions === null ? [] : [{ role: 'system', text: run.instructions, images: 0 }]),
    ...shorten(said, run.truncation_strategy).map(turnOf),
    ...state.steps.values().flatMap(outputsOf),
  ];
  const tools = readTools(run.tools);
  const prompt = countPromptTokens(turns, tools);
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
    // A forced choice holds for the first turn: afterwards it would call the same tool for ever.
    toolChoice: called.length === 0 ? forcedChoice(run) : laterChoice(run),
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

/** The last messages, as the truncation strategy says. */
function shorten(
  messages: readonly StoredMessage[],
  { type, last_messages: kept }: Truncation,
): readonly StoredMessage[] {
  return type === 'last_messages' && kept !== null ? messages.slice(-kept) : messages;
}

/** A message as a turn; its other parts are images. */
function turnOf({ role, content }: StoredMessage): Turn {
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text.value] : []));
  return { role, text: texts.reduce(joined, ''), images: content.length - texts.length };
}

/** Two parts of a text with a space between them, unless the first ends with one. */
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

/** The kinds of tools that a step has called. */
function calledBy({ step_details: details }: RunStep): string[] {
  return details.type === 'tool_calls' ? details.tool_calls.map(({ type }) => type) : [];
}

/**
 * A built-in tool is called when it is forced, when it alone can fulfil `required`, or when the user names it;
 * those that are named are called one after the other.
 */
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

/** The choice in the turns after the first. */
function laterChoice({ tool_choice: choice }: Run): FunctionChoice {
  return choice === 'none' ? 'none' : 'auto';
}

/** The choice in the first turn; a choice of a built-in tool leaves functions to the model. */
function forcedChoice({ tool_choice: choice }: Run): FunctionChoice {
  if (typeof choice === 'string') return choice;
  return choice.type === 'function' ? { name: choice.function.name } : 'auto';
}
