// The objects of a run as the service stores them and changes them in place.
import type { ResponseFormat, Tool, ToolResources } from '../assistants/tools.ts';
import type { Metadata } from '../http/json.ts';
import type { makeUsage } from '../model/tokens.ts';

type Usage = ReturnType<typeof makeUsage>;

/** A mode, or one tool: a built-in one by its type, a function by its name (1 Run). */
export type ToolChoice =
  | 'none'
  | 'auto'
  | 'required'
  | { readonly type: 'code_interpreter' | 'file_search' }
  | { readonly type: 'function'; readonly function: { readonly name: string } };

/** The part of a thread that the model reads (1 Run). */
export interface Truncation {
  readonly type: string;
  /** Null for all messages. */
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
  /** Unix seconds; null by default once the run has ended, unless it expired. */
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
  /** The assistant's files; returned only under v1. */
  readonly file_ids: readonly string[];
  /** Beyond the specification: false allows at most one function call in a turn. */
  readonly parallel_tool_calls: boolean;
}

/** A call of a function; its output is null, or empty by choice, until the client submits it. */
export interface FunctionCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; arguments: string; output: string | null };
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
  readonly step_details: StepDetails;
  last_error: Failure | null;
  expired_at: number | null;
  cancelled_at: number | null;
  failed_at: number | null;
  completed_at: number | null;
  readonly metadata: Metadata;
  usage: Usage | null;
}

export type ContentPart =
  | { readonly type: 'text'; readonly text: { value: string; annotations: readonly unknown[] } }
  | { readonly type: 'image_file' | 'image_url'; readonly [key: string]: unknown };

export interface Attachment {
  readonly file_id?: string;
  readonly tools?: readonly { readonly type: string }[];
}

export type MessageCut = 'max_tokens' | 'run_cancelled' | 'run_expired' | 'run_failed';

/** A message (1 Message). `file_ids` is shown under v1, `attachments` under v2. */
export interface StoredMessage {
  readonly id: string;
  readonly object: 'thread.message';
  readonly created_at: number;
  readonly thread_id: string;
  status: 'in_progress' | 'incomplete' | 'completed';
  incomplete_details: { readonly reason: MessageCut } | null;
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
