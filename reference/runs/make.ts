// Creates the objects and deltas of a run.
import type { EngineEvent, FunctionCall, Run, RunStep, StoredMessage, ToolCall, Usage } from './objects.ts';

/** Time (Unix seconds), identifiers of new objects, and choices of the service. */
interface Source {
  takes(choice: string): string;
  now(): number;
  id(prefix: string): string;
}

/** The reason why a message is incomplete. */
export type MessageCut = 'max_tokens' | 'run_cancelled' | 'run_expired' | 'run_failed';

/** Usage in tokens, with its total. */
export const newUsage = (prompt: number, completion: number): Usage => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
});

/** An empty message of the assistant, in progress. */
export const newMessage = (run: Run, source: Source): StoredMessage => ({
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

/** A step that writes the given message, or, without one, calls tools. */
export const newStep = (run: Run, message: StoredMessage | null, source: Source): RunStep => ({
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

/** A call whose arguments and output are still empty. */
export function newCall(type: ToolCall['type'], name: string, source: Source): ToolCall {
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

/** The output of a function call that waits for it. */
function awaitedOutput(source: Source): string | null {
  return source.takes('run-steps.calls.output-awaited') === 'null' ? null : '';
}

/** The function calls of a step, in order. */
export function pendingCalls(step: RunStep): FunctionCall[] {
  const details = step.step_details;
  return details.type === 'tool_calls' ? details.tool_calls.filter((call) => call.type === 'function') : [];
}

/** One token of a message as an event (1 Message delta). */
export const messageDelta = ({ id }: StoredMessage, value: string): EngineEvent => {
  // Replies have one part of text, so its index is always 0.
  const content = [{ index: 0, type: 'text', text: { value, annotations: [] } }];
  return { event: 'thread.message.delta', data: { id, object: 'thread.message.delta', delta: { content } } };
};

/** A chunk of a call: the first one carries id and name, the later ones more of the arguments. */
export const callDelta = ({ id }: RunStep, chunk: Readonly<Record<string, unknown>>): EngineEvent => {
  const step_details = { type: 'tool_calls', tool_calls: [chunk] };
  return {
    event: 'thread.run.step.delta',
    data: { id, object: 'thread.run.step.delta', delta: { step_details } },
  };
};
