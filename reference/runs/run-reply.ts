import type { Failure, ToolCall } from './objects.ts';

/** The reply of the model in one turn: text in pieces of one token each, calls, or a failure where the model does not exist. */
export type RunReply =
  | { readonly kind: 'message'; readonly promptTokens: number; readonly pieces: readonly string[] }
  | { readonly kind: 'calls'; readonly promptTokens: number; readonly calls: readonly PlannedCall[] }
  | { readonly kind: 'failure'; readonly promptTokens: number; readonly error: Failure };

/** A call that the model makes: its name costs one token, and each piece of its arguments another. */
export interface PlannedCall {
  readonly type: ToolCall['type'];
  readonly name: string;
  readonly pieces: readonly string[];
}
