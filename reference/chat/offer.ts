import { type CallableFunction, readTools } from '../model/conversation.ts';
import type { FunctionChoice } from '../model/generate.ts';
import type { ChatRequest } from './request.ts';

/** The functions that a request offers, and the choice among them. */
export interface CallableFunctions {
  readonly tools: readonly CallableFunction[];
  readonly choice: FunctionChoice;
  /** True for the deprecated `functions` and `function_call`, which older clients still send. */
  readonly legacy: boolean;
}

/** Reads `tools`, or `functions` in the absence of tools; the default choice is `auto`. */
export function readCallableFunctions(body: ChatRequest): CallableFunctions {
  if (!Array.isArray(body.tools) && Array.isArray(body.functions)) {
    // The older form lists the functions themselves; they are read as tools of type function.
    const tools = readTools(body.functions.map((each: unknown) => ({ type: 'function', function: each })));
    return { tools, choice: body.function_call ?? 'auto', legacy: true };
  }
  const choice = body.tool_choice ?? 'auto';
  return {
    tools: readTools(body.tools),
    choice: typeof choice === 'string' ? choice : choice.function,
    legacy: false,
  };
}
