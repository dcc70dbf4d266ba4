import { shorten } from '../http/api-error.ts';
import { modelsOf } from '../model/catalogue.ts';
import {
  countPromptTokens,
  type FunctionChoice,
  generateReply,
  readTools,
  type Turn,
} from '../model/generate.ts';
import { tokenize } from '../model/tokens.ts';
import type { Service } from '../state/service.ts';
import type { PlannedCall, RunReply, RunState } from './run-engine.ts';
import type { Run, RunStep, StoredMessage } from './run-objects.ts';
import type { Thread } from './thread-store.ts';

/** Maximum number of tokens of prompt and reply together for a small model. */
const SMALL_CONTEXT = 512;

export function replyTo(service: Service, thread: Thread, state: RunState): RunReply {
  const { model } = state.run;
  const isKnown = modelsOf(service).all.get(model) !== undefined;
  if (isKnown && service.runsEnd !== null) return prescribedReply(service, state);
  if (isKnown) return askModel(service, thread, state);
  const error = { code: 'model_not_found', message: `The model '${shorten(model)}' does not exist.` };
  return { kind: 'failure', promptTokens: 0, error };
}

function prescribedReply(service: Service, { run }: RunState): RunReply {
  const promptTokens = 8; // arbitrary
  if (service.runsEnd === 'failed') {
    const error = { code: 'server_error', message: 'The model does not answer.' };
    return { kind: 'failure', promptTokens, error };
  }
  if (service.runsEnd === 'expired') run.expires_at = service.now();
  return { kind: 'message', promptTokens, pieces: [' and', ' so', ' on'], isCut: true };
}

function askModel(service: Service, thread: Thread, state: RunState): RunReply {
  const { run } = state;
  const { type, last_messages: count } = run.truncation_strategy;
  // Messages that the run itself writes are its output, not its prompt.
  const inputMessages = thread.messages
    .values()
    .filter(({ run_id, assistant_id }) => run_id !== run.id || assistant_id !== run.assistant_id);
  const turns: Turn[] = [
    ...(run.instructions === null ? [] : [{ role: 'system', text: run.instructions, images: 0 }]),
    ...(type === 'last_messages' && count !== null ? inputMessages.slice(-count) : inputMessages).map(toTurn),
    ...state.steps.values().flatMap(toOutputTurns),
  ];
  const tools = readTools(run.tools);
  const promptTokens = countPromptTokens(turns, tools);
  if (service.hasSmallModel) return smallReply(run, promptTokens);
  const calledTypes = state.steps.values().flatMap(calledTypesOf);
  const lastTurn = turns.findLast(({ role }) => role !== 'tool');
  const builtIn = planBuiltInCall(run, lastTurn, calledTypes);
  if (builtIn !== null) return { kind: 'calls', promptTokens, calls: [builtIn] };
  const reply = generateReply({
    turns,
    tools,
    toolChoice: functionChoice(run, calledTypes.length === 0),
    isJson: typeof run.response_format === 'object' && run.response_format.type === 'json_object',
    stop: [],
    maxTokens: null,
    variation: 0,
    bias: {},
  });
  if (reply.calls.length === 0) return { kind: 'message', promptTokens, pieces: reply.tokens };
  const replyCalls = run.parallel_tool_calls ? reply.calls : reply.calls.slice(0, 1);
  const calls = replyCalls.map(
    ({ name, arguments: args }): PlannedCall => ({ type: 'function', name, pieces: tokenize(args) }),
  );
  return { kind: 'calls', promptTokens, calls };
}

/** A small model writes long texts; when it should call a tool or write JSON, it fills its context with text. */
function smallReply({ tool_choice: choice, response_format: format }: Run, promptTokens: number): RunReply {
  const remaining = SMALL_CONTEXT - promptTokens;
  const isUnable =
    choice === 'required' ||
    typeof choice === 'object' ||
    (typeof format === 'object' && format.type !== 'text');
  if (remaining > 0)
    return {
      kind: 'message',
      promptTokens,
      pieces: Array(isUnable ? remaining : Math.ceil(remaining / 2)).fill(' well'),
      ...(isUnable && { isCut: true }),
    };
  const message = `The request exceeds the context of the model, which is ${SMALL_CONTEXT} tokens.`;
  return { kind: 'failure', promptTokens, error: { code: 'context_length_exceeded', message } };
}

function toTurn({ role, content }: StoredMessage): Turn {
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text.value] : []));
  return { role, text: texts.reduce(joinTexts, ''), images: content.length - texts.length };
}

function joinTexts(before: string, after: string): string {
  return before === '' || before.endsWith(' ') ? before + after : `${before} ${after}`;
}

function toOutputTurns({ step_details: details }: RunStep): Turn[] {
  if (details.type !== 'tool_calls') return [];
  return details.tool_calls.map((call) => {
    const text = call.type === 'function' ? (call.function.output ?? '') : `${call.type} is done.`;
    return { role: 'tool', text, images: 0 };
  });
}

function calledTypesOf({ step_details: details }: RunStep): string[] {
  return details.type === 'tool_calls' ? details.tool_calls.map(({ type }) => type) : [];
}

/**
 * Plans a call of the built-in tool that is forced, or of the first one if a call is required and there are no functions;
 * otherwise of one that the user names, if the model is free to choose. Returns null if no built-in tool is called.
 */
function planBuiltInCall(
  { tools, tool_choice: choice }: Run,
  lastTurn: Turn | undefined,
  calledTypes: readonly string[],
): PlannedCall | null {
  const builtIn = tools.flatMap(({ type }) => (type === 'function' ? [] : [type]));
  const request = lastTurn?.role === 'user' ? lastTurn.text.toLowerCase().replaceAll(' ', '_') : '';
  const named = builtIn.find((type) => request.includes(type) && !calledTypes.includes(type));
  const forced = typeof choice === 'object' ? builtIn.find((type) => type === choice.type) : undefined;
  const firstIfRequired = choice === 'required' && builtIn.length === tools.length ? builtIn[0] : undefined;
  const isFree = choice === 'auto' || (choice !== 'none' && calledTypes.length > 0);
  const required = calledTypes.length === 0 ? (forced ?? firstIfRequired) : undefined;
  const type = required ?? (isFree ? named : undefined);
  return type === undefined ? null : { type, name: type, pieces: [] };
}

/** A forced choice applies only until a tool has been called; otherwise the model would call the same tool forever. */
function functionChoice({ tool_choice: choice }: Run, isFirst: boolean): FunctionChoice {
  if (typeof choice === 'string') return isFirst || choice === 'none' ? choice : 'auto';
  // After a forced call of a built-in tool, the model may call functions.
  return isFirst && choice.type === 'function' ? { name: choice.function.name } : 'auto';
}
